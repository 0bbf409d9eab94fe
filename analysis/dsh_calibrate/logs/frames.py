"""From the stored bytes to text: plain files and files of many Zstandard frames.

A ``.zstd`` log is a row of independent frames, often thousands of tiny ones, without a
content size (session-format.md 2). The decoders at hand either stop after the first frame
or stay silent when the file ends inside one, so the frames are counted here, by their own
headers, and only whole frames are handed to the decoder. Nothing of a frame whose checksum
is wrong ever comes out; of a torn last frame comes what can be had.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Protocol, cast

import zstandard

PIECE = 1 << 17
"""Bytes of text handed on at a time (plain files, large frames)."""
_SMALL_FRAME = 1 << 18
_BATCH = 1 << 18
_HELD = 16 << 20
_MAX_WINDOW = 128 << 20
_BOMB_TEXT = 1 << 30
_BOMB_RATIO = 2000
"""A frame, and a file as a whole, may unpack to this many times its size, or to _BOMB_TEXT."""

_MAGIC = 0xFD2FB528
_MAGIC_BYTES = b"\x28\xb5\x2f\xfd"
_DICTIONARY_BYTES = (0, 1, 2, 4)
_SIZE_BYTES = (0, 2, 4, 8)


def _header_size(flags: int) -> int:
    """Bytes of a frame's header by its descriptor (RFC 8878, 3.1.1.1)."""
    single = flags >> 5 & 1
    size = _SIZE_BYTES[flags >> 6] or single
    return 5 + (1 - single) + _DICTIONARY_BYTES[flags & 3] + size


_HEADER_SIZES = tuple(_header_size(flags) for flags in range(256))
_MAX_WINDOW_BYTE = (27 - 10) << 3
"""The window descriptor of :data:`_MAX_WINDOW`; greater ones ask for more."""


@dataclass(frozen=True, slots=True)
class Hole:
    """Bytes that cannot be turned into text; what follows belongs to a later place.

    ``where`` names the place, ``reason`` what is wrong. ``refused`` marks content that
    would need unreasonable memory or time: reading ends there.
    """

    where: str
    reason: str
    refused: bool = False


class Source(Protocol):
    """Where the text of a log comes from, piece by piece.

    After the pieces are exhausted ``torn`` tells whether the file ends inside a frame and
    ``padded`` whether zero bytes stand behind the last one.
    """

    torn: bool
    padded: bool

    def pieces(self) -> Iterator[bytes | Hole]:
        """Yield the text in order, holes where it is broken."""
        ...


class PlainSource:
    """An uncompressed log, up to the length it had when it was opened."""

    def __init__(self, file: IO[bytes], length: int) -> None:
        self._file = file
        self._length = length
        self.torn = False
        self.padded = False

    def pieces(self) -> Iterator[bytes | Hole]:
        """Yield the file in pieces of at most :data:`PIECE` bytes."""
        left = self._length
        while left > 0:
            piece = self._file.read(min(PIECE, left))
            if not piece:
                return
            left -= len(piece)
            yield piece


@dataclass(frozen=True, slots=True)
class _Span:
    """One frame: where it ends, and its state (``ok``, ``skip``, ``torn``…)."""

    end: int
    state: str
    reason: str = ""


class _Slice(io.RawIOBase):
    """A part of a file as a stream of its own."""

    def __init__(self, file: IO[bytes], start: int, end: int) -> None:
        super().__init__()
        self._file = file
        self._at = start
        self._end = end

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        left = self._end - self._at
        take = left if size < 0 else min(size, left)
        if take <= 0:
            return b""
        self._file.seek(self._at)
        data = self._file.read(take)
        self._at += len(data)
        return data


