"""The figures of one set over many sessions: sums, rates with intervals, labels, slices."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsh_calibrate.calibrate.paired import MeanDifference, PairedTest, mcnemar, mean_difference
from dsh_calibrate.calibrate.sweeping import SessionInfo, Sweep
from dsh_calibrate.calibrate.sweeping_outcomes import NOTHING, Tally, added
from dsh_calibrate.corpora.labels import Label, Labels
from dsh_calibrate.replay.rates import Rate, rate

SLICES = ("model", "provider", "format", "project", "preset")
"""What ``--by`` divides sessions by."""


@dataclass(frozen=True, slots=True)
class Caught:
    """The first time that a set spoke or stopped in a stuck session."""

    log: str
    guard: str
    lifecycle: int
    call: int
    verdict: str
    stage: str
    exact: bool


@dataclass(frozen=True, slots=True)
class SetFigures:
    """One set over some sessions; everything an upper bound or everything exact.

    ``tally`` sums all sessions. ``asks_mean``, ``asks_p95`` (nearest rank) and ``asks_max``
    are per session. ``stuck`` counts labelled stuck sessions that were caught, ``healthy``
    labelled healthy ones that were disturbed: at least one advisory or gate.
    """

    sessions: int
    tally: Tally
    advised: Rate
    gated: Rate
    asks_mean: float
    asks_p95: int
    asks_max: int
    stuck: Rate
    healthy: Rate


@dataclass(frozen=True, slots=True)
class Compared:
    """A set against another on the same sessions: which are disturbed, and how much more."""

    disturbed: PairedTest
    advisories: MeanDifference
    gates: MeanDifference


def figures(
    sweep: Sweep,
    number: int,
    sessions: Sequence[SessionInfo],
    labels: Labels | None,
    *,
    exact: bool,
) -> SetFigures:
    """What set ``number`` did in ``sessions``."""
    tallies = {s.log: session_tally(sweep, number, s.log, exact=exact) for s in sessions}
    asks = sorted(t.asks for t in tallies.values())
    count = len(tallies)
    outcomes = {s.log: label.outcome for s in sessions if (label := _label(labels, s.log))}
    stuck = [tallies[log] for log, outcome in outcomes.items() if outcome == "stuck"]
    healthy = [tallies[log] for log, outcome in outcomes.items() if outcome == "healthy"]
    heard = [t for t in tallies.values() if t is not NOTHING]
    return SetFigures(
        sessions=count,
        tally=added(heard),
        advised=rate(sum(t.advised > 0 for t in heard), count),
        gated=rate(sum(t.gates > 0 for t in heard), count),
        asks_mean=sum(asks) / count if count else 0.0,
        asks_p95=asks[max(0, -(-95 * count // 100) - 1)] if count else 0,
        asks_max=asks[-1] if count else 0,
        stuck=rate(sum(t.is_disturbed for t in stuck), len(stuck)),
        healthy=rate(sum(t.is_disturbed for t in healthy), len(healthy)),
    )


def session_tally(sweep: Sweep, number: int, log: str, *, exact: bool) -> Tally:
    """All guards of set ``number`` in one session."""
    found = sweep.of_set(number, log).values()
    if not found:
        return NOTHING
    return added(outcome.exact if exact else outcome.whole for outcome in found)


def first_caught(
    sweep: Sweep, number: int, sessions: Iterable[SessionInfo], labels: Labels | None
) -> list[Caught]:
    """At which call (rlg: stream) each stuck session was first caught; missed ones left out."""
    found = []
    for session in sessions:
        label = _label(labels, session.log)
        if label is None or label.outcome != "stuck":
            continue
        firsts = [
            (outcome.first.line, guard, outcome.first)
            for guard, outcome in sweep.of_set(number, session.log).items()
            if outcome.first is not None
        ]
        if firsts:
            _, guard, first = min(firsts, key=lambda one: (one[0], one[1]))
            found.append(
                Caught(
                    session.log,
                    guard,
                    first.lifecycle,
                    first.call,
                    first.verdict,
                    first.stage,
                    first.exact,
                )
            )
    return found


def compared(
    sweep: Sweep, base: int, number: int, sessions: Sequence[SessionInfo], *, exact: bool
) -> Compared:
    """Set ``number`` (b) against set ``base`` (a), session by session."""
    pairs = [
        (
            session_tally(sweep, base, s.log, exact=exact),
            session_tally(sweep, number, s.log, exact=exact),
        )
        for s in sessions
    ]
    return Compared(
        disturbed=mcnemar((a.is_disturbed, b.is_disturbed) for a, b in pairs),
        advisories=_difference(tuple(b.advised - a.advised for a, b in pairs)),
        gates=_difference(tuple(b.gates - a.gates for a, b in pairs)),
    )


@functools.lru_cache(maxsize=4096)
def _difference(differences: tuple[int, ...]) -> MeanDifference:
    """The mean with its bootstrap interval; sets that differ alike are drawn once."""
    if differences and not any(differences):
        return MeanDifference(len(differences), 0.0, 0.0, 0.0)
    return mean_difference([(0, difference) for difference in differences])


def sliced(sessions: Iterable[SessionInfo], by: str) -> dict[str, list[SessionInfo]]:
    """Sessions by the value of ``by`` (one of :data:`SLICES`), sorted; unknown is ``""``."""
    field = {"format": "format_version"}.get(by, by)
    found: dict[str, list[SessionInfo]] = {}
    for session in sessions:
        value = getattr(session, field)
        found.setdefault("" if value is None else str(value), []).append(session)
    return {value: found[value] for value in sorted(found)}


def _label(labels: Labels | None, log: str) -> Label | None:
    return None if labels is None else labels.get(log)
