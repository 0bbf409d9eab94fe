"""What lies behind a guard's first intervention: what it could have saved (an upper bound).

Up to the first intervention that the recording lacks a replay is exact; what follows in the
recording would have gone another way. This measures how much that is: calls, time, text.
Logs as read here keep no token counts, so the amount of text is given in UTF-16 units
(arguments, results and reasoning together); a token is some three to four of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs.events import (
    Call,
    Event,
    LifecycleStart,
    Result,
    StreamPieces,
)
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.outcome import LogOutcome


@dataclass(slots=True)
class Amount:
    """Some part of a recording: ``calls``, milliseconds, UTF-16 units of text.

    ``ms`` counts only what lies between times that the log tells.
    """

    calls: int = 0
    ms: int = 0
    text_utf16: int = 0

    def add(self, other: Amount) -> None:
        """Add another part."""
        self.calls += other.calls
        self.ms += other.ms
        self.text_utf16 += other.text_utf16


@dataclass(slots=True)
class Counterfactual:
    """One guard over one log or, added up, a corpus.

    ``lifecycles`` were looked at; in ``intervened`` of them the guard spoke or stopped, first
    by ``first[verdict]`` (exact), ``decisions`` times in all (upper bound). ``after`` is
    what the recording holds behind those first interventions, ``diverged`` the lifecycles
    that went on behind one the recording lacks and ``behind`` what they hold from there on;
    ``whole`` is everything.
    """

    lifecycles: int = 0
    intervened: int = 0
    decisions: int = 0
    diverged: int = 0
    first: dict[str, int] = field(default_factory=dict)
    after: Amount = field(default_factory=Amount)
    behind: Amount = field(default_factory=Amount)
    whole: Amount = field(default_factory=Amount)

    def add(self, other: Counterfactual) -> None:
        """Add another log's."""
        self.lifecycles += other.lifecycles
        self.intervened += other.intervened
        self.decisions += other.decisions
        self.diverged += other.diverged
        for verdict, count in other.first.items():
            self.first[verdict] = self.first.get(verdict, 0) + count
        self.after.add(other.after)
        self.behind.add(other.behind)
        self.whole.add(other.whole)


@dataclass(slots=True)
class _Mark:
    line: int
    amount: Amount


class Timeline:
    """Follows a log (``replay_log(also=…)``) and notes how much of it lies where.

    A mark a call, result and batch of pieces: a few numbers each, no text.
    """

    def __init__(self) -> None:
        self._marks: dict[int, list[_Mark]] = {}
        self._lifecycle = 0
        self._last_time: int | None = None

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if isinstance(event, LifecycleStart):
            self._lifecycle, self._last_time = event.number, None
            return
        amount = Amount(ms=self._passed(event))
        if isinstance(event, Call):
            amount.calls = int(event.dispatched)
            amount.text_utf16 = utf16.length(event.arguments)
        elif isinstance(event, Result):
            amount.text_utf16 = utf16.length(event.text)
        elif isinstance(event, StreamPieces):
            amount.text_utf16 = sum(map(utf16.length, event.texts))
        if amount != Amount():
            self._marks.setdefault(self._lifecycle, []).append(_Mark(event.line, amount))

    def finish(self) -> None:
        """The log is over; nothing is pending."""

    def _passed(self, event: Event) -> int:
        before, self._last_time = self._last_time, event.time or self._last_time
        return max(0, event.time - before) if event.time and before is not None else 0

    @property
    def lifecycles(self) -> tuple[int, ...]:
        """The lifecycles in which something happened."""
        return tuple(self._marks)

    def after(self, lifecycle: int, line: int) -> Amount:
        """What one lifecycle holds behind a line."""
        total = Amount()
        for mark in self._marks.get(lifecycle, ()):
            if mark.line > line:
                total.add(mark.amount)
        return total


def counterfactuals(outcome: LogOutcome, timeline: Timeline) -> dict[str, Counterfactual]:
    """Per guard of a log's outcome, what lies behind its first interventions.

    ``timeline`` followed the same replay.
    """
    return {guard: _one(part.decisions, timeline) for guard, part in outcome.guards.items()}


def _one(decisions: Iterable[Decision], timeline: Timeline) -> Counterfactual:
    found = Counterfactual()
    by_lifecycle: dict[int, list[Decision]] = {}
    for decision in decisions:
        found.decisions += 1
        by_lifecycle.setdefault(decision.lifecycle, []).append(decision)
    for lifecycle in timeline.lifecycles:
        found.lifecycles += 1
        found.whole.add(timeline.after(lifecycle, 0))
        made = by_lifecycle.get(lifecycle)
        if not made:
            continue
        first = made[0]
        found.intervened += 1
        found.first[first.verdict] = found.first.get(first.verdict, 0) + 1
        found.after.add(timeline.after(lifecycle, first.line))
        lacking = next((d for d in made if _diverges(d)), None)
        if lacking is not None:
            found.diverged += 1
            found.behind.add(timeline.after(lifecycle, lacking.line))
    return found


def _diverges(decision: Decision) -> bool:
    """Whether the recording goes another way from here (contract.md 4)."""
    if decision.matched:
        return False
    if decision.verdict == "refuse":
        return not decision.ran
    return decision.verdict != "ask" or not decision.ran
