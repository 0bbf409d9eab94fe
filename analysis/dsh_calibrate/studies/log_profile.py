"""One log at a glance: what is in it, how high its counts go, how it came out.

One pass without any gate. The counts are those of
:mod:`dsh_calibrate.guards.repeat_tool_breaker.ungated` and
:mod:`dsh_calibrate.guards.reasoning_loop.figures`; no rule is stated here again.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass, field

from dsh_calibrate.guards.circuit_breaker.breaker import recorded_denial as circuit_denial
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningConfig
from dsh_calibrate.guards.reasoning_loop.figures import FigureRecorder
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.guards.repeat_tool_breaker.decisions import Outcome, recorded_denial
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.repeat_tool_breaker.ungated import UngatedBreaker
from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs import events
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Header
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.envelope import file_digest
from dsh_calibrate.replay.recorded import producer
from dsh_calibrate.studies.peaks import Peaks

_BUSY_TURNS = 3
"""Busiest turns kept of one log."""

_REASON = re.compile(r"[a-z][a-z_-]{0,30}(:[a-z][a-z_-]{0,30})?")
"""How reasons of a turn's end are spelled; anything else is content, not a reason."""

_PRODUCERS = {
    "repeat-tool-breaker": "rtb",
    "tool-failure-circuit-breaker": "tfb",
    "repeat-tool-reminder": "rtr",
    "reasoning-loop-guard": "rlg",
}


@dataclass(frozen=True, slots=True)
class Measuring:
    """Under which settings counts are taken; thresholds only matter to ratios. Picklable.

    Without a guard's settings its peaks (and for rtb verbs, hosts and failures) stay empty.
    """

    rtb: BreakerConfig | None
    rlg: ReasoningConfig | None
    salvage: bool = False


@dataclass(frozen=True, slots=True)
class BusyTurn:
    """One turn and how many calls it made, sub-calls included."""

    log: str
    lifecycle: int
    turn: int
    calls: int


@dataclass(slots=True)
class LogProfile:
    """What one log holds. All figures are counts unless their name says otherwise.

    ``size`` is in stored bytes. ``calls`` reached a guard; ``failures`` are results that
    repeat-tool-breaker takes for failed, ``errors`` those marked ``isError``. ``verbs``
    and ``hosts`` count calls by fingerprint (``hosts`` without local ones by default).
    ``models`` counts attempts that reason, by provider and model. ``endings`` counts turns
    by the reason of their end (``aborted:user``). ``abandoned_reasoning`` counts turns a
    user aborted while the last attempt had shown nothing but reasoning. ``recorded``
    counts what guards did while recording (``rtb denials``, ``rlg fires``, ``rtr notices``).
    """

    log: str
    path: str = ""
    size: int = 0
    is_compressed: bool = False
    header: Header | None = None
    coverage: LogCoverage = field(default_factory=lambda: LogCoverage("empty"))
    digest: str = ""
    lifecycles: int = 0
    calls: int = 0
    results: int = 0
    errors: int = 0
    failures: int = 0
    turns: int = 0
    resets: int = 0
    resets_after_abort: int = 0
    streams: int = 0
    reasoning_utf16: int = 0
    abandoned_reasoning: int = 0
    tools: Counter[str] = field(default_factory=Counter)
    verbs: Counter[str] = field(default_factory=Counter)
    hosts: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    endings: Counter[str] = field(default_factory=Counter)
    recorded: Counter[str] = field(default_factory=Counter)
    busiest_turns: tuple[BusyTurn, ...] = ()
    peaks: Peaks = field(default_factory=Peaks)


def profile_log(measuring: Measuring, log: Log) -> LogProfile:
    """Read one log once; damage is in the coverage, nothing is raised for content."""
    reading = read_log(log, salvage=measuring.salvage)
    stored = iter(reading)
    first = list(itertools.islice(stored, 1))  # the header is known from here on
    profile = LogProfile(
        log=log.key,
        path=str(log.path),
        size=log.size,
        is_compressed=not log.path.name.endswith(".jsonl"),
        header=reading.header,
        digest=file_digest(log.path),
    )
    follower = _Follower(measuring, profile)
    for event in itertools.chain(first, stored):
        follower.on(event)
    follower.finish()
    profile.coverage = reading.coverage
    return profile


