"""Sets that no other set beats in everything at once."""

from __future__ import annotations

from collections.abc import Sequence


def frontier(costs: Sequence[tuple[float, ...]]) -> list[int]:
    """Positions of the costs that no other one dominates; less is better in every part.

    One dominates another when it is nowhere worse and somewhere better; equals both stay.
    """
    return [
        place
        for place, mine in enumerate(costs)
        if not any(_dominates(other, mine) for other in costs)
    ]


def _dominates(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
