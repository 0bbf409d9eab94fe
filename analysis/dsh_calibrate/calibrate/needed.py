"""How many more labelled sessions an answer would take.

An honest "no" names its price: so many more healthy sessions before a risk can be certified,
so many more stuck ones before a catch rate can.
"""

from __future__ import annotations

from dsh_calibrate.calibrate.risk import check_share, p_value

MOST_SESSIONS = 100_000
"""Past this many sessions the answer is ``None``: it would not help anybody."""


def healthy_if_quiet(
    disturbed: int, of: int, alpha: float, delta: float, tests: int = 1
) -> int | None:
    """How many more healthy sessions, none of them disturbed, certify a risk ≤ ``alpha``.

    0 when ``disturbed`` of ``of`` is enough already. ``tests`` is the number of candidates
    that share ``delta`` (Bonferroni), 1 for a fixed sequence.
    """
    size = _smallest(disturbed, of, alpha, _level(delta, tests))
    return None if size is None else size - of


def stuck_if_caught(caught: int, of: int, share: float, delta: float, tests: int = 1) -> int | None:
    """How many more stuck sessions, all of them caught, show a catch rate ≥ ``share``."""
    check_share("share", share)
    return healthy_if_quiet(of - caught, of, 1 - share, delta, tests)


def _level(delta: float, tests: int) -> float:
    check_share("delta", delta)
    return delta / max(tests, 1)


def _smallest(disturbed: int, start: int, alpha: float, level: float) -> int | None:
    """The smallest number of sessions ≥ ``start`` of which ``disturbed`` still certify.

    More sessions with as many disturbed ones only lower the p-value, so bisection is exact.
    """

    def enough(size: int) -> bool:
        return p_value(disturbed, size, alpha) <= level

    if enough(start):
        return start
    low, high = start, max(2 * start, 16)
    while not enough(high):
        if high >= MOST_SESSIONS:
            return None
        low, high = high, min(2 * high, MOST_SESSIONS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