class _Follower:
    """Fills a profile from the events of its log."""

    def __init__(self, measuring: Measuring, profile: LogProfile) -> None:
        self._measuring = measuring
        self._profile = profile
        self._memo = Memo()
        self._lifecycle = 0
        self._used = False
        self._aborted = False
        self._only_reasoned = False
        self._turns: Counter[tuple[int, int]] = Counter()
        self._recorder: FigureRecorder | None = None
        self._begin()

    def _begin(self) -> None:
        config = self._measuring.rtb
        self._breaker = UngatedBreaker(config, memo=self._memo) if config is not None else None
        self._recorder = None

    def on(self, event: events.Event) -> None:
        profile = self._profile
        if isinstance(event, events.LifecycleStart):
            self._lifecycle, self._used = event.number, False
            self._begin()
            return
        if not self._used:
            self._used = True
            profile.lifecycles += 1
        match event:
            case events.StreamPieces():
                self._pieces(event)
            case events.Call():
                self._call(event)
            case events.Result():
                self._result(event)
            case events.StreamOpen():
                profile.streams += 1
                config = self._measuring.rlg
                self._recorder = FigureRecorder(config) if config is not None else None
            case events.StreamClose():
                self._close(event)
            case events.Human():
                profile.resets += 1
                profile.resets_after_abort += self._aborted
                self._aborted = False
                if self._breaker is not None:
                    self._breaker.human()
            case events.TurnStart():
                profile.turns += 1
                self._only_reasoned = False
            case events.TurnEnd():
                self._end(event)
            case events.Notice():
                guard = _PRODUCERS.get(producer(event))
                if guard is not None:
                    profile.recorded[f"{guard} notices"] += 1
            case events.Gap():
                self._begin()
            case _:
                pass

    def finish(self) -> None:
        busiest = sorted(self._turns.items(), key=lambda item: (-item[1], item[0]))
        self._profile.busiest_turns = tuple(
            BusyTurn(self._profile.log, lifecycle, turn, calls)
            for (lifecycle, turn), calls in busiest[:_BUSY_TURNS]
        )

    def _call(self, call: events.Call) -> None:
        self._only_reasoned = False
        if not call.dispatched:
            return
        profile = self._profile
        profile.calls += 1
        profile.tools[call.tool] += 1
        if call.turn is not None:
            self._turns[self._lifecycle, call.turn] += 1
        config = self._measuring.rtb
        if self._breaker is None or config is None:
            return
        counted = self._breaker.call(call.index, call.tool, call.arguments)
        if counted is None:
            return
        for fingerprint, count in zip(counted.fingerprints, counted.counts, strict=True):
            kind, _, rest = fingerprint.partition(":")
            profile.peaks.count(fingerprint, count, config.limits)
            if kind == "verb":
                profile.verbs[rest] += 1
            elif kind == "host":
                profile.hosts[rest] += 1

    def _result(self, result: events.Result) -> None:
        if result.synthetic:
            return
        profile = self._profile
        profile.results += 1
        profile.errors += result.is_error
        outcome = Outcome(
            text=result.text,
            is_error=result.is_error,
            error_name=result.error_name,
            error_code=result.error_code,
            status_code=result.status_code,
        )
        if recorded_denial(outcome) is not None:
            profile.recorded["rtb denials"] += 1
        elif result.is_error and circuit_denial(result.tool, result.text):
            profile.recorded["tfb denials"] += 1
        config = self._measuring.rtb
        if result.call is None or self._breaker is None or config is None:
            return
        settled = self._breaker.result(result.call, outcome)
        if settled is None:
            return
        profile.failures += settled.failure is not None
        for fingerprint, streak in zip(settled.fingerprints, settled.streaks, strict=True):
            profile.peaks.streak(fingerprint, streak, config.limits, config.fail_limit)

    def _pieces(self, pieces: events.StreamPieces) -> None:
        self._profile.reasoning_utf16 += sum(map(utf16.length, pieces.texts))
        config = self._measuring.rlg
        if self._recorder is not None and config is not None:
            for figures in self._recorder.feed_many(pieces.texts):
                self._profile.peaks.reasoning(figures, config)

    def _close(self, close: events.StreamClose) -> None:
        profile = self._profile
        self._recorder = None
        self._only_reasoned = not close.visible
        profile.models[f"{close.provider or '?'}/{close.model or '?'}"] += 1
        config = self._measuring.rlg or ReasoningConfig()
        if close.failure_code == config.failure_code:
            profile.recorded["rlg fires"] += 1

    def _end(self, end: events.TurnEnd) -> None:
        profile = self._profile
        reason = end.reason + (f":{end.abort}" if end.abort else "")
        profile.endings[reason if _REASON.fullmatch(reason) else "other"] += 1
        self._aborted = end.reason == "aborted"
        if self._aborted and end.abort == "user" and self._only_reasoned:
            profile.abandoned_reasoning += 1
        self._only_reasoned = False
