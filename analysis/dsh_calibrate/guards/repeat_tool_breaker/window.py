"""The sliding window of one agent, with counts kept up to date (guards.md 1.5)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence


class Window:
    """The last ``size`` committed records and how often each fingerprint stands in them.

    A record is the fingerprints one call committed. Records of allowed calls hold each
    fingerprint once; a stopped call that hit on both tracks at once leaves its fingerprint
    twice, and it counts twice, as in the live guard.
    """

    __slots__ = ("_counts", "_records", "_size")

    def __init__(self, size: int) -> None:
        self._size = size
        self._records: deque[Sequence[str]] = deque()
        self._counts: dict[str, int] = {}

    def next(self, fingerprint: str) -> int:
        """Return the occurrences of ``fingerprint`` including a call that is about to run."""
        return self._counts.get(fingerprint, 0) + 1

    def nexts(self, fingerprints: Sequence[str]) -> list[int]:
        """Return :meth:`next` of each fingerprint, in order."""
        counts = self._counts
        return [counts.get(fingerprint, 0) + 1 for fingerprint in fingerprints]

    def commit(self, record: Sequence[str]) -> None:
        """Push one record; an empty one is not pushed. The oldest falls out when full."""
        if not record:
            return
        counts = self._counts
        if len(self._records) == self._size:
            for fingerprint in self._records.popleft():
                left = counts[fingerprint] - 1
                if left:
                    counts[fingerprint] = left
                else:
                    del counts[fingerprint]
        self._records.append(record)
        for fingerprint in record:
            counts[fingerprint] = counts.get(fingerprint, 0) + 1

    def clear(self) -> None:
        """Forget everything (a human message)."""
        self._records.clear()
        self._counts.clear()

    def counts(self) -> dict[str, int]:
        """Return a copy of the occurrences per fingerprint (none is 0)."""
        return dict(self._counts)

    def __iter__(self) -> Iterator[Sequence[str]]:
        """Iterate over the records, oldest first."""
        return iter(self._records)

    def __len__(self) -> int:
        return len(self._records)
