"""In which order rungs of ladders are tried, and why that order may look at stuck sessions.

Only healthy sessions judge a candidate's risk, so an order drawn from thresholds and stuck
sessions alone was decided without them. All ladders start on their quietest rung. The next
step is always the rung, the lowest on its ladder, that catches a stuck session not yet caught:
a rung that catches nothing new is skipped, it could only disturb. When nothing more can be
caught, ladders that are still quieter than the settings in force go back to them one by one,
those that catch the least first, so that nothing is changed that need not be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from dsh_calibrate.calibrate.deriving_ladders import Ladder, State

Catches = Mapping[State, Set[str]]
"""The stuck sessions caught in a state."""


def start(all_ladders: Sequence[Ladder]) -> State:
    """Every ladder on its quietest rung."""
    return (0,) * len(all_ladders)


def single_steps(all_ladders: Sequence[Ladder]) -> list[State]:
    """The start, and every rung of every ladder with the others on their quietest."""
    quiet = start(all_ladders)
    return [
        quiet,
        *(
            _moved(quiet, place, rung)
            for place, ladder in enumerate(all_ladders)
            for rung in range(1, len(ladder.rungs))
        ),
    ]


def path(all_ladders: Sequence[Ladder], catches: Catches, stuck: Set[str]) -> list[State]:
    """The states to test, in order; ``catches`` holds those of :func:`single_steps`.

    ``stuck`` are the sessions that may be looked at.
    """
    state = start(all_ladders)
    found = [state]
    covered = catches[state] & stuck
    moved: set[int] = set()
    while step := _next(all_ladders, catches, stuck, state, covered):
        place, rung = step
        covered |= catches[_moved(start(all_ladders), place, rung)] & stuck
        state = _moved(state, place, rung)
        moved.add(place)
        found.append(state)
    quiet = start(all_ladders)

    def heard(place: int) -> int:
        """How many stuck sessions the ladder adds on its rung in force, alone."""
        alone = catches[_moved(quiet, place, all_ladders[place].at)]
        return len((alone - catches[quiet]) & stuck)

    for place in sorted(range(len(all_ladders)), key=lambda p: (p in moved, heard(p), p)):
        if state[place] < all_ladders[place].at:
            state = _moved(state, place, all_ladders[place].at)
            found.append(state)
    return found


def _next(
    all_ladders: Sequence[Ladder],
    catches: Catches,
    stuck: Set[str],
    state: State,
    covered: Set[str],
) -> tuple[int, int] | None:
    """The lowest rung (as a share of its ladder) that catches something new."""
    best: tuple[tuple[float, int, int], tuple[int, int]] | None = None
    quiet = start(all_ladders)
    for place, ladder in enumerate(all_ladders):
        for rung in range(state[place] + 1, len(ladder.rungs)):
            new = (catches[_moved(quiet, place, rung)] & stuck) - covered
            if new:
                rank = (rung / (len(ladder.rungs) - 1), -len(new), place)
                if best is None or rank < best[0]:
                    best = rank, (place, rung)
                break
    return None if best is None else best[1]


def _moved(state: State, place: int, rung: int) -> State:
    return (*state[:place], rung, *state[place + 1 :])
