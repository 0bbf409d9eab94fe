"""The stream stripped once, to be looked at through any window (for measuring, not judging)."""

from __future__ import annotations

import numpy as np

from dsh_calibrate.guards.reasoning_loop.stripping import strip_in_lines_counted


class StrippedLines:
    """A unit string stripped save for its newlines, and where each of its units went.

    ``kept`` is how many units of the stream stay within reach at least. Offsets are those
    of the raw stream. A window must not part a surrogate pair: then half of it stays, which
    only stripping the window itself can tell.
    """

    __slots__ = ("_before", "_kept", "_lined", "_offset")

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._offset = 0
        self._lined = ""
        self._before = np.zeros(1, dtype=np.int64)

    def extend(self, units: str) -> None:
        """Append what is new of the stream; it parts no pair from what came before."""
        self._trim()
        lined, left = strip_in_lines_counted(units)
        self._before = np.concatenate((self._before, left[1:] + self._before[-1]))
        self._lined += lined

    def between(self, start: int, end: int) -> str:
        """What is left of the stream from ``start`` up to ``end``, newlines included."""
        before, offset = self._before, self._offset
        return self._lined[before[start - offset] : before[end - offset]]

    def _trim(self) -> None:
        excess = len(self._before) - 1 - self._kept
        if excess > self._kept:
            gone = self._before[excess]
            self._before = self._before[excess:] - gone
            self._lined = self._lined[gone:]
            self._offset += excess
