"""Inherited history: where a forked or seeded child's own part begins (session-format.md 9).

Formats 0 and 1 say it in the header (``seedLength`` = number of copied events); later ones
by the last ``session/end-seed`` line tagged ``inherited``, which is found by a scan of the
whole log beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dsh_calibrate.logs.decode import NotJson, load
from dsh_calibrate.logs.events import Header
from dsh_calibrate.logs.frames import Hole
from dsh_calibrate.logs.lines import Block

_MARK = b"session/end-seed"


@dataclass(frozen=True, slots=True)
class Seed:
    """How much of a log is a copy.

    Events with a number below ``events`` are copies (formats 0 and 1), or all lines before
    the physical line ``line``. ``unknown`` is true when the header speaks of a seed and no
    line marks its end: then nothing of the log may be counted.
    """

    events: int = 0
    line: int = 0
    unknown: bool = False


def needs_scan(header: Header) -> bool:
    """Whether the end of the seed must be looked for in the log itself."""
    return header.is_seeded is True


def by_header(header: Header) -> Seed:
    """Return what the header alone says."""
    if header.is_seeded is False or header.seed_length is None:
        return Seed()
    return Seed(events=max(0, header.seed_length))


def by_scan(header: Header, blocks: Iterable[Block | Hole]) -> Seed:
    """Find the last tagged marker in the lines of a seeded log."""
    found = 0
    for block in blocks:
        if isinstance(block, Hole):
            continue
        for index, line in enumerate(block.lines):
            if _MARK in line and _is_marker(line):
                found = block.first + index
    if found:
        return Seed(line=found)
    if header.seed_length is not None:
        return Seed(events=max(0, header.seed_length))
    return Seed(unknown=True)


def _is_marker(line: bytes) -> bool:
    try:
        value = load(line)
    except NotJson:
        return False
    if not isinstance(value, dict) or value.get("type") != "session/end-seed":
        return False
    data = value.get("data")
    return isinstance(data, dict) and data.get("inherited") is True
