"""Reasoning cut anew into pieces of one size: piece size as an axis of a sweep."""

from __future__ import annotations

import msgspec

from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs.events import Event, StreamPieces
from dsh_calibrate.replay.log import Follower


class Recut:
    """Hands a follower the events of a log with the reasoning in pieces of ``size`` units.

    A stream's last piece may be shorter. What was not recorded like that is marked
    ``granular=False``: nothing that follows from it is exact. A cut never parts the two
    halves of a character beyond U+FFFF; its piece is one unit longer.
    """

    def __init__(self, follower: Follower, size: int) -> None:
        self._follower = follower
        self._size = size
        self._rest = ""
        self._last: StreamPieces | None = None

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if isinstance(event, StreamPieces):
            self._rest += "".join(event.texts)
            self._last = event
            self._send(whole=False)
            return
        if self._last is not None:
            self._send(whole=True)
            self._last = None
        self._follower.on(event)

    def finish(self) -> None:
        """The log is over."""
        if self._last is not None:
            self._send(whole=True)
        self._follower.finish()

    def _send(self, *, whole: bool) -> None:
        texts, self._rest = cut(self._rest, self._size, whole=whole)
        if not texts or self._last is None:
            return
        last = self._last
        self._follower.on(
            msgspec.structs.replace(
                last,
                texts=tuple(texts),
                times=(last.times[-1],) * len(texts) if last.times else last.times,
                seq_stride=0,
                per_line=None,
                granular=False,
            )
        )


def cut(text: str, size: int, *, whole: bool) -> tuple[list[str], str]:
    """Pieces of ``size`` UTF-16 units and the rest (none when ``whole``)."""
    pieces: list[str] = []
    if text.isascii():
        end = len(text) if whole else len(text) - len(text) % size
        pieces = [text[at : min(at + size, end)] for at in range(0, end, size)]
        return pieces, text[end:]
    start = length = 0
    for at, character in enumerate(text):
        length += utf16.length(character)
        if length >= size:
            pieces.append(text[start : at + 1])
            start, length = at + 1, 0
    if whole and start < len(text):
        pieces.append(text[start:])
        start = len(text)
    return pieces, text[start:]
