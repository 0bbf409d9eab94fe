"""Lines of more than 32 MiB: scanned in a stream, only what a guard may need is kept.

Such a line is nearly always one enormous string (an image, a prompt, a tool's output). The
scan copies the line without the long strings that no event is made of, so that the rest
goes through the ordinary decoders (contract.md 3, cases.md C77). Syntax inside the strings
is checked here, outside of them by those decoders.
"""

from __future__ import annotations

import codecs
import re

LONG = 32 << 20
"""Lines up to this many bytes are held whole."""
_KEPT = 42 << 20
_KEPT_WIDER = 32 << 20
_KEPT_WIDEST = 24 << 20
"""Bytes kept of one line at most: decoded, one character beyond ASCII makes all of a text
twice as large, one beyond U+FFFF four times."""
_SCANNED = 1 << 30
_LONG_STRING = 1 << 16

_BODY = re.compile(rb'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_TYPE = re.compile(rb'\{"type":"([^"\\]+)"')
_WHOLE_TYPES = frozenset(
    f"tool/{kind}-dispatch{end}".encode() for kind in ("code", "ptc") for end in ("", "-start")
)
_TEXT_TYPES = frozenset(
    [
        b"tool/call",
        b"tool/result",
        b"user/message",
        b"steering/message",
        b"assistant/message",
        b"assistant/attempt",
        b"assistant/chunk",
        b"reasoning-chunks",
    ]
)
_TEXT_KEYS = frozenset([b"text", b"texts", b"arguments"])


_BIG = 4 << 20
_PARTS = 500_000
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?')
"""Also one that never ends, or every quote in it would be tried as the beginning of another."""
_WIDEST = re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]")


def too_much(line: bytes) -> str | None:
    """Why a whole line would fill the memory when it is decoded, ``None`` where it would not."""
    if len(line) < _BIG:
        return None
    if len(line) > _KEPT_WIDEST and len(line) > (room := _room(line)):
        return f"a line of more than {room} bytes with characters that take more memory"
    if line.count(b",") > _PARTS and _has_many_values(line):
        return f"a line of more than {_PARTS} values"
    return None


def _has_many_values(line: bytes) -> bool:
    """Whether more commas than ``_PARTS`` stand outside of strings."""
    commas = at = 0
    for found in _STRING.finditer(line):
        commas += line.count(b",", at, found.start())
        at = found.end()
        if commas > _PARTS:
            return True
    return commas + line.count(b",", at) > _PARTS


def _room(text: bytes) -> int:
    """How many bytes may be kept of a line that holds ``text``."""
    if _WIDEST.search(text):
        return _KEPT_WIDEST
    return _KEPT if text.isascii() and b"\\u" not in text else _KEPT_WIDER


class LongLineError(Exception):
    """The line cannot be scanned; the text says why, without any content of it.

    ``refused`` is false when the line is simply no JSON.
    """

    def __init__(self, reason: str, *, refused: bool) -> None:
        super().__init__(reason)
        self.refused = refused


class LongLine:
    """Shortens one line that arrives in pieces: :meth:`feed` them, then :meth:`finish`."""

    def __init__(self) -> None:
        self._out = bytearray()  # one object: a line may be made of millions of strings
        self._strings = 0
        self._room = _KEPT
        self._scanned = 0
        self._rest = b""
        self._inside = False
        self._string: list[bytes] = []
        self._string_size = 0
        self._dropping = False
        self._last = b""
        self._key = b""
        self._policy: str | None = None
        self._utf8 = codecs.getincrementaldecoder("utf-8")()

    def feed(self, piece: bytes) -> None:
        """Scan one more piece; raises :class:`LongLineError`."""
        self._scanned += len(piece)
        if self._scanned > _SCANNED:
            raise LongLineError(f"a line of more than {_SCANNED} bytes", refused=True)
        try:
            self._utf8.decode(piece)
        except UnicodeDecodeError:
            raise LongLineError("the line is not UTF-8", refused=False) from None
        data = self._rest + piece
        self._room = min(self._room, _room(data))
        self._rest = b""
        if self._policy is None:
            found = _TYPE.match(data)
            kind = found.group(1) if found else b""
            self._policy = (
                "all"
                if kind in _WHOLE_TYPES or not found
                else "text"
                if kind in _TEXT_TYPES
                else "none"
            )
        at = 0
        while at < len(data):
            at = self._in_string(data, at) if self._inside else self._outside(data, at)

    def finish(self) -> bytes:
        """Return the shortened line; raises :class:`LongLineError`."""
        if self._inside or self._rest:
            raise LongLineError("the line is not JSON (a string does not end)", refused=False)
        return bytes(self._out)

    def _outside(self, data: bytes, at: int) -> int:
        quote = data.find(b'"', at)
        end = len(data) if quote < 0 else quote
        between = data[at:end]
        if between.lstrip()[:1] == b":":
            self._key = self._last
        self._keep(between)
        if quote < 0:
            return end
        self._inside = True
        self._dropping = False
        self._string = []
        self._string_size = 0
        return quote + 1

    def _in_string(self, data: bytes, at: int) -> int:
        found = _BODY.match(data, at)
        assert found is not None  # the pattern matches the empty text
        end = found.end()
        if not self._dropping:
            self._string.append(data[at:end])
            self._string_size += end - at
            if self._string_size > _LONG_STRING and not self._needed():
                self._dropping = True
                self._string = []
            elif self._string_size > self._room:
                raise LongLineError(f"more than {self._room} bytes of one text", refused=True)
        if end == len(data):
            return end
        if data[end] == 0x22:
            text = b"" if self._dropping else b"".join(self._string)
            self._last = text if len(text) <= 64 else b""
            self._string = []
            for part in (b'"', text, b'"'):
                self._keep(part)
            self._inside = False
            self._strings += 1
            if self._strings > 2 * _PARTS and self._policy != "none":
                raise LongLineError(f"a line of more than {_PARTS} values", refused=True)
            return end + 1
        if data[end] == 0x5C and len(data) - end < 6:
            self._rest = data[end:]
            return len(data)
        raise LongLineError("the line is not JSON (a bad character in a string)", refused=False)

    def _needed(self) -> bool:
        return self._policy == "all" or (self._policy == "text" and self._key in _TEXT_KEYS)

    def _keep(self, part: bytes) -> None:
        if len(self._out) + len(part) > self._room:
            raise LongLineError(f"more than {self._room} bytes to keep of one line", refused=True)
        self._out += part
