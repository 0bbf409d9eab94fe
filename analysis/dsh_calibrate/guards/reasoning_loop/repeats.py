"""Skipping test of block-repeat and kgram-repeat: no long block recurs.

Both rules need one block of at least ``size`` stripped units to occur ``count`` times
within a window. The stream is sampled by its own content: a position is taken when a hash
of its next 8 units is high (one in eight). Where no position is taken for ``reach`` units,
all of them are. Either way, what is taken inside a block depends on the block alone, and
at least one of its first ``reach`` positions is: every occurrence of a block gives the
same sample at the same place. So a sample (a hash of ``size - reach + 1`` units) that
occurs less than ``count`` times within a window proves that no block does. Hashes that
collide can only raise a false suspicion, which the rules themselves then clear up.

Little text at a time is not worth arrays: then the stretch of ``sample`` units at every
``reach``-th offset is searched in the text before it. The last of a block's occurrences
holds one such stretch, and the others hold it, too.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:  # numpy's typing takes long to import
    import numpy.typing as npt

    Words = npt.NDArray[np.uint64]
    Places = npt.NDArray[np.int64]

SHORTEST = 24
"""Blocks below this length recur in any prose: then there is nothing to gain."""

_FIRST = np.uint64(0x9E3779B97F4A7C15)
_SECOND = np.uint64(0xC2B2AE3D27D4EB4F)
_THIRD = np.uint64(0xD6E8FEB86659FD93)
_TAKEN_ABOVE = np.uint64(7 << 61)
_BEFORE = np.array((-1,), dtype=np.int64)
_LITTLE = 700  # units; below, searching is faster than arrays
_KEY = 8  # units that decide whether a position is taken


class RepeatIndex:
    """Finds blocks of ``size`` units that occur ``count`` times within ``window`` units.

    Offsets are those of the stripped stream. Only what was appended is looked at.
    """

    __slots__ = (
        "_count", "_deep_until", "_done", "_ends", "_grams", "_near", "_next", "_places", "_reach",
        "_sample", "_search_from", "_searched_ends", "_searched_starts", "_starts", "_window",
    )  # fmt: skip

    def __init__(self, size: int, count: int, window: int) -> None:
        self._sample = size // 2
        self._reach = size - self._sample + 1
        self._count = count
        self._window = window
        self._done = 0  # all before was looked at, one way or the other
        self._near = window // (count - 1)  # two of the occurrences are no farther apart
        self._deep_until = 0  # up to this offset whole windows are searched
        self._search_from = 0  # the first offset whose stretch a search has not seen
        self._next = 0  # the first offset that is not settled in the samples
        self._grams: Words = np.empty(0, dtype=np.uint64)
        self._places: Places = np.empty(0, dtype=np.int64)
        self._ends: list[int] = []  # where a sample occurs for the count-th time, ascending
        self._starts: list[int] = []  # the latest start of the first of those so far
        self._searched_ends: list[int] = []  # the same, found by searching
        self._searched_starts: list[int] = []

    def extend(self, stripped: str, offset: int) -> None:
        """Take what is new in ``stripped``, whose first unit is unit ``offset``.

        At least a window of what was taken before has to be there still.
        """
        end = offset + len(stripped)
        if end - self._done < _LITTLE:
            self._search(stripped, offset)
        else:
            if self._next < self._done - self._window:
                self._next = max(offset, self._done - self._window)
            self._index(stripped, offset)
            # A block that begins here and ends in what comes next is new to a search.
            self._search_from = max(0, end - self._sample - self._reach)
            self._deep_until = end + self._window
        self._done = end

    def _search(self, stripped: str, offset: int) -> None:
        """Look for each new stretch in what comes before it.

        Of ``count`` occurrences within a window two neighbours lie near each other. Only
        where such a pair was found, or was not looked for, is the whole window searched.
        """
        sample, reach = self._sample, self._reach
        place = self._search_from + -self._search_from % reach
        starts = range(place - offset, len(stripped) - sample + 1, reach)
        self._search_from = place + len(starts) * reach
        for start in starts:
            stretch = stripped[start : start + sample]
            last = start + sample - 1
            back = self._window if start + offset < self._deep_until else self._near
            found = stripped.rfind(stretch, max(0, start - back), last)
            if found < 0:
                continue
            self._deep_until = max(self._deep_until, found + offset + self._window)
            first = max(0, start - self._window)
            for _ in range(self._count - 2):
                found = stripped.rfind(stretch, first, found + sample - 1)
                if found < 0:
                    break
            else:
                known = self._searched_starts[-1] if self._searched_starts else 0
                self._searched_ends.append(start + sample + offset)
                self._searched_starts.append(max(known, found + offset))

    def _index(self, stripped: str, offset: int) -> None:
        """Sample all that is not settled, and compare it with the samples of the window."""
        base = self._next
        text = stripped[base - offset :]
        usable = len(text) - self._sample + 1
        if usable < 1:
            return
        hashes = _hashes(text)
        taken = self._take(hashes[:usable])
        if not len(taken):
            return
        grams = hashes[taken]
        for step in range(_KEY, self._sample - _KEY + 1, _KEY):
            grams *= _THIRD
            grams += hashes[taken + step]
        first = self._places.searchsorted(base - self._window)
        self._grams = np.concatenate((self._grams[first:], grams))
        self._places = np.concatenate((self._places[first:], taken + base))
        ordered = np.sort(self._grams)
        if (ordered[self._count - 1 :] == ordered[: 1 - self._count]).any():
            self._collect()

    def may_hold(self, end: int) -> bool:
        """Tell whether a block may occur ``count`` times in the window that ends at ``end``."""
        for ends, starts in (
            (self._ends, self._starts),
            (self._searched_ends, self._searched_starts),
        ):
            known = bisect_right(ends, end)
            if known and starts[known - 1] >= end - self._window:
                return True
        return False

    def _take(self, hashes: Words) -> Places:
        """Return the positions to take among the unsettled ones, and settle what can be."""
        high = np.flatnonzero(hashes > _TAKEN_ABOVE)
        edges = np.concatenate((_BEFORE, high, (len(hashes),)))
        gaps = np.diff(edges) - 1
        long = gaps >= self._reach
        taken: Places = high
        if long.any():
            is_taken = np.repeat(long, gaps + 1)[: len(hashes)]
            is_taken[high] = True
            taken = np.flatnonzero(is_taken)
        if len(taken):
            self._next += int(taken[-1]) + 1
        return taken

    def _collect(self) -> None:
        """Find the samples that occur often enough, closely enough."""
        order = np.argsort(self._grams, kind="stable")
        grams, places = self._grams[order], self._places[order]
        apart = self._count - 1
        first, last = places[:-apart], places[apart:]
        close = (grams[:-apart] == grams[apart:]) & (last - first <= self._window)
        found = sorted(
            zip((last[close] + self._sample).tolist(), first[close].tolist(), strict=True)
        )
        self._ends = [end for end, _ in found]
        self._starts = list(accumulate((start for _, start in found), max))


def _hashes(text: str) -> Words:
    """Return a hash of the 8 units that start at each position of a unit string."""
    data = text.encode("utf-16-le", "surrogatepass")
    words: Words = np.ndarray((len(text) - 3,), "<u8", data, strides=(2,))
    return words[:-4] * _FIRST + words[4:] * _SECOND
