"""Memory of what a log may never finish (calls without a result, streaks), within bounds.

A live guard keeps all of it. A log that opens things without end and closes none must not
fill the memory: beyond a number that no session reaches, the older half is forgotten.
"""

from __future__ import annotations

from itertools import islice
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

MOST = 20_000
"""Entries kept at most, unless the caller says otherwise."""


def remember(entries: dict[K, V], key: K, value: V, most: int = MOST) -> None:
    """Enter ``value``; forget the older half of ``entries`` when they become too many."""
    entries[key] = value
    if len(entries) > most:
        for old in list(islice(entries, most // 2)):
            del entries[old]
