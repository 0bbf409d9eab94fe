"""What would change an answer: how many more labelled sessions, or which candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_calibrate.calibrate.deriving_choice import Bound, Judged
from dsh_calibrate.calibrate.intervals import lower_bound
from dsh_calibrate.calibrate.needed import healthy_if_quiet, stuck_if_caught

CATCH_SHARE = 0.5
"""``needed.stuck`` asks for this catch rate, with the confidence of the bound."""


@dataclass(frozen=True, slots=True)
class Needed:
    """How many more labelled sessions an answer would take at the least.

    ``healthy``: none of them disturbed, until the bound can hold; ``None`` when the sessions
    say that it does not. ``stuck``: all of them caught, until half of all stuck sessions are
    caught with the confidence of the bound; ``None`` past 100,000.
    """

    healthy: int | None
    stuck: int | None


def needed_sessions(
    tested: Sequence[Judged], chosen: Judged | None, healthy: int, stuck: int, bound: Bound
) -> Needed:
    """The price of an answer from ``healthy`` and ``stuck`` sessions."""
    most = len(chosen.caught) if chosen else max((len(one.caught) for one in tested), default=0)
    more_stuck = stuck_if_caught(most, stuck, CATCH_SHARE, bound.delta)
    if chosen is not None:
        return Needed(0, more_stuck)
    tests = tests_of(tested, bound)
    wanted = [one for one in tested if one.caught or not stuck]
    if not wanted:
        fewest = min(len(one.disturbed) for one in tested)
        return Needed(
            healthy_if_quiet(fewest, healthy, bound.alpha, bound.delta, tests), more_stuck
        )
    prices = [_price(tested, one, healthy, bound) for one in wanted]
    payable = [price for price in prices if price is not None]
    return Needed(min(payable, default=None), more_stuck)


def next_candidate(
    tested: Sequence[Judged], chosen: Judged | None, healthy: int, bound: Bound
) -> tuple[Judged | None, int | None]:
    """The first candidate that is not certified and catches more, and its price in sessions."""
    caught = len(chosen.caught) if chosen else 0
    found = next((t for t in tested if not t.certified and len(t.caught) > caught), None)
    return found, None if found is None else _price(tested, found, healthy, bound)


def tests_of(tested: Sequence[Judged], bound: Bound) -> int:
    """How many tests share ``delta``."""
    return len(tested) if bound.method == "bonferroni" else 1


def _price(tested: Sequence[Judged], one: Judged, healthy: int, bound: Bound) -> int | None:
    """Quiet healthy sessions until ``one`` and all in front of it are certified.

    ``None`` when one of them breaks the bound with the very confidence that the bound asks for:
    then it is no matter of too few sessions.
    """
    tests = tests_of(tested, bound)
    front = [one] if bound.method == "bonferroni" else tested[: tested.index(one) + 1]
    most = 0
    for each in front:
        count = len(each.disturbed)
        if lower_bound(count, healthy, 1 - bound.delta) > bound.alpha:
            return None
        price = healthy_if_quiet(count, healthy, bound.alpha, bound.delta, tests)
        if price is None:
            return None
        most = max(most, price)
    return most
