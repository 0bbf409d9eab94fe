"""Delta debugging: a small part of a list that still passes a test."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def ddmin(items: Sequence[Item], passes: Callable[[list[Item]], bool]) -> list[Item]:
    """A part of ``items``, in order, that passes; no single further item can be left out.

    ``passes`` must hold for all of ``items``. Always the same for the same test; at worst
    quadratic in tests, usually close to logarithmic in what can go.
    """
    kept = list(items)
    if kept and passes([]):
        return []
    parts = 2
    while len(kept) > 1:
        size = -(-len(kept) // parts)
        for start in range(0, len(kept), size):
            rest = kept[:start] + kept[start + size :]
            if rest and passes(rest):
                kept = rest
                parts = max(parts - 1, 2)
                break
        else:
            if parts >= len(kept):
                break
            parts = min(2 * parts, len(kept))
    return kept
