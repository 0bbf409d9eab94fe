"""From text to lines: cut at byte 0x0A only, mended where that is safe (contract.md 3).

A BOM at the very start, a carriage return before the newline and zero bytes at either end
of a line are taken away and counted. A last line without its newline was being written when
the file was taken: it is dropped and reported as torn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dsh_calibrate.logs.frames import Hole
from dsh_calibrate.logs.longline import LONG, LongLine, LongLineError

_BOM = b"\xef\xbb\xbf"


class Block:
    """Neighbouring complete lines, without their newlines.

    ``first`` is the physical number of the first line (from 1), ``start`` the byte of the
    text where it begins, ``count`` the number of lines; blank ones are kept, so that the
    numbers hold. ``utf8`` is false when some line is not UTF-8. ``text`` is the lines as
    they stood in the file, ``None`` when one was mended or is not UTF-8.
    """

    __slots__ = ("_lines", "count", "first", "start", "text", "utf8")

    def __init__(
        self, text: bytes | None, lines: list[bytes] | None, first: int, start: int, *, utf8: bool
    ) -> None:
        assert text is not None or lines is not None
        self.text = text
        self._lines = lines
        self.first = first
        self.start = start
        self.utf8 = utf8
        self.count = len(lines) if lines is not None else (text or b"").count(b"\n") + 1

    @property
    def lines(self) -> list[bytes]:
        """The lines one by one; cut when they are first asked for."""
        if self._lines is None:
            self._lines = (self.text or b"").split(b"\n")
        return self._lines

    def text_from(self, index: int) -> bytes:
        """The text from a line on; only where :attr:`text` is known."""
        text = self.text or b""
        if index == 0:
            return text
        if index == 1:  # behind the header: no need to cut all lines
            return text[text.find(b"\n") + 1 :]
        return b"\n".join(self.lines[index:])

    def where(self, index: int) -> str:
        """Name the place of a line: its number and the byte where it begins.

        The byte is that of the mended text when lines before it in the block were mended.
        """
        before = sum(len(line) + 1 for line in self.lines[:index])
        return f"line {self.first + index}, byte {self.start + before}"


class LineReader:
    """Turns pieces of text into blocks of lines.

    While iterating and afterwards: ``repaired`` (lines mended), ``torn`` (an unended last
    line was dropped; its bytes are in ``rest`` when they are few).
    """

    def __init__(self, pieces: Iterable[bytes | Hole]) -> None:
        self._pieces = pieces
        self.repaired = 0
        self.torn = False
        self.rest = b""
        self._line = 1
        self._byte = 0

    def __iter__(self) -> Iterator[Block | Hole]:
        """Yield blocks in order, holes where the text has them."""
        open_: list[bytes] = []
        size = 0
        long: LongLine | None = None
        for piece in self._pieces:
            if isinstance(piece, Hole):
                if size:
                    self._line += 1
                    self._byte += size
                open_, size, long = [], 0, None
                yield piece
                if piece.refused:
                    return
                continue
            cut = piece.rfind(b"\n")
            if cut < 0:
                open_.append(piece)
                size += len(piece)
                if size > LONG:
                    long = long or LongLine()
                    problem = self._feed(long, open_)
                    open_ = []
                    if problem:
                        yield problem
                        return
                continue
            if long is not None:
                end = piece.find(b"\n")
                problem = self._feed(long, [piece[:end]])
                short = b""
                if not problem:
                    try:
                        short = long.finish()
                    except LongLineError as error:
                        problem = self._hole(error)
                if problem:
                    yield problem
                    return
                yield self._block(short, size + end + 1)
                piece = piece[end + 1 :]
                cut -= end + 1
                long, size = None, 0
                if cut < 0:
                    open_, size = ([piece], len(piece)) if piece else ([], 0)
                    continue
            body = b"".join([*open_, piece[:cut]]) if open_ else piece[:cut]
            tail = piece[cut + 1 :]
            open_, size = ([tail], len(tail)) if tail else ([], 0)  # a long line is held once
            yield self._block(body, len(body) + 1)
        self._end(open_, size)

    def _end(self, open_: list[bytes], size: int) -> None:
        """Account for bytes behind the last newline."""
        if not size:
            return
        if all(not part.strip(b"\0") for part in open_) and open_:
            self.repaired += 1
            return
        self.torn = True
        if size <= LONG:
            self.rest = b"".join(open_)

    def _feed(self, long: LongLine, pieces: list[bytes]) -> Hole | None:
        try:
            for piece in pieces:
                long.feed(piece)
        except LongLineError as error:
            return self._hole(error)
        return None

    def _hole(self, error: LongLineError) -> Hole:
        return Hole(f"line {self._line}, byte {self._byte}", str(error), refused=True)

    def _block(self, body: bytes, size: int) -> Block:
        """Mend the lines of ``body``; ``size`` is how many bytes of text they took."""
        if self._byte == 0 and body.startswith(_BOM):
            body = body[len(_BOM) :]
            self.repaired += 1
        utf8 = _is_utf8(body)
        away = b"\0\r" if b"\0" in body else b"\r" if b"\r" in body else b""
        if away:
            lines = body.split(b"\n")
            self._mend(lines, away)
            block = Block(None, lines, self._line, self._byte, utf8=utf8)
        elif utf8:
            block = Block(body, None, self._line, self._byte, utf8=True)
        else:
            block = Block(None, body.split(b"\n"), self._line, self._byte, utf8=False)
        self._line += block.count
        self._byte += size
        return block

    def _mend(self, lines: list[bytes], away: bytes) -> None:
        for index, line in enumerate(lines):
            mended = line.rstrip(away) if away == b"\r" else line.strip(away)
            if len(mended) != len(line):
                lines[index] = mended
                self.repaired += 1


def _is_utf8(body: bytes) -> bool:
    if body.isascii():
        return True
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
