"""Rule 2, block-repeat: one block of ``blockMin`` stripped units occurs several times."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dsh_calibrate.guards.reasoning_loop.config import Config

if TYPE_CHECKING:  # numpy's typing takes long to import
    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]

_RADIX = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class BlockRepeat(NamedTuple):
    """``occurrences`` (overlaps counted) of the block that starts at ``start``."""

    occurrences: int
    start: int


def measure(stripped: str, config: Config) -> BlockRepeat:
    """Return the most frequent block, the first to reach its count (0: text too short).

    Equal blocks have equal hashes, so only blocks whose hash occurs twice are compared.
    """
    size = config.block_min
    blocks = len(stripped) - size + 1
    if blocks < 1:
        return BlockRepeat(0, 0)
    hashes = _block_hashes(stripped, size)
    order = np.argsort(hashes)
    ordered = hashes[order]
    twin = ordered[1:] == ordered[:-1]
    if not twin.any():
        return BlockRepeat(1, 0)
    repeated = np.zeros(blocks, dtype=np.bool_)
    repeated[order[1:][twin]] = True
    repeated[order[:-1][twin]] = True
    starts = np.flatnonzero(repeated).tolist()
    counts = Counter(stripped[start : start + size] for start in starts)
    best = max(counts.values())
    if best == 1:
        return BlockRepeat(1, 0)
    so_far: Counter[str] = Counter()
    for start in starts:
        block = stripped[start : start + size]
        so_far[block] += 1
        if so_far[block] == best:
            return BlockRepeat(best, start)
    raise AssertionError("the highest count is always reached")


def is_looked_at(stripped: str, config: Config) -> bool:
    """Tell whether the stripped window is long enough for the rule to be judged at all."""
    return len(stripped) >= config.block_min * config.block_count


def preview(stripped: str, repeat: BlockRepeat, config: Config) -> str:
    """Return the block that repeats."""
    return stripped[repeat.start : repeat.start + config.block_min]


def _block_hashes(text: str, size: int) -> Words:
    """Return a 64-bit polynomial hash of every block, comparable across positions."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2").astype(np.uint64)
    powers, inverses = _powers(1 << len(text).bit_length())
    sums = np.zeros(len(text) + 1, dtype=np.uint64)
    np.cumsum(units * powers[: len(text)], out=sums[1:])
    blocks = len(text) - size + 1
    return (sums[size:] - sums[:blocks]) * inverses[:blocks]


@lru_cache(maxsize=8)
def _powers(count: int) -> tuple[Words, Words]:
    """Return the powers of the radix modulo 2^64 and their inverses."""
    return _geometric(_RADIX, count), _geometric(pow(_RADIX, -1, 1 << 64), count)


def _geometric(radix: int, count: int) -> Words:
    value = 1
    values = []
    for _ in range(count):
        values.append(value)
        value = value * radix & _MASK
    return np.array(values, dtype=np.uint64)
