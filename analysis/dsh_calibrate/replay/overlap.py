"""Which guards would have spoken or stopped in the same sessions, and which first.

A guard has *caught* a session or a lifecycle when it spoke or stopped there at least once.
What the block would refuse in mode ``measure`` is told apart and does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.outcome import Figures, LogOutcome
from dsh_calibrate.replay.plan import GUARDS


def overlap(outcomes: Iterable[LogOutcome], guards: tuple[str, ...]) -> Figures:
    """The ``overlap`` subtree of contract.md 5: by session and by lifecycle.

    Each holds ``caught`` per guard, ``pairs`` (``rtb+tfb``), ``only`` (by no other guard),
    ``first`` (who was first; guards that were first on the same line share it under
    ``rtb+tfb``) and ``any`` (by at least one).
    """
    order = [g for g in GUARDS if g in guards]
    sessions: list[list[Decision]] = []
    lifecycles: list[list[Decision]] = []
    for outcome in outcomes:
        spoken = [d for d in outcome.decisions if _counts(d)]
        if not spoken:
            continue
        sessions.append(spoken)
        numbers = sorted({d.lifecycle for d in spoken})
        lifecycles.extend([d for d in spoken if d.lifecycle == n] for n in numbers)
    return {"sessions": _matrix(sessions, order), "lifecycles": _matrix(lifecycles, order)}


def _counts(decision: Decision) -> bool:
    return decision.verdict != "refuse" or not decision.ran


def _matrix(groups: list[list[Decision]], order: list[str]) -> Figures:
    caught: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    only: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for group in groups:
        guards = [g for g in order if any(d.guard == g for d in group)]
        caught.update(guards)
        pairs.update(f"{a}+{b}" for a, b in combinations(guards, 2))
        if len(guards) == 1:
            only[guards[0]] += 1
        line = min(d.line for d in group)
        first[
            "+".join(g for g in order if any(d.guard == g and d.line == line for d in group))
        ] += 1
    return {
        "any": len(groups),
        "caught": {g: caught[g] for g in order},
        "pairs": {f"{a}+{b}": pairs[f"{a}+{b}"] for a, b in combinations(order, 2)},
        "only": {g: only[g] for g in order},
        "first": {name: first[name] for name in sorted(first)},
    }
