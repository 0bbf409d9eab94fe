"""The choice itself: certify, then catch the most stuck sessions, then be the quietest."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.calibrate.deriving_sessions import LabelledSessions
from dsh_calibrate.calibrate.risk import Candidate, Method, Verdict, certify
from dsh_calibrate.calibrate.strictness import DisturbedBy
from dsh_calibrate.calibrate.sweeping import Sweep
from dsh_calibrate.calibrate.sweeping_figures import session_tally
from dsh_calibrate.calibrate.sweeping_outcomes import NOTHING, Tally, added


@dataclass(frozen=True, slots=True)
class Bound:
    """At most ``alpha`` of healthy sessions disturbed, with confidence 1 − ``delta``."""

    alpha: float = 0.05
    delta: float = 0.10
    method: Method = "fixed-sequence"
    disturbed_by: DisturbedBy = "any"


@dataclass(frozen=True, slots=True)
class Judged:
    """One candidate on some sessions, exact parts only.

    ``number`` is its place in the sweep. ``healthy`` sums the healthy sessions, of which
    ``disturbed`` are; ``caught`` holds the stuck sessions that are caught.
    """

    number: int
    candidate: CandidateSet
    verdict: Verdict[int]
    healthy: Tally
    disturbed: frozenset[str]
    caught: frozenset[str]

    @property
    def certified(self) -> bool:
        """Whether the bound holds for it."""
        return self.verdict.certified


class Evidence:
    """Outcomes of all candidates by session; what is asked twice is added up once."""

    def __init__(self, sweep: Sweep, sessions: LabelledSessions, disturbed_by: DisturbedBy) -> None:
        self.sweep = sweep
        self._sessions = sessions
        self._disturbed_by = disturbed_by
        self._tallies: dict[tuple[int, str], Tally] = {}

    def tally(self, number: int, session: str) -> Tally:
        """All guards of a candidate over the logs of one session, exact part."""
        key = (number, session)
        found = self._tallies.get(key)
        if found is None:
            logs = self._sessions.sessions[session].logs
            heard = [
                tally
                for log in logs
                if (tally := session_tally(self.sweep, number, log, exact=True)) is not NOTHING
            ]
            found = self._tallies[key] = added(heard) if heard else NOTHING
        return found

    def disturbed(self, number: int, sessions: Set[str]) -> frozenset[str]:
        """The sessions that a candidate disturbs (of stuck ones: catches)."""
        return frozenset(s for s in sessions if self._is_disturbed(self.tally(number, s)))

    def by_guard(self, number: int, guard: str, sessions: Set[str]) -> frozenset[str]:
        """The sessions that one guard of a candidate disturbs."""
        return frozenset(
            session
            for session in sessions
            if any(
                self._is_disturbed(self.sweep.outcome(number, guard, log).exact)
                for log in self._sessions.sessions[session].logs
            )
        )

    def _is_disturbed(self, tally: Tally) -> bool:
        return tally.gates > 0 if self._disturbed_by == "gate" else tally.is_disturbed


def judge(
    evidence: Evidence, order: Sequence[int], healthy: Set[str], stuck: Set[str], bound: Bound
) -> list[Judged]:
    """Test the candidates of ``order`` on the healthy sessions; look at the stuck ones too."""
    disturbed = {number: evidence.disturbed(number, healthy) for number in order}
    verdicts = certify(
        [Candidate(n, len(disturbed[n]), len(healthy)) for n in order],
        bound.alpha,
        bound.delta,
        bound.method,
    )
    return [
        Judged(
            number=number,
            candidate=evidence.sweep.sets[number],
            verdict=verdict,
            healthy=added(evidence.tally(number, session) for session in sorted(healthy)),
            disturbed=disturbed[number],
            caught=evidence.disturbed(number, stuck),
        )
        for number, verdict in zip(order, verdicts, strict=True)
    ]


def best(judged: Sequence[Judged]) -> Judged | None:
    """The certified candidate that catches the most, then speaks and asks the least.

    Among equals the one that changes the fewest keys, then the first. ``None`` when nothing
    is certified or nothing certified catches anything.
    """
    found = [
        (-len(one.caught), one.healthy.advised, one.healthy.asks, _changes(one.candidate), place)
        for place, one in enumerate(judged)
        if one.certified and one.caught
    ]
    return judged[min(found)[-1]] if found else None


def _changes(one: CandidateSet) -> int:
    return sum(
        len(value) if isinstance(value, dict) else 1
        for row in one.settings.values()
        for value in row.values()
    )
