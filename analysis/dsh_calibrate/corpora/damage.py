"""Damage a log on purpose, as crashes, power loss and careless tools do (cases.md D).

Damage to the text is done line by line (line 1 is the header), damage to the file afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from dsh_calibrate.corpora.writer import frame
from dsh_calibrate.errors import UsageError

TEXT_KINDS = ("nul", "nul-line", "bad-line", "fused", "seq-gap", "bom", "crlf", "header-only")
FILE_KINDS = ("torn", "checksum", "empty", "skippable-frame")
KINDS = (*TEXT_KINDS, *FILE_KINDS)


@dataclass(frozen=True, slots=True)
class Damage:
    """One thing to break.

    ``kind``: ``nul`` puts ``bytes`` NULs in front of line ``line``, ``nul-line`` makes them
    a line of their own; ``bad-line`` cuts that line short but keeps its newline; ``fused``
    puts half of the line in front of the whole; ``seq-gap`` drops the line; ``bom`` and
    ``crlf`` are what editors add; ``header-only`` and ``empty`` keep nothing else; ``torn``
    cuts ``bytes`` from the end of the file; ``checksum`` flips a byte of the checksum of
    frame ``frame`` (1 = header); ``skippable-frame`` puts a skippable frame after it.
    """

    kind: str
    line: int = 3
    frame: int = 2
    bytes: int = 9


def damage_text(groups: Sequence[Sequence[bytes]], damage: Damage) -> list[list[bytes]]:
    """Return the write batches of a log with ``damage`` done to their lines."""
    if damage.kind == "header-only":
        return [list(groups[0])]
    if damage.kind == "crlf":
        return [[line.replace(b"\n", b"\r\n") for line in group] for group in groups]
    damaged = [list(group) for group in groups]
    if damage.kind == "bom":
        damaged[0][0] = b"\xef\xbb\xbf" + damaged[0][0]
        return damaged
    starts = [0, *accumulate(len(group) for group in groups)]
    if not 1 <= damage.line <= starts[-1]:
        raise UsageError(
            f"damage {damage.kind}: there is no line {damage.line} ({starts[-1]} lines)"
        )
    group = max(k for k, start in enumerate(starts[:-1]) if start < damage.line)
    place = damage.line - 1 - starts[group]
    line = damaged[group][place]
    damaged[group][place : place + 1] = _broken(line, damage)
    return damaged


def _broken(line: bytes, damage: Damage) -> list[bytes]:
    zeros = b"\0" * damage.bytes
    half = line[: max(1, len(line) // 2)]
    match damage.kind:
        case "nul":
            return [zeros + line]
        case "nul-line":
            return [zeros + b"\n", line]
        case "bad-line":
            return [half + b"\n"]
        case "fused":
            return [half + line]
        case _:
            return []


def damage_file(data: bytes, frames: Sequence[bytes], encoding: str, damage: Damage) -> bytes:
    """Return the file with ``damage`` done to its bytes; ``frames`` are its parts."""
    if damage.kind == "empty":
        return b""
    if damage.kind == "torn":
        if not 0 < damage.bytes < len(data):
            raise UsageError(f"damage torn: bytes = {damage.bytes}, the log has {len(data)}")
        return data[: -damage.bytes]
    if encoding != "zstd":
        raise UsageError(f'damage {damage.kind}: only zstd logs have frames (encoding = "zstd")')
    if not 1 <= damage.frame <= len(frames):
        raise UsageError(f"damage {damage.kind}: no frame {damage.frame} ({len(frames)} frames)")
    before, after = frames[: damage.frame], frames[damage.frame :]
    if damage.kind == "skippable-frame":
        skippable = bytes.fromhex("502a4d1804000000") + bytes.fromhex("28b52ffd")
        return b"".join([*before, skippable, *after])
    broken = before[-1][:-1] + bytes([before[-1][-1] ^ 0xFF])
    return b"".join([*before[:-1], broken, *after])


def damaged_log(
    groups: Sequence[Sequence[bytes]], encoding: str, damages: Sequence[Damage]
) -> bytes:
    """Return the bytes of a log with all of ``damages`` done, text first."""
    for damage in damages:
        if damage.kind in TEXT_KINDS:
            groups = damage_text(groups, damage)
    texts = [b"".join(group) for group in groups if group]
    frames = [frame(text) for text in texts] if encoding == "zstd" else texts
    data = b"".join(frames)
    for damage in damages:
        if damage.kind in FILE_KINDS:
            data = damage_file(data, frames, encoding, damage)
    return data
