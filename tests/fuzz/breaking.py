"""A stored log in parts (frames, or lines) that can be broken; knows what is still sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import zstandard

from dsh_calibrate.corpora.writer import frame

MAGIC = bytes.fromhex("28b52ffd")


def raw_frame(text: bytes) -> bytes:
    """A frame of raw blocks: its text stands in the file as it is, magic bytes included."""
    blocks = [text[at : at + 1000] for at in range(0, len(text), 1000)] or [b""]
    out = [MAGIC, b"\x00\x58"]  # no checksum, a window of 2 MB
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        out += [(len(block) << 3 | last).to_bytes(3, "little"), block]
    return b"".join(out)


def skippable(content: bytes, kind: int = 0) -> bytes:
    """A frame that decoders pass over."""
    return (0x184D2A50 + kind).to_bytes(4, "little") + len(content).to_bytes(4, "little") + content


def text_of(part: bytes, encoding: str) -> bytes:
    """The text of a frame as it was written."""
    if encoding == "plain":
        return part
    return zstandard.ZstdDecompressor().decompressobj().decompress(part)


@dataclass
class Stored:
    """The bytes of a log. ``sound`` parts at its start were never touched.

    ``harmless`` as long as all that was done to it leaves its text as it was.
    """

    parts: list[bytes]
    encoding: str
    sound: int = field(init=False)
    harmless: bool = True
    whole: list[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self.sound = len(self.parts)
        self.whole = list(self.parts)

    @property
    def data(self) -> bytes:
        """The file."""
        return b"".join(self.parts)

    @property
    def sound_lines(self) -> int:
        """Lines of the original that stand untouched in front of everything else."""
        return sum(text_of(part, self.encoding).count(b"\n") for part in self.whole[: self.sound])

    def touch(self, part: int, *, harmless: bool = False) -> None:
        """Note that ``part`` and all behind it may differ from now on."""
        self.sound = min(self.sound, part)
        self.harmless &= harmless

    def edit(self, part: int, change: Callable[[bytes], bytes], *, raw: bool = False) -> bool:
        """Change the text of a part where it can still be read."""
        try:
            text = text_of(self.parts[part], self.encoding)
        except zstandard.ZstdError:
            return False
        changed = change(text)
        self.touch(part)
        if self.encoding == "plain":
            self.parts[part] = changed
        else:
            self.parts[part] = raw_frame(changed) if raw else frame(changed)
        return True


def value_at(line: bytes, colon: int) -> tuple[int, int]:
    """Where the JSON value behind a colon begins and ends (roughly, on broken lines)."""
    end, depth = colon + 1, 0
    while end < len(line) and (depth or line[end : end + 1] not in (b",", b"}", b"]")):
        depth += (line[end] in b"[{") - (line[end] in b"]}")
        end += 1
    return colon + 1, end


ODD_VALUES: Sequence[bytes] = (
    b"1e999",
    b"-0",
    b"-1",
    b"9" * 5000,
    b"-" + b"9" * 5000,
    b"0." + b"1" * 5000,
    b"9007199254740993",
    b"1" + b"0" * 350,
    b"18446744073709551616",
    b"[" * 10_000 + b"]" * 10_000,
    b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    b"NaN",
    b"Infinity",
    b"null",
    b"[]",
    b"{}",
    b"true",
    b'""',
    b'"\\ud800"',
    b'"\xed\xa0\x80"',
    b'"\xe2\x80\xa8"',
    b'"\\u0000"',
    b'[{"type":"text","text":"\\udc00"}]',
    b'[{"type":"tool-result","content":[{"type":"tool-result","content":"x"}]}]',
    b'{"kind":"user"}',
    b"[1,[2,3],[4]]",
)
"""Values that stand for any other in a line."""
