"""Derive settings: few healthy sessions disturbed for sure, then the most stuck ones caught.

::

    tried = Ladders(rows, profile, guards)          # or Listed(sets, …): candidates of the user
    with measure_for(logs, tried.sets(), guards, how, cache=cache) as facts:
        found = derive(facts, logs, labels, tried, Bound(), how)
    found.feasible, found.chosen, found.needed, found.held_out

The bound is tested on labelled healthy sessions (:mod:`.risk`), in an order that did not look
at them (:mod:`.deriving_path`, :mod:`.strictness`). How the whole procedure fares on sessions
it has not seen is measured by repeating it without them: fold by fold, or on the labelled split.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.calibrate.deriving_candidates import Ladders, Listed, Tried
from dsh_calibrate.calibrate.deriving_choice import Bound, Evidence, Judged, best, judge
from dsh_calibrate.calibrate.deriving_needed import Needed, needed_sessions, next_candidate
from dsh_calibrate.calibrate.deriving_sessions import LabelledSessions, labelled_sessions
from dsh_calibrate.calibrate.folds import Fold, folds, labelled_split
from dsh_calibrate.calibrate.strictness import DisturbedBy
from dsh_calibrate.calibrate.sweeping import How, Sweep, sessions_of, sweep
from dsh_calibrate.corpora.labels import Labels, Outcome
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.executors.cluster import Jobs

__all__ = ["Bound", "Derivation", "HeldOut", "Ladders", "Listed", "derive"]

FOLDS = 5
"""Folds when nobody says how many, and there are enough sessions."""

_PLACES: tuple[tuple[int, Outcome], ...] = ((0, "healthy"), (2, "stuck"))


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The procedure on sessions that took no part in its choice.

    ``how`` is ``folds`` or ``split``; ``parts`` how many times it was repeated, ``chosen``
    how often it had an answer. Counts are of test sessions of those repetitions.
    """

    how: str
    parts: int
    chosen: int
    disturbed: int
    healthy: int
    caught: int
    stuck: int


@dataclass(frozen=True, slots=True)
class Derivation:
    """The answer and its evidence.

    ``tested`` are the candidates in the order of their tests, on the sessions that choose
    (``healthy``, ``stuck``), ``steps`` what each changes in the one before; ``now`` the settings
    in force on the same sessions, untested unless they were a candidate. ``guards_caught`` and
    ``guards_disturbed`` count sessions of the chosen candidate by guard. ``next`` is the first
    candidate that was not certified and catches more than what was chosen, ``next_healthy`` how
    many more healthy sessions, none of them disturbed, would certify it.
    ``advisories_against_now`` holds, for every healthy session, the advisories of the settings
    in force and of the choice.
    """

    feasible: bool
    reason: str
    bound: Bound
    sessions: LabelledSessions
    healthy: frozenset[str]
    stuck: frozenset[str]
    tested: tuple[Judged, ...]
    steps: tuple[str, ...]
    chosen: Judged | None
    now: Judged
    needed: Needed
    held_out: HeldOut | None
    guards_disturbed: dict[str, int]
    guards_caught: dict[str, int]
    next: Judged | None
    next_healthy: int | None
    advisories_against_now: tuple[tuple[int, int], ...] = ()


