"""The lines of a log as JSON values, up to its damage, and back into a file.

A torn tail is left out (it was never readable), and a damaged log ends before its damage:
what cannot be understood cannot be redacted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_calibrate.corpora.lines import json_line
from dsh_calibrate.corpora.writer import pack
from dsh_calibrate.javascript.json_text import Json
from dsh_calibrate.logs import decode
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.frames import Hole, PlainSource
from dsh_calibrate.logs.lines import LineReader
from dsh_calibrate.logs.opening import open_source
from dsh_calibrate.logs.reading import read_log

_LINE = re.compile(r"line ([0-9]+)")
_BATCH_MS = 200


class NotCopied(Exception):
    """The log cannot be copied; the text says why, without content."""


@dataclass(frozen=True, slots=True)
class StoredLines:
    """What was read: ``lines`` from the header on, the encoding, the account of the log."""

    lines: list[dict[str, Any]]
    encoding: str
    coverage: LogCoverage

    @property
    def cut(self) -> str | None:
        """Where and why the copy ends early, if it does."""
        if self.coverage.status != "damaged":
            return None
        return f"damaged at {self.coverage.where}: {self.coverage.reason}"


def load_lines(path: Path) -> StoredLines:
    """Read a log whole. Raises :class:`NotCopied` for one without a readable beginning."""
    reading = read_log(path)
    for _ in reading:
        pass
    coverage = reading.coverage
    if reading.header is None or coverage.status in ("unreadable", "not_understood", "empty"):
        why = coverage.reason or "nothing in it can be read"
        raise NotCopied(f"{coverage.status.replace('_', ' ')}: {why}")
    last = _LINE.match(coverage.where or "")
    end = int(last[1]) if last and coverage.status == "damaged" else None
    lines: list[dict[str, Any]] = []
    with open_source(path) as source:
        encoding = "plain" if isinstance(source, PlainSource) else "zstd"
        for block in LineReader(source.pieces()):
            if isinstance(block, Hole):
                break
            for index, raw in enumerate(block.lines):
                if end is not None and block.first + index >= end:
                    return StoredLines(lines, encoding, coverage)
                if raw:
                    lines.append(_object(raw))
    return StoredLines(lines, encoding, coverage)


def _object(raw: bytes) -> dict[str, Any]:
    try:
        value = decode.load(raw)
    except decode.NotJson as wrong:
        raise NotCopied(str(wrong)) from None
    if not isinstance(value, dict):
        raise NotCopied("a line is no JSON object")
    return value


def to_bytes(lines: Sequence[dict[str, Json]], encoding: str) -> bytes:
    """The bytes of a log: the header in a frame of its own, then one frame a write batch."""
    groups: list[list[bytes]] = []
    begun: float | None = None
    for number, line in enumerate(lines):
        time = line.get("time", line.get("time0"))
        now = time if isinstance(time, int | float) else None
        gone = begun is None or now is None or not 0 <= now - begun <= _BATCH_MS
        if number < 2 or (gone and (now is not None or len(groups[-1]) >= 16)):
            groups.append([])
            begun = now
        groups[-1].append(_encoded(line))
    return pack([b"".join(group) for group in groups], encoding)


def _encoded(line: dict[str, Json]) -> bytes:
    try:
        return json_line(line)
    except (ValueError, RecursionError):
        raise NotCopied("a line is nested too deeply to be written") from None
