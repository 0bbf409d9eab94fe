"""One line each time a guard speaks or stops (contract.md 4).

A :class:`Draft` is made while the log is replayed; :func:`settle` turns the drafts of one
log into :class:`Decision` objects once it is known which of them the recording holds too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.replay.counterfactuals import Amount

Verdict = Literal["advise", "ask", "deny", "refuse", "fire"]
Divergence = Literal["none", "advice", "gate"]


class ReasoningFigures(msgspec.Struct, frozen=True):
    """What the reasoning guard's verdict carries beside the rule (guards.md 4).

    Lengths are UTF-16 units, ``share`` a fraction with four decimals, times milliseconds;
    what the log does not tell is ``None``.
    """

    at_utf16: int
    preview: str
    units: int | None = None
    period: int | None = None
    count: int | None = None
    block_len: int | None = None
    line_len: int | None = None
    share: float | None = None
    turn: int | None = None
    step: int | None = None
    attempt: int | None = None
    provider: str | None = None
    model: str | None = None
    reasoning_effort: str | None = None
    ttft_ms: int | None = None
    elapsed_ms: int | None = None
    from_start_ms: int | None = None
    granular: bool = True
    thresholds: dict[str, int | float] | None = None
    saved_utf16: int = 0
    saved_ms: int | None = None


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What one guard did at one place of one log.

    ``call`` or ``stream`` is the ordinal within the lifecycle; ``seq`` the log's number of
    the call (for a fire: of the piece), ``line`` the line where it happened (for advice:
    the result's). ``stage`` is a string, ``ran`` tells whether the call ran. ``divergence``
    is the guard's state before this decision, ``exact`` whether the live guard would have
    done precisely this. ``hits`` are all measures that reached a threshold, the credited
    one first. ``matched`` tells that the recording holds the same intervention.
    """

    log: str
    session: str
    lifecycle: int
    guard: str
    seq: int
    line: int
    verdict: Verdict
    stage: str
    ran: bool
    call: int | None = None
    stream: int | None = None
    call_id: str | None = None
    tool: str | None = None
    hits: tuple[Hit, ...] = ()
    reasoning: ReasoningFigures | None = None
    shell_http: str | None = None
    divergence: Divergence = "none"
    exact: bool = True
    matched: bool = False


@dataclass(slots=True)
class Draft:
    """A decision in the making; ``matched`` may still be set by a later line.

    ``diverges`` is what the lifecycle becomes when the recording lacks this intervention
    (``None``: it changes nothing for the model, as an approved question). ``so_far`` is
    what the lifecycle had held up to then, where somebody measures that.
    """

    decision: Decision
    diverges: Literal["advice", "gate"] | None
    matched: bool = False
    reasoning: ReasoningFigures | None = None
    so_far: Amount | None = None


@dataclass(slots=True)
class DivergenceTrack:
    """The drafts of one guard in one lifecycle, in the order in which they happened."""

    drafts: list[Draft] = field(default_factory=list)

    def first_divergence(self) -> int | None:
        """Position of the first draft after which the recording is no longer what happens."""
        for position, draft in enumerate(self.drafts):
            if draft.diverges is not None and not draft.matched:
                return position
        return None


def settle(track: DivergenceTrack) -> Iterable[Decision]:
    """Give every draft the divergence that held before it (contract.md 4); uses them up.

    The state is ``none`` up to and including the first intervention that the recording
    lacks, then ``advice``, and ``gate`` for good once such an intervention was a stop.
    """
    state: Divergence = "none"
    drafts, track.drafts = track.drafts, []
    drafts.reverse()
    while drafts:  # a draft goes as its decision comes: a log may hold very many
        draft = drafts.pop()
        reasoning = draft.reasoning or draft.decision.reasoning
        exact = state == "none" and (reasoning is None or reasoning.granular)
        yield msgspec.structs.replace(
            draft.decision,
            divergence=state,
            exact=exact,
            matched=draft.matched,
            reasoning=reasoning,
        )
        if draft.diverges is not None and not draft.matched:
            state = "gate" if draft.diverges == "gate" or state == "gate" else "advice"
