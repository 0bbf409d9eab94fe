"""What one guard did in one session under one configuration, in a few numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from dsh_calibrate.replay.decision import Decision, Verdict


class Spoken(msgspec.Struct, frozen=True):
    """One time a guard speaks or stops; ``call`` is a stream's ordinal for rlg.

    ``measure`` is the kind credited (rlg: the rule), ``exact`` whether the live guard would
    have done precisely this (contract.md 4).
    """

    line: int
    lifecycle: int
    call: int
    verdict: Verdict
    stage: str
    measure: str
    ran: bool
    exact: bool


class Tally(msgspec.Struct, frozen=True):
    """Counts of one session, or their sum over sessions.

    ``advisories`` by stage; ``gates`` are calls stopped (denied or declined) and streams
    cut; ``blocked_calls`` calls that did not run, what the shell-HTTP block refuses included;
    ``asks`` questions put to the operator; ``by_measure[kind]`` advisories and gates.
    """

    advisories: dict[str, int] = {}
    gates: int = 0
    blocked_calls: int = 0
    asks: int = 0
    by_measure: dict[str, tuple[int, int]] = {}

    @property
    def advised(self) -> int:
        """All advisories."""
        return sum(self.advisories.values())

    @property
    def is_disturbed(self) -> bool:
        """Whether there was at least one advisory or gate."""
        return self.gates > 0 or self.advised > 0


NOTHING = Tally()


class SessionOutcome(msgspec.Struct, frozen=True):
    """One guard on one log under one configuration.

    ``whole`` is the upper bound, ``exact`` its exact part, ``first`` the first time that it
    spoke or stopped (what the shell-HTTP block refuses does not count).
    """

    whole: Tally = NOTHING
    exact: Tally = NOTHING
    first: Spoken | None = None


SILENT = SessionOutcome()
"""The outcome of a session in which nothing happened."""


def outcome_of(spoken: Sequence[Spoken]) -> SessionOutcome:
    """Add up one session; ``spoken`` in the order in which it happened."""
    if not spoken:
        return SILENT
    heard = (one for one in spoken if one.verdict != "refuse")
    return SessionOutcome(
        whole=_tally(spoken),
        exact=_tally([one for one in spoken if one.exact]),
        first=next(heard, None),
    )


def spoken_of(decisions: Iterable[Decision]) -> list[Spoken]:
    """The decisions of one guard; a refusal that is only measured is left out.

    Such a call ran, or was stopped by the gate.
    """
    decisions = tuple(decisions)
    stopped = {(d.lifecycle, d.call) for d in decisions if d.verdict in ("ask", "deny")}
    return [
        Spoken(
            line=d.line,
            lifecycle=d.lifecycle,
            call=(d.stream if d.stream is not None else d.call) or 0,
            verdict=d.verdict,
            stage=d.stage,
            measure=d.hits[0].measure if d.hits else d.stage,
            ran=d.ran,
            exact=d.exact,
        )
        for d in decisions
        if d.verdict != "refuse" or not (d.ran or (d.lifecycle, d.call) in stopped)
    ]


def added(tallies: Iterable[Tally]) -> Tally:
    """The sum of several."""
    advisories: Counter[str] = Counter()
    measures: dict[str, tuple[int, int]] = {}
    gates = blocked = asks = 0
    for tally in tallies:
        advisories.update(tally.advisories)
        gates += tally.gates
        blocked += tally.blocked_calls
        asks += tally.asks
        for kind, (advice, stops) in tally.by_measure.items():
            before = measures.get(kind, (0, 0))
            measures[kind] = (before[0] + advice, before[1] + stops)
    return _sorted(advisories, gates, blocked, asks, measures)


def _tally(spoken: Sequence[Spoken]) -> Tally:
    advisories: Counter[str] = Counter()
    measures: dict[str, tuple[int, int]] = {}
    gates = blocked = asks = 0
    for one in spoken:
        asks += one.verdict == "ask"
        if one.verdict == "refuse":
            blocked += 1
            continue
        advice, stops = measures.get(one.measure, (0, 0))
        if one.verdict == "advise":
            advisories[one.stage] += 1
            measures[one.measure] = (advice + 1, stops)
        elif not one.ran:
            gates += 1
            blocked += one.verdict != "fire"
            measures[one.measure] = (advice, stops + 1)
    if not spoken:
        return NOTHING
    return _sorted(advisories, gates, blocked, asks, measures)


def _sorted(
    advisories: Counter[str],
    gates: int,
    blocked: int,
    asks: int,
    measures: dict[str, tuple[int, int]],
) -> Tally:
    return Tally(
        dict(sorted(advisories.items())), gates, blocked, asks, dict(sorted(measures.items()))
    )
