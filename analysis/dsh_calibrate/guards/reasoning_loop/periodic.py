"""Rule 1, periodic-run: the stripped tail ends in equal consecutive units."""

from __future__ import annotations

from typing import NamedTuple

from dsh_calibrate.guards.reasoning_loop.config import Config


class PeriodicRun(NamedTuple):
    """``units`` consecutive copies of the last ``period`` units of the text (0: too short)."""

    units: int
    period: int


def measure(tail: str, config: Config) -> PeriodicRun:
    """Return the longest run of equal units at the end of a stripped tail.

    Periods go from ``minPeriod`` to ``maxPeriod`` while two of them fit; most units win,
    ties keep the shorter period. Only distances at which the last ``minPeriod`` units
    occur again can be a period of two units or more, so a search finds the candidates.
    """
    end = len(tail)
    shortest = config.min_period
    longest = min(config.max_period, end // 2)
    if longest < shortest:
        return PeriodicRun(0, 0)
    best = PeriodicRun(1, shortest)
    key = tail[end - shortest :]
    limit = end - shortest  # an occurrence of the key must end here or earlier
    first = end - longest - shortest
    while (found := tail.rfind(key, first, limit)) >= 0:
        period = end - shortest - found
        if end // period <= best.units:
            break  # this and every longer period fit too seldom to win
        units = _count_units(tail, period)
        if units > best.units:
            best = PeriodicRun(units, period)
        limit = found + shortest - 1
    return best


def preview(tail: str, run: PeriodicRun) -> str:
    """Return the unit that repeats."""
    return tail[len(tail) - run.period :]


class Probe:
    """Skipping test: can ``minUnits`` units end here? Never wrongly says no.

    With ``minUnits`` units of period p the last ``p x (minUnits - 1)`` units occur again p
    earlier. The shortest such tail is searched at the distances that can be periods. One
    unit less is taken, because the first unit of the real tail may be half of a pair that
    is stripped here as a whole.
    """

    __slots__ = ("_reach", "_shortest", "_size")

    def __init__(self, config: Config) -> None:
        self._shortest = config.min_period
        self._size = config.min_period * (config.min_units - 1) - 1
        farthest = min(config.max_period, config.period_tail // config.min_units)
        self._reach = farthest + self._size

    def may_hold(self, stripped: str, end: int) -> bool:
        """Tell for the stripped stream up to offset ``end``."""
        start = end - self._size
        if start <= 0:
            return True
        first = end - self._reach
        tail = stripped[start:end]
        return stripped.find(tail, first if first > 0 else 0, end - self._shortest) >= 0


def _count_units(tail: str, period: int) -> int:
    end = len(tail)
    unit = tail[end - period :]
    units = 1
    start = end - 2 * period
    while start >= 0 and tail.startswith(unit, start):
        units += 1
        start -= period
    return units
