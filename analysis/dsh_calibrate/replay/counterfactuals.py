"""What lies behind a guard's first intervention: what it could have saved (an upper bound).

Up to the first intervention that the recording lacks a replay is exact; what follows in the
recording would have gone another way. This measures how much that is: calls, time, text
and, where the log tells them, tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs.events import Call, Event, Result, StreamPieces, Usage


@dataclass(slots=True)
class Amount:
    """Some part of a recording.

    ``calls``, ``ms`` (only between times that the log tells), ``text_utf16`` (arguments,
    results and reasoning that was read) and ``output_tokens`` (of the ``counted`` answers: those
    whose count the log tells).
    """

    calls: int = 0
    ms: int = 0
    text_utf16: int = 0
    output_tokens: int = 0
    counted: int = 0

    def add(self, other: Amount, sign: int = 1) -> None:
        """Add another part, or take it away."""
        self.calls += sign * other.calls
        self.ms += sign * other.ms
        self.text_utf16 += sign * other.text_utf16
        self.output_tokens += sign * other.output_tokens
        self.counted += sign * other.counted

    def less(self, other: Amount) -> Amount:
        """What is left of it without ``other``."""
        left = Amount()
        left.add(self)
        left.add(other, -1)
        left.ms = max(0, left.ms)  # a piece can be newer than the last line that tells a time
        return left

    def as_json(self, *, tokens: bool = True) -> dict[str, int]:
        """The four counts by name; without ``tokens`` the last is absent."""
        counts = {"calls": self.calls, "ms": self.ms, "text_utf16": self.text_utf16}
        if tokens:
            counts["output_tokens"] = self.output_tokens
        return counts


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

    def as_json(self) -> dict[str, object]:
        """The document's subtree of one guard; every leaf is an integer.

        ``output_tokens`` are absent when no answer of any lifecycle has a count.
        """
        tokens = self.whole.counted > 0
        return {
            "lifecycles": self.lifecycles,
            "intervened": self.intervened,
            "decisions": self.decisions,
            "diverged": self.diverged,
            "first": dict(sorted(self.first.items())),
            "after_first": self.after.as_json(tokens=tokens),
            "behind_divergence": self.behind.as_json(tokens=tokens),
            "whole": self.whole.as_json(tokens=tokens),
        }


@dataclass(frozen=True, slots=True)
class Spot:
    """Where one decision stands.

    ``diverges``: the recording goes another way from there; ``so_far``: what the lifecycle
    had held up to and including that line (of reasoning: that piece).
    """

    verdict: str
    diverges: bool
    so_far: Amount


class Meter:
    """Adds up what a lifecycle holds, event by event."""

    def __init__(self) -> None:
        self._so_far = Amount()
        self._last_time: int | None = None
        self._before = 0
        self.has_begun = False

    def on(self, event: Event) -> None:
        """Take the next event of the lifecycle."""
        self.has_begun = True
        kind = type(event)
        so_far = self._so_far
        self._before = so_far.ms
        if event.time:
            if self._last_time is not None:
                so_far.ms += max(0, event.time - self._last_time)
            self._last_time = event.time
            if isinstance(event, StreamPieces) and (last := event.last_time) is not None:
                so_far.ms += last - event.time  # its lines do not fall in time
                self._last_time = last
        if kind is Call:
            assert isinstance(event, Call)
            so_far.calls += event.dispatched
            so_far.text_utf16 += utf16.length(event.arguments)
        elif kind is Result:
            assert isinstance(event, Result)
            so_far.text_utf16 += utf16.length(event.text)
        elif kind is StreamPieces:
            assert isinstance(event, StreamPieces)
            so_far.text_utf16 += utf16.length("".join(event.texts))
        elif isinstance(event, Usage) and event.output_tokens is not None:
            so_far.output_tokens += event.output_tokens
            so_far.counted += 1

    def now(self) -> Amount:
        """What the lifecycle has held so far."""
        return self._so_far.less(Amount())

    def at(self, event: StreamPieces, piece: int) -> Amount:
        """What it had held when piece ``piece`` of the latest event had come.

        Alike in every format: where lines hold the pieces, a piece comes at or after its
        line's time; where a finished message holds them, before it.
        """
        found = self.now()
        found.text_utf16 -= utf16.length("".join(event.texts[piece + 1 :]))
        at = event.times[piece] if event.times else None
        line = event.line_time(piece)
        if at is None or not line:
            return found
        if event.seq_stride:
            assert self._last_time is not None  # the line's time is one
            found.ms += max(0, at - line) - (self._last_time - line)
        else:
            found.ms = max(self._before, found.ms - max(0, line - at))
        return found

    def begin(self) -> None:
        """A new lifecycle starts at nothing."""
        self._so_far = Amount()
        self._last_time = None
        self.has_begun = False


def of_lifecycle(spots: Sequence[Spot], whole: Amount) -> Counterfactual:
    """One guard in one lifecycle, from its decisions in their order."""
    found = Counterfactual(lifecycles=1, decisions=len(spots), whole=whole)
    if spots:
        found.intervened = 1
        found.first = {spots[0].verdict: 1}
        found.after = whole.less(spots[0].so_far)
    lacking = next((spot for spot in spots if spot.diverges), None)
    if lacking is not None:
        found.diverged = 1
        found.behind = whole.less(lacking.so_far)
    return found
