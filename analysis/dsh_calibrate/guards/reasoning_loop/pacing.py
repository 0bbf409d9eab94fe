"""When the guard judges: after a piece that carries the stream to the next mark."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.stripping import length


class Segment(NamedTuple):
    """The text that arrived since the previous judge point.

    ``piece`` is the index (in the call) of the piece after which is judged, ``total`` the
    UTF-16 length of the stream there.
    """

    piece: int
    text: str
    total: int


class Pacer:
    """Cuts a stream of pieces into the segments between judge points (guards.md 4).

    The first judge point is the first piece that reaches ``minChars``; each next one the
    first that adds ``every`` to the actual total of the one before, not to a grid.
    """

    __slots__ = ("_every", "_held", "_next", "total")

    def __init__(self, config: Config) -> None:
        self._every = config.every
        self._next = config.min_chars
        self._held: list[str] = []
        self.total = 0

    def piece(self, text: str) -> Segment | None:
        """Take one piece; return the segment it completes, if it does."""
        self.total += len(text) if text.isascii() else length(text)
        self._held.append(text)
        if self.total < self._next:
            return None
        segment = Segment(0, "".join(self._held), self.total)
        self._held.clear()
        self._next = self.total + self._every
        return segment

    def pieces(self, texts: Sequence[str]) -> list[Segment]:
        """Take many pieces; return the segments they complete, in order."""
        joined = "".join(texts)
        is_plain = length(joined) == len(joined)
        start = self.total
        totals = list(accumulate(map(len if is_plain else length, texts), initial=start))
        segments: list[Segment] = []
        done = 0
        while (index := bisect_left(totals, self._next, done + 1)) < len(totals):
            total = totals[index]
            if is_plain:
                text = joined[totals[done] - start : total - start]
            else:
                text = "".join(texts[done:index])
            if self._held:
                text = "".join((*self._held, text))
                self._held.clear()
            segments.append(Segment(index - 1, text, total))
            self._next = total + self._every
            done = index
        self._held.extend(texts[done:])
        self.total = totals[-1]
        return segments
