"""What repeat-tool-breaker saw at single calls: its window, counts, streaks, what it committed.

The replay's own tracker runs, with a window that notes which call each record comes from; no
rule is restated here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Snapshot
from dsh_calibrate.guards.repeat_tool_breaker.config import Config, cap_of
from dsh_calibrate.guards.repeat_tool_breaker.decisions import Outcome, ResultDecision
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.repeat_tool_breaker.window import Window
from dsh_calibrate.logs.events import Call, Event, Result
from dsh_calibrate.replay.place import Place
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.repeat_tool_breaker import BreakerTracker

Wanted = Callable[[int, Call], bool]
"""Whether a call is to be traced: its lifecycle and the call."""


@dataclass(frozen=True, slots=True)
class Record:
    """One committed record: the ordinal of its call, the fingerprints it holds."""

    call: int
    fingerprints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """One fingerprint of a call when it was decided.

    ``cap`` is its limit in calls, ``None`` without one (then it gates and advises nothing).
    ``count`` are the occurrences in the window including this call, ``streak`` the failures
    in a row before it, ``streak_after`` those after its result (``None``: it settled nothing).
    """

    fingerprint: str
    cap: int | float | None
    count: int
    streak: int
    exempt: bool
    refused: bool
    streak_after: int | None = None

    @property
    def measure(self) -> str:
        """Its kind, such as ``host``."""
        return self.fingerprint.partition(":")[0]


@dataclass(slots=True)
class BreakerTrace:
    """What the breaker saw at one call. ``window`` is oldest first, before the call.

    ``committed`` is what the call put into the window (``None``: nothing), ``at_result`` tells
    that this happened at its result line (a declined question). ``failure`` is reason and
    detail of a failed result.
    """

    lifecycle: int
    call: int
    tracked: bool
    measures: tuple[Measure, ...] = ()
    window: tuple[Record, ...] = ()
    window_size: int = 0
    committed: tuple[str, ...] | None = None
    at_result: bool = False
    ran: bool = True
    settled: bool = False
    failure: tuple[str, str] | None = None


class _NotingWindow(Window):
    """The live window that remembers whose record each one is."""

    __slots__ = ("_origins", "by", "noted")

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.by = 0
        self.noted: tuple[str, ...] | None = None
        self._origins: deque[int] = deque(maxlen=size)

    def commit(self, record: Sequence[str]) -> None:
        super().commit(record)
        if record:
            self.noted = tuple(record)
            self._origins.append(self.by)

    def clear(self) -> None:
        super().clear()
        self._origins.clear()

    def records(self) -> tuple[Record, ...]:
        """The records as they stand, oldest first."""
        return tuple(Record(c, tuple(r)) for c, r in zip(self._origins, self, strict=True))


class _WatchedBreaker(Breaker):
    """The live breaker with a window that notes."""

    def __init__(self, config: Config, *, enforce_shell_http: bool, memo: Memo) -> None:
        super().__init__(config, enforce_shell_http=enforce_shell_http, memo=memo)
        self.watched = _NotingWindow(config.window)
        self.last: ResultDecision | None = None
        self._window = self.watched

    def result(self, key: int, outcome: Outcome) -> ResultDecision:
        self.last = super().result(key, outcome)
        return self.last

    def has_started(self, key: int) -> bool:
        """Whether the call runs and waits for its result."""
        return key in self._running


class BreakerTracer(BreakerTracker):
    """The replay of the breaker that keeps a :class:`BreakerTrace` of every wanted call."""

    def __init__(self, place: Place, plan: Plan, wanted: Wanted, memo: Memo | None = None) -> None:
        assert plan.rtb is not None
        self.traces: dict[tuple[int, int], BreakerTrace] = {}
        self._wanted = wanted
        super().__init__(
            place,
            plan.rtb,
            operator=plan.operator,
            shell_http=plan.shell_http,
            memo=memo if memo is not None else Memo(),
        )

    def _begin(self) -> None:
        super()._begin()
        self._watched = _WatchedBreaker(
            self._config, enforce_shell_http=self._enforce, memo=self._memo
        )
        self._breaker = self._watched

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if isinstance(event, Call):
            if event.dispatched:
                self._on_call(event)
            return
        if isinstance(event, Result) and event.call is not None:
            self._on_result(event, event.call)
            return
        super().on(event)

    def _on_call(self, call: Call) -> None:
        window = self._watched.watched
        window.by, window.noted = call.index, None
        if not self._wanted(self.place.lifecycle, call):
            super().on(call)
            return
        trace = BreakerTrace(self.place.lifecycle, call.index, self._watched.tracks(call.tool))
        self.traces[trace.lifecycle, trace.call] = trace
        trace.window, trace.window_size = window.records(), self._config.window
        if trace.tracked:
            prints = self._watched.prepared(call.tool, call.arguments).all
            trace.measures = _measures(prints, self._watched.snapshot(), self._config)
        super().on(call)
        trace.committed = window.noted
        trace.ran = not trace.tracked or self._watched.has_started(call.index)

    def _on_result(self, result: Result, key: int) -> None:
        trace = self.traces.get((self.place.lifecycle, key))
        window = self._watched.watched
        window.by, window.noted = key, None
        if trace is None or not trace.tracked or result.synthetic or trace.settled:
            super().on(result)
            return
        settles = self._watched.has_started(key)
        self._watched.last = None
        super().on(result)
        trace.settled = True
        if window.noted is not None:
            trace.committed, trace.at_result = window.noted, True
        decided = self._watched.last
        if not settles or decided is None or decided.recorded_denial is not None:
            return
        if decided.failure is not None:
            trace.failure = (decided.failure.reason, decided.failure.detail)
        streaks = self._watched.snapshot().streaks
        trace.measures = tuple(
            replace(m, streak_after=streaks.get(m.fingerprint, 0)) for m in trace.measures
        )


def _measures(prints: Sequence[str], state: Snapshot, config: Config) -> tuple[Measure, ...]:
    return tuple(
        Measure(
            fingerprint=fingerprint,
            cap=cap_of(config.limits, fingerprint),
            count=state.counts.get(fingerprint, 0) + 1,
            streak=state.streaks.get(fingerprint, 0),
            exempt=fingerprint in state.exempt,
            refused=fingerprint in state.refused,
        )
        for fingerprint in prints
    )