def derive(
    facts: Facts,
    logs: Sequence[Log],
    labels: Labels,
    tried: Tried,
    bound: Bound,
    how: How,
    *,
    folds_wanted: int | None = None,
    jobs: Jobs = None,
) -> Derivation:
    """Choose settings; see the module. ``facts`` are those of ``tried.sets()``.

    Raises :class:`UsageError` when nothing is labelled, for labels that contradict each
    other and for folds that cannot be made.
    """
    guards = tried.guards
    everything = sessions_of(facts)
    counted = Sweep((), guards, everything, (), {}).counted()
    sessions = labelled_sessions(everything, counted, labels)
    mine = {log for found in sessions.sessions.values() for log in found.logs}
    of_stuck = {log for s in sessions.of("stuck") for log in sessions.sessions[s].logs}
    chosen_logs = [log for log in logs if log.key in mine]

    def catches(sets: list[CandidateSet]) -> list[frozenset[str]]:
        stuck_logs = [log for log in chosen_logs if log.key in of_stuck]
        swept = sweep(facts, stuck_logs, sets, guards, how, jobs=jobs)
        seen = Evidence(swept, sessions, bound.disturbed_by)
        return [seen.disturbed(n, sessions.of("stuck")) for n in range(len(sets))]

    split = (
        labelled_split((s, found.split) for s, found in sessions.sessions.items())
        if (sessions.has_split and folds_wanted is None)
        else None
    )
    all_ids = frozenset(sessions.sessions)
    chooses = frozenset(split.train) if split else all_ids
    repeats = () if split else _folds(sessions, folds_wanted)
    stuck = sessions.of("stuck")
    orders = tried.orders(
        catches, [chooses & stuck, *(frozenset(f.train) & stuck for f in repeats)]
    )
    numbers: dict[str, int] = {}
    sets: list[CandidateSet] = []
    for one in [tried.sets()[0], *(c for order in orders for c in order.sets)]:
        if _key(one) not in numbers:
            numbers[_key(one)] = len(sets)
            sets.append(one)
    evidence = Evidence(
        sweep(facts, chosen_logs, sets, guards, how, jobs=jobs), sessions, bound.disturbed_by
    )
    by_number = [[numbers[_key(one)] for one in order.sets] for order in orders]
    healthy, choosing = sessions.of("healthy") & chooses, stuck & chooses
    tested = judge(evidence, by_number[0], healthy, choosing, bound)
    chosen = best(tested)
    in_order = next((one for one in tested if one.number == 0), None)
    next_, next_healthy = next_candidate(tested, chosen, len(healthy), bound)
    needed = needed_sessions(tested, chosen, len(healthy), len(choosing), bound)
    return Derivation(
        feasible=chosen is not None,
        reason="" if chosen else _reason(tested, healthy, choosing, needed, bound.disturbed_by),
        bound=bound,
        sessions=sessions,
        healthy=healthy,
        stuck=choosing,
        tested=tuple(tested),
        steps=orders[0].steps,
        chosen=chosen,
        now=in_order or judge(evidence, [0], healthy, choosing, bound)[0],
        needed=needed,
        held_out=_held_out(evidence, sessions, chosen, split, repeats, by_number[1:], bound),
        guards_disturbed=_by_guard(evidence, chosen, guards, healthy),
        guards_caught=_by_guard(evidence, chosen, guards, choosing),
        next=next_,
        next_healthy=next_healthy,
        advisories_against_now=tuple(
            (evidence.tally(0, s).advised, evidence.tally(chosen.number, s).advised)
            for s in sorted(healthy)
        )
        if chosen
        else (),
    )


def _key(one: CandidateSet) -> str:
    return f"{one.name} {one.settings}"


def _folds(sessions: LabelledSessions, wanted: int | None) -> tuple[Fold, ...]:
    strata = sessions.outcomes()
    if wanted is not None:
        return folds(strata, wanted, strata)
    smallest = min(len(sessions.of("healthy")), len(sessions.of("stuck")))
    return folds(strata, FOLDS, strata) if smallest >= FOLDS else ()


def _by_guard(
    evidence: Evidence, chosen: Judged | None, guards: Sequence[str], sessions: Set[str]
) -> dict[str, int]:
    if chosen is None:
        return {}
    return {guard: len(evidence.by_guard(chosen.number, guard, sessions)) for guard in guards}


def _held_out(
    evidence: Evidence,
    sessions: LabelledSessions,
    chosen: Judged | None,
    split: Fold | None,
    repeats: Sequence[Fold],
    orders: Sequence[Sequence[int]],
    bound: Bound,
) -> HeldOut | None:
    answers: list[tuple[Judged | None, Fold]] = []
    if split is not None:
        answers = [(chosen, split)]
    for fold, order in zip(repeats, orders, strict=True):
        train = frozenset(fold.train)
        healthy, stuck = sessions.of("healthy") & train, sessions.of("stuck") & train
        answers.append((best(judge(evidence, order, healthy, stuck, bound)), fold))
    if not answers:
        return None
    counts = [0, 0, 0, 0]
    for answer, fold in answers:
        if answer is None:
            continue
        for place, outcome in _PLACES:
            test = frozenset(fold.test) & sessions.of(outcome)
            counts[place] += len(evidence.disturbed(answer.number, test))
            counts[place + 1] += len(test)
    found = sum(answer is not None for answer, _ in answers)
    return HeldOut("split" if split else "folds", len(answers), found, *counts)


def _reason(
    tested: Sequence[Judged],
    healthy: Set[str],
    stuck: Set[str],
    needed: Needed,
    disturbed_by: DisturbedBy,
) -> str:
    """Why there is no answer."""
    if not healthy and not stuck:
        return "no session labelled healthy or stuck can be judged"
    if not healthy:
        return "no session is labelled healthy, so nothing is known about disturbing them"
    if not stuck:
        return "no session is labelled stuck, so nothing is known about catching them"
    if not any(one.caught for one in tested):
        if disturbed_by == "gate":
            return (
                "no candidate stops a stuck session in its exact part (behind advice nothing is "
                "exact: count advice too, or switch it off, as in --set rtb.warnAt=null)"
            )
        return "no candidate catches a stuck session"
    if needed.healthy is None:
        return "every candidate that catches a stuck session disturbs too many healthy ones"
    if any(one.certified for one in tested):
        return "nothing that is shown to keep the bound catches a stuck session"
    count = len(healthy)
    few = "1 healthy session is" if count == 1 else f"{count} healthy sessions are"
    return f"{few} too few to show that this bound is kept"
