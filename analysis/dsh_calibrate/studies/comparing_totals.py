"""A comparison summed up: per guard what each side does, and tests on the same sessions.

Logs that were read whole make the totals; damaged ones are compared up to the damage and stand
in the list of changes alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dsh_calibrate.calibrate.paired import PairedTest, mcnemar, sign_test
from dsh_calibrate.studies.comparing import Change, GuardCounts, LogComparison

KINDS = ("only_a", "only_b", "verdict", "measure", "figures")
Counts = dict[str, int]

_STOPS = ("ask", "deny", "fire")


@dataclass(frozen=True, slots=True)
class Paired:
    """Both sides' figures, all or exact alone, and the tests of their difference.

    ``a`` and ``b`` count decisions by verdict and sessions; ``tests`` are keyed
    ``sessions_advised`` and ``sessions_gated`` (McNemar), ``advice`` and ``stops`` (sign test
    on the counts of each session). All tests are exact, two-sided, per session.
    """

    a: Counts
    b: Counts
    tests: dict[str, PairedTest]


@dataclass(frozen=True, slots=True)
class GuardTotals:
    """One guard over the logs that were read and in which it had something to look at.

    ``changed`` counts places by :data:`KINDS`; refusals of the shell-HTTP block are apart in
    ``refusals``: those of one side alone, and how many of them name a mechanism.
    """

    guard: str
    logs: int
    whole: Paired
    exact: Paired
    changed: Counts
    refusals: Counts


def totals(found: Sequence[LogComparison]) -> dict[str, GuardTotals]:
    """Per guard that both sides replay."""
    read = [c for c in found if c.coverage.status == "read"]
    guards = list(found[0].counts_a) if found else []
    return {guard: _guard(guard, read) for guard in guards}


def _guard(guard: str, read: Sequence[LogComparison]) -> GuardTotals:
    tracked = [c for c in read if c.counts_a[guard].tracked or c.counts_b[guard].tracked]
    changes = [change for c in read for change in c.changes if change.guard == guard]
    places = [c for c in changes if not c.is_refusal]
    refusals = [c for c in changes if c.is_refusal]
    return GuardTotals(
        guard=guard,
        logs=len(tracked),
        whole=_paired(guard, tracked, lambda counts: counts.all),
        exact=_paired(guard, tracked, lambda counts: counts.exact),
        changed={kind: sum(c.kind == kind for c in places) for kind in KINDS},
        refusals=_refusals(refusals),
    )


def _paired(
    guard: str, logs: Sequence[LogComparison], part: Callable[[GuardCounts], Counts]
) -> Paired:
    pairs = [(part(c.counts_a[guard]), part(c.counts_b[guard])) for c in logs]
    return Paired(
        a=_side([a for a, _ in pairs]),
        b=_side([b for _, b in pairs]),
        tests={
            "sessions_advised": mcnemar((bool(a["advise"]), bool(b["advise"])) for a, b in pairs),
            "sessions_gated": mcnemar((bool(_stops(a)), bool(_stops(b))) for a, b in pairs),
            "advice": sign_test((a["advise"], b["advise"]) for a, b in pairs),
            "stops": sign_test((_stops(a), _stops(b)) for a, b in pairs),
        },
    )


def _stops(counts: Counts) -> int:
    return sum(counts[verdict] for verdict in _STOPS)


def _side(logs: Sequence[Counts]) -> Counts:
    names = ("advise", "ask", "approved", "deny", "refuse", "fire")
    found = {name: sum(counts[name] for counts in logs) for name in names}
    found["sessions_advised"] = sum(bool(counts["advise"]) for counts in logs)
    found["sessions_gated"] = sum(bool(_stops(counts)) for counts in logs)
    found["sessions_refused"] = sum(bool(counts["refuse"]) for counts in logs)
    return found


def _refusals(changes: Sequence[Change]) -> Counts:
    alone = {side: [c for c in changes if c.kind == side] for side in ("only_a", "only_b")}
    return {
        **{side: len(found) for side, found in alone.items()},
        **{
            f"{side}_naming_mechanism": sum(bool(c.names_mechanism) for c in found)
            for side, found in alone.items()
        },
    }
