"""What the replay of one log gives: plain, picklable, mergeable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.events import Header
from dsh_calibrate.replay.counterfactuals import Counterfactual
from dsh_calibrate.replay.decision import Decision

Figures: TypeAlias = "dict[str, int | Figures]"
"""Counts, nested by name. Merging two adds the leaves (:func:`add_figures`)."""


@dataclass(frozen=True, slots=True)
class GuardOutcome:
    """One guard on one log.

    ``tracked`` is how many calls it looks at (rlg: reasoning streams): a log with none is in
    no denominator. ``figures`` are the upper bound over the whole log, ``exact`` the same
    counts over what the live guard would have done precisely (contract.md 4).
    """

    guard: str
    tracked: int
    decisions: tuple[Decision, ...]
    figures: Figures
    exact: Figures
    counterfactual: Counterfactual = field(default_factory=Counterfactual)


@dataclass(frozen=True, slots=True)
class LogOutcome:
    """One log replayed: who it is, how much of it could be read, what every guard did.

    ``digest`` is the BLAKE2b of the stored bytes, ``path`` where the file lies.
    """

    log: str
    coverage: LogCoverage
    header: Header | None
    totals: Figures
    guards: dict[str, GuardOutcome] = field(default_factory=dict)
    digest: str = ""
    path: str = ""

    @property
    def decisions(self) -> list[Decision]:
        """The decisions of all guards, by the line where each happened."""
        found = [d for outcome in self.guards.values() for d in outcome.decisions]
        return sorted(found, key=lambda d: (d.line, d.seq))


def add_figures(total: Figures, part: Figures) -> None:
    """Add the leaves of ``part`` to those of ``total``, in place."""
    for name, value in part.items():
        if isinstance(value, dict):
            below = total.setdefault(name, {})
            assert isinstance(below, dict)
            add_figures(below, value)
        else:
            before = total.get(name, 0)
            assert isinstance(before, int)
            total[name] = before + value
