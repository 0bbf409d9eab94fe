"""Python's search for reference cycles, while many short-lived objects are made."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_ALLOCATIONS = 100_000


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Search for cycles only every 100,000 containers instead of every 700.

    What a replay allocates per line holds no cycles and is freed at once; looking through
    it again and again takes a tenth of the time. The setting before is put back.
    """
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], _ALLOCATIONS) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
