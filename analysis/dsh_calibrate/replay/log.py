"""Replays every guard of a plan over one log: one pass, each guard as if it ran alone."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import (
    Call,
    Event,
    Header,
    Human,
    LifecycleStart,
    Result,
    StreamOpen,
    StreamPieces,
    TurnEnd,
)
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay import figures
from dsh_calibrate.replay.circuit_breaker import CircuitBreakerTracker
from dsh_calibrate.replay.counterfactuals import Meter
from dsh_calibrate.replay.envelope import file_digest
from dsh_calibrate.replay.garbage import seldom_collected
from dsh_calibrate.replay.outcome import Figures, GuardOutcome, LogOutcome
from dsh_calibrate.replay.place import Place
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.repeat_reminder import ReminderTracker
from dsh_calibrate.replay.repeat_tool_breaker import BreakerTracker

if TYPE_CHECKING:
    from dsh_calibrate.replay.reasoning_loop import ReasoningTracker

Tracker: TypeAlias = "BreakerTracker | CircuitBreakerTracker | ReminderTracker | ReasoningTracker"
"""What follows one guard through a log."""


class Follower(Protocol):
    """Anything else that wants the events of the same pass (facts)."""

    def on(self, event: Event) -> None:
        """Take the next event of the log."""

    def finish(self) -> None:
        """The log is over."""


def replay_log(
    log: Log,
    plan: Plan,
    memo: Memo | None = None,
    *,
    also: Sequence[Follower] = (),
    reasoning: bool | None = None,
) -> LogOutcome:
    """Read ``log`` once and replay the plan's guards over it.

    ``memo`` carries fingerprints of calls already seen from log to log of one process.
    ``also`` are handed every event too; ``reasoning`` says whether they need stream events
    (``None``: as the plan does). Damage is in the outcome's coverage; nothing is raised for
    what a log contains.
    """
    if reasoning is None:
        reasoning = plan.rlg is not None
    reading = read_log(log, salvage=plan.salvage, reasoning=reasoning)
    events = iter(reading)
    first = tuple(itertools.islice(events, 1))  # the header is known from here on
    meter = Meter()
    trackers = _trackers(log, reading.header, plan, memo if memo is not None else Memo(), meter)
    routes = _Routes(tuple(trackers.values()), also)
    totals = _Totals()
    with seldom_collected():
        for event in itertools.chain(first, events):
            totals.on(event)
            kind = type(event)
            if kind is not LifecycleStart:
                meter.on(event)
            for follow in routes[kind]:
                follow(event)
            if kind is LifecycleStart:
                meter.begin()
    for follower in (*trackers.values(), *also):
        follower.finish()
    return LogOutcome(
        log=log.key,
        coverage=reading.coverage,
        header=reading.header,
        totals=totals.figures(reading.header),
        guards={guard: _outcome(guard, tracker, plan) for guard, tracker in trackers.items()},
        digest=file_digest(log.path),
        path=str(log.path),
    )


def _trackers(
    log: Log, header: Header | None, plan: Plan, memo: Memo, meter: Meter
) -> dict[str, Tracker]:
    session = header.session if header is not None else ""

    def place(guard: str) -> Place:
        return Place(log.key, session, guard, meter=meter)

    trackers: dict[str, Tracker] = {}
    if plan.rtb is not None:
        trackers["rtb"] = BreakerTracker(
            place("rtb"),
            plan.rtb,
            operator=plan.operator,
            shell_http=plan.shell_http,
            memo=memo,
        )
    if plan.tfb is not None:
        trackers["tfb"] = CircuitBreakerTracker(place("tfb"), plan.tfb)
    if plan.rtr is not None:
        trackers["rtr"] = ReminderTracker(place("rtr"), plan.rtr)
    if plan.rlg is not None:
        from dsh_calibrate.replay.reasoning_loop import ReasoningTracker  # imports numpy

        trackers["rlg"] = ReasoningTracker(place("rlg"), plan.rlg)
    return trackers


def _outcome(guard: str, tracker: Tracker, plan: Plan) -> GuardOutcome:
    decisions = tuple(tracker.place.settled)
    exact = tuple(d for d in decisions if d.exact)
    if isinstance(tracker, BreakerTracker):
        whole = figures.breaker_figures(
            decisions,
            sum(tracker.undelivered.values()),
            sum(tracker.failures.values(), Counter()),
        )
        part = figures.breaker_figures(
            exact,
            sum(n for at, n in tracker.undelivered.items() if tracker.place.exact_at(at)),
            sum((c for at, c in tracker.failures.items() if tracker.place.exact_at(at)), Counter()),
        )
        whole["recorded_denials"] = part["recorded_denials"] = tracker.recorded_denials
        tracked = tracker.tracked_calls
    elif isinstance(tracker, CircuitBreakerTracker):
        whole, part = figures.circuit_figures(decisions), figures.circuit_figures(exact)
        whole["recorded_denials"] = part["recorded_denials"] = tracker.recorded_denials
        tracked = tracker.tracked_calls
    elif isinstance(tracker, ReminderTracker):
        assert plan.rtr is not None
        thresholds = plan.rtr.thresholds
        whole = figures.reminder_figures(decisions, sum(tracker.undelivered.values()), thresholds)
        part = figures.reminder_figures(
            exact,
            sum(n for at, n in tracker.undelivered.items() if tracker.place.exact_at(at)),
            thresholds,
        )
        tracked = tracker.tracked_calls
    else:
        whole, part = figures.reasoning_figures(decisions), figures.reasoning_figures(exact)
        tracked = tracker.streams
    return GuardOutcome(guard, tracked, decisions, whole, part, tracker.place.counterfactual)


class _Routes(dict[type[Event], tuple[Callable[[Event], None], ...]]):
    """Who wants the events of a type: the trackers that look at it, and every other follower."""

    def __init__(self, trackers: Sequence[Tracker], also: Sequence[Follower]) -> None:
        super().__init__()
        self._trackers = trackers
        self._also = also

    def __missing__(self, kind: type[Event]) -> tuple[Callable[[Event], None], ...]:
        wanted = [tracker.on for tracker in self._trackers if kind in tracker.EVENTS]
        found = self[kind] = (*wanted, *(follower.on for follower in self._also))
        return found


class _Totals:
    """What a log holds, whatever the guards: lifecycles, calls, results, turns, streams."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._lifecycle_used = False
        self._aborted = False

    def on(self, event: Event) -> None:
        kind = type(event)
        if kind is LifecycleStart:
            self._lifecycle_used = False
            return
        if not self._lifecycle_used:
            self._lifecycle_used = True
            self._counts["lifecycles"] += 1
        if kind is Call:
            assert isinstance(event, Call)
            self._counts["calls" if event.dispatched else "not_dispatched"] += 1
        elif kind is Result:
            assert isinstance(event, Result)
            self._counts["synthetic_results" if event.synthetic else "results"] += 1
        elif kind is Human:
            self._counts["resets"] += 1
            self._counts["resets_after_abort"] += self._aborted
            self._aborted = False
        elif kind is TurnEnd:
            assert isinstance(event, TurnEnd)
            self._aborted = event.reason == "aborted"
        elif kind is StreamOpen:
            self._counts["streams"] += 1
        elif kind is StreamPieces:
            assert isinstance(event, StreamPieces)
            self._counts["reasoning_utf16"] += utf16.length("".join(event.texts))

    def figures(self, header: Header | None) -> Figures:
        names = (
            "lifecycles",
            "calls",
            "not_dispatched",
            "results",
            "synthetic_results",
            "resets",
            "resets_after_abort",
            "streams",
            "reasoning_utf16",
        )
        counts: Figures = {"logs": 1, **{name: self._counts[name] for name in names}}
        top_level = header is None or (header.origin != "subagent" and header.delegation_depth == 0)
        counts["human_turns"] = self._counts["resets"] if top_level else 0
        return counts