class ZstdSource:
    """A log stored as Zstandard frames, up to the length it had when it was opened."""

    def __init__(self, file: IO[bytes], length: int) -> None:
        self._file = file
        self._length = length
        self._base = 0
        self._data = b""
        self._decoder = zstandard.ZstdDecompressor(max_window_size=_MAX_WINDOW)
        self.torn = False
        self.padded = False

    def pieces(self) -> Iterator[bytes | Hole]:
        """Yield the text of every whole frame, then what a torn last one still gives.

        A frame is numbered from 1; frames without content (skippable) count too.
        """
        size = 0
        limit = max(_BOMB_TEXT, _BOMB_RATIO * self._length)
        for piece in self._pieces():
            size += len(piece) if isinstance(piece, bytes) else 0
            if size > limit:
                text = f"a file of {self._length} bytes unpacks to more than {limit}"
                yield Hole("the file", text, refused=True)
                return
            yield piece

    def _pieces(self) -> Iterator[bytes | Hole]:
        batch: list[tuple[int, int, int]] = []
        number = start = 0
        while start < self._length:
            known = len(batch)
            start = self._simple_frames(number, start, batch)
            number += len(batch) - known
            if batch and start - batch[0][1] >= _BATCH:
                yield from self._batch(batch)
                batch = []
                continue
            if start >= self._length:
                break
            number += 1
            span = self._measure(start)
            if span.state == "ok" and span.end - start <= _SMALL_FRAME:
                batch.append((number, start, span.end))
                start = span.end
                if start - batch[0][1] >= _BATCH:
                    yield from self._batch(batch)
                    batch = []
                continue
            if batch:
                yield from self._batch(batch)
                batch = []
            if span.state == "ok":
                yield from self._frame(number, start, span.end)
            elif span.state == "torn":
                self.torn = True
                yield from self._torn_frame(start)
                return
            elif span.state == "padding":
                self.padded = True
                return
            elif span.state != "skip":
                yield Hole(f"frame {number}", span.reason, refused=span.state == "refused")
            start = span.end
        if batch:
            yield from self._batch(batch)

    def _get(self, start: int, size: int) -> bytes:
        """Read ``size`` bytes at ``start`` through a read-ahead buffer; shorter at the end."""
        at = start - self._base
        if at < 0 or at + size > len(self._data):
            self._file.seek(start)
            self._data = self._file.read(min(PIECE, max(0, self._length - start)))
            self._base = start
            at = 0
        return self._data[at : at + size]

    def _simple_frames(self, number: int, start: int, batch: list[tuple[int, int, int]]) -> int:
        """Append whole frames of one plain block each to ``batch``; return where they stop.

        Most frames of a log are of this kind. Whatever is not, and what reaches beyond the
        bytes at hand, is left to :meth:`_measure`. ``number`` is that of the frame before.
        """
        data, base = self._data, self._base
        at, last = start - base, len(data) - 18
        most = at + _BATCH
        if at < 0:
            return start
        while at <= last and at < most and data[at : at + 4] == _MAGIC_BYTES:
            flags = data[at + 4]
            if not flags & 0x20 and data[at + 5] > _MAX_WINDOW_BYTE:
                break
            end = at + _HEADER_SIZES[flags]
            word = int.from_bytes(data[end : end + 3], "little")
            if word & 3 != 1:  # not the last block, or not one that is stored or packed
                break
            end += 3 + (word >> 3) + (flags & 4)
            if end > last + 18:
                break
            number += 1
            batch.append((number, base + at, base + end))
            at = end
        return base + at

    def _measure(self, start: int) -> _Span:
        """Walk one frame's header, block headers and checksum (RFC 8878, 3.1.1)."""
        head = self._get(start, 18)
        if len(head) < 4:
            state = "padding" if not head.strip(b"\0") else "torn"
            return _Span(self._length, state)
        magic = int.from_bytes(head[:4], "little")
        if magic & 0xFFFFFFF0 == 0x184D2A50:
            end = start + 8 + int.from_bytes(head[4:8], "little")
            whole = len(head) >= 8 and end <= self._length
            return _Span(end, "skip") if whole else _Span(self._length, "torn")
        if magic != _MAGIC:
            if magic == 0 and self._only_zeros(start):
                return _Span(self._length, "padding")
            return _Span(self._next_magic(start + 1), "bad", "no Zstandard frame begins here")
        if len(head) < 5:
            return _Span(self._length, "torn")
        flags = head[4]
        single = flags >> 5 & 1
        header = _HEADER_SIZES[flags]
        if len(head) < header:
            return _Span(self._length, "torn")
        at = start + header
        while True:
            block = self._get(at, 3)
            if len(block) < 3:
                return _Span(self._length, "torn")
            word = block[0] | block[1] << 8 | block[2] << 16
            kind = word >> 1 & 3
            if kind == 3:
                return _Span(self._next_magic(start + 4), "bad", "a block of a reserved kind")
            at += 3 + (1 if kind == 1 else word >> 3)
            if word & 1:
                break
        at += 4 if flags & 4 else 0
        if at > self._length:
            return _Span(self._length, "torn")
        window = _window_size(head, single)
        if window > _MAX_WINDOW:
            return _Span(
                at,
                "refused",
                f"the frame asks for a window of {window} bytes, more than {_MAX_WINDOW}",
            )
        return _Span(at, "ok")

    def _only_zeros(self, start: int) -> bool:
        """Whether nothing but zero bytes follows (a power loss, cases.md C64)."""
        while start < self._length:
            data = self._get(start, min(PIECE, self._length - start))
            if not data or data.strip(b"\0"):
                return False
            start += len(data)
        return True

    def _next_magic(self, start: int) -> int:
        """Return where the next frame may begin, or the end of the file."""
        while start < self._length:
            data = self._get(start, min(PIECE, self._length - start))
            found = data.find(_MAGIC_BYTES)
            if found >= 0:
                return start + found
            if len(data) < 4:
                break
            start += len(data) - 3
            if start + 3 >= self._length:
                break
        return self._length

    def _batch(self, frames: list[tuple[int, int, int]]) -> Iterator[bytes | Hole]:
        """Decode neighbouring whole frames at once; one by one where that fails."""
        self._file.seek(frames[0][1])
        stored = self._file.read(frames[-1][2] - frames[0][1])
        held: list[bytes] = []
        size = 0
        try:
            with self._decoder.stream_reader(stored, read_across_frames=True) as reader:
                while size <= _HELD and (piece := reader.read(PIECE)):
                    held.append(piece)
                    size += len(piece)
        except zstandard.ZstdError:
            size = _HELD + 1
        if size <= _HELD:
            yield from held
            return
        held.clear()
        for number, start, end in frames:
            yield from self._frame(number, start, end)

    def _frame(self, number: int, start: int, end: int) -> Iterator[bytes | Hole]:
        """Decode one whole frame; nothing of it comes out before its checksum held."""
        held: list[bytes] = []
        size = 0
        limit = max(_BOMB_TEXT, _BOMB_RATIO * (end - start))
        try:
            with self._decoder.stream_reader(self._slice(start, end)) as reader:
                while piece := reader.read(PIECE):
                    size += len(piece)
                    if size > limit:
                        text = f"a frame of {end - start} bytes unpacks to more than {limit}"
                        yield Hole(f"frame {number}", text, refused=True)
                        return
                    if size <= _HELD:
                        held.append(piece)
                    else:
                        held.clear()
        except zstandard.ZstdError as error:
            yield Hole(f"frame {number}", f"the frame does not decode ({_plain(error)})")
            return
        if size <= _HELD:
            yield from held
            return
        with self._decoder.stream_reader(self._slice(start, end)) as reader:
            while piece := reader.read(PIECE):
                yield piece

    def _slice(self, start: int, end: int) -> IO[bytes]:
        return cast(IO[bytes], _Slice(self._file, start, end))

    def _torn_frame(self, start: int) -> Iterator[bytes]:
        """Decode the last, unfinished frame as far as it goes."""
        if len(self._get(start, 5)) < 5:
            return
        try:
            with self._decoder.stream_reader(self._slice(start, self._length)) as reader:
                size = 0
                while (piece := reader.read(PIECE)) and size <= _BOMB_TEXT:
                    size += len(piece)
                    yield piece
        except zstandard.ZstdError:
            return


def _window_size(head: bytes, single: int) -> int:
    """Return the memory a frame's header asks for; 0 when the content size rules it."""
    if single:
        return 0
    descriptor = head[5]
    base: int = 1 << (10 + (descriptor >> 3))
    return base + base // 8 * (descriptor & 7)


def _plain(error: Exception) -> str:
    """The decoder's own words, without its prefix."""
    return str(error).rsplit(": ", 1)[-1]
