"""Where the candidates of a derivation come from, and in which order they are tested."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from dsh_calibrate.calibrate.candidates import CandidateSet, Rows, in_force
from dsh_calibrate.calibrate.deriving_ladders import Ladder, State, at_state, ladders, steps
from dsh_calibrate.calibrate.deriving_path import path, single_steps
from dsh_calibrate.calibrate.strictness import DisturbedBy, quietest_first
from dsh_calibrate.errors import UsageError

Catches: TypeAlias = Callable[[list[CandidateSet]], list[frozenset[str]]]
"""Tells the stuck sessions that each of some candidates catches."""


@dataclass(frozen=True, slots=True)
class Order:
    """Candidates in the order of their tests.

    ``steps`` say for people what each is: its name, or what it changes in the one before.
    """

    sets: tuple[CandidateSet, ...]
    steps: tuple[str, ...]


class Tried(Protocol):
    """Where candidates come from, and in which order they are tested."""

    @property
    def guards(self) -> tuple[str, ...]:
        """The guards that are judged, together."""

    def sets(self) -> list[CandidateSet]:
        """All candidates that may be needed, for measuring; the settings in force first."""

    def orders(self, catches: Catches, trains: Sequence[Set[str]]) -> list[Order]:
        """One order for every set of stuck sessions that may be looked at."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Candidates that the user names, quietest first (or, ``as_given``, in their order)."""

    given: Sequence[CandidateSet]
    now: CandidateSet
    guards: tuple[str, ...]
    disturbed_by: DisturbedBy = "any"
    as_given: bool = False

    def sets(self) -> list[CandidateSet]:
        """All of them."""
        return [self.now, *self.given]

    def orders(self, catches: Catches, trains: Sequence[Set[str]]) -> list[Order]:
        """The same order whatever was caught."""
        del catches
        sets = list(self.given)
        if not self.as_given:
            sets = quietest_first(sets, self.guards, self.disturbed_by)
        order = Order(tuple(sets), tuple(one.name for one in sets))
        return [order for _ in trains]


class Ladders:
    """The default candidates: ladders around the settings in force."""

    def __init__(
        self, rows: Rows, profile: str, guards: tuple[str, ...], disturbed_by: DisturbedBy = "any"
    ) -> None:
        self.guards = guards
        self.ladders: tuple[Ladder, ...] = ladders(rows, profile, guards, disturbed_by)
        if not self.ladders:
            raise UsageError(
                "no threshold of the selected guards can disturb anybody here: select other "
                "guards with --guard, or count advice too (--disturbed-by any)"
            )
        self._rows, self._profile = rows, profile
        self._steps = single_steps(self.ladders)

    def sets(self) -> list[CandidateSet]:
        """The settings in force and every single step."""
        return [in_force(self._rows, self._profile), *map(self._at, self._steps)]

    def orders(self, catches: Catches, trains: Sequence[Set[str]]) -> list[Order]:
        """One path for each; see :mod:`.deriving_path`."""
        caught = dict(zip(self._steps, catches([self._at(s) for s in self._steps]), strict=True))
        paths = [path(self.ladders, caught, train) for train in trains]
        return [
            Order(tuple(map(self._at, states)), tuple(steps(self.ladders, states)))
            for states in paths
        ]

    def _at(self, state: State) -> CandidateSet:
        return at_state(self.ladders, state, self._rows, self._profile)
