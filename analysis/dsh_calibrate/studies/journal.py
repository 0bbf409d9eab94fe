"""The live reasoning guard's fire journal: one JSON line a fire (settings-files.md, last line).

Written by another program while it runs, so nothing in it is trusted: a broken line is
counted and passed over, a missing field is counted and ``None``.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from dsh_calibrate.errors import UsageError

LONGEST_LINE = 1 << 20
"""Bytes past which a line is no journal line."""

_FIELDS = (
    "at",
    "rule",
    "atChars",
    "sessionId",
    "provider",
    "model",
    "turn",
    "step",
    "pluginVersion",
    "thresholds",
)
"""Fields whose absence is counted: what every command here works with."""


@dataclass(frozen=True, slots=True)
class Fire:
    """One journal line. ``at`` is epoch milliseconds (UTC); lengths are UTF-16 units.

    ``file`` and ``line`` say where it stands; what the line does not tell is ``None``.
    ``preview`` is log content.
    """

    file: str
    line: int
    rule: str
    at: int | None = None
    at_utf16: int | None = None
    session: str | None = None
    provider: str | None = None
    model: str | None = None
    effort: str | None = None
    turn: int | None = None
    step: int | None = None
    version: str | None = None
    units: int | None = None
    period: int | None = None
    count: int | None = None
    elapsed_ms: int | None = None
    from_start_ms: int | None = None
    ttft_ms: int | None = None
    aborted: bool | None = None
    preview: str | None = None
    thresholds: Mapping[str, int | float] | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """Journal files read: the fires in the order written, and what could not be used.

    ``broken`` are lines that are no JSON object, ``no_fires`` objects without a rule,
    ``torn`` unended last lines (a write under way), ``missing`` counts fires by absent field.
    """

    fires: tuple[Fire, ...] = ()
    files: tuple[str, ...] = ()
    lines: int = 0
    broken: int = 0
    no_fires: int = 0
    torn: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)


def read_journals(paths: Iterable[Path]) -> Journal:
    """Read journal files, each with its rotated ``.1`` beside it, oldest lines first.

    A file counts once however often it is named. Raises :class:`UsageError` for one that is
    missing while its ``.1`` is missing too, or that cannot be read.
    """
    ordered: dict[Path, Path] = {}
    for path in paths:
        rotated = path.with_name(path.name + ".1")
        there = [p for p in (rotated, path) if p.is_file()]
        if not there:
            raise UsageError(
                f"{path}: no such file; the guard writes fires.jsonl when it first fires"
            )
        ordered |= {p.resolve(): p for p in there if p.resolve() not in ordered}
    reading = _Reading()
    for path in ordered.values():
        reading.read(path)
    return Journal(
        tuple(reading.fires),
        tuple(str(path) for path in ordered.values()),
        reading.counts["lines"],
        reading.counts["broken"],
        reading.counts["no_fires"],
        reading.counts["torn"],
        {name: reading.missing[name] for name in _FIELDS if reading.missing[name]},
    )


class _Reading:
    def __init__(self) -> None:
        self.fires: list[Fire] = []
        self.counts: Counter[str] = Counter()
        self.missing: Counter[str] = Counter()

    def read(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                number = 0
                while data := file.readline(LONGEST_LINE):
                    number += 1
                    self._line(str(path), number, data)
                    while len(data) == LONGEST_LINE and not data.endswith(b"\n"):
                        data = file.readline(LONGEST_LINE)
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from error

    def _line(self, file: str, number: int, data: bytes) -> None:
        if not data.strip(b" \t\r\n\0"):
            return
        self.counts["lines"] += 1
        try:
            value = json.loads(data.decode("utf-8-sig").strip("\0 \t\r\n"))
        except (ValueError, RecursionError):
            torn = not data.endswith(b"\n") and len(data) < LONGEST_LINE
            self.counts["torn" if torn else "broken"] += 1
            return
        if not isinstance(value, dict):
            self.counts["broken"] += 1
            return
        rule = _text(value.get("rule"))
        if rule is None:
            self.counts["no_fires"] += 1
            return
        at = _moment(value)
        self.missing.update(
            name for name in _FIELDS if value.get(name) is None and (name != "at" or at is None)
        )
        self.fires.append(_fire(file, number, rule, at, value))


def _fire(file: str, line: int, rule: str, at: int | None, value: Mapping[str, object]) -> Fire:
    aborted = value.get("aborted")
    return Fire(
        file=file,
        line=line,
        rule=rule,
        at=at,
        at_utf16=_integer(value.get("atChars")),
        session=_text(value.get("sessionId")),
        provider=_text(value.get("provider")),
        model=_text(value.get("model")),
        effort=_text(value.get("reasoningEffort")),
        turn=_integer(value.get("turn")),
        step=_integer(value.get("step")),
        version=_text(value.get("pluginVersion")),
        units=_integer(value.get("units")),
        period=_integer(value.get("period")),
        count=_integer(value.get("count")),
        elapsed_ms=_integer(value.get("elapsedMs")),
        from_start_ms=_integer(value.get("fromStartMs")),
        ttft_ms=_integer(value.get("ttftMs")),
        aborted=aborted if isinstance(aborted, bool) else None,
        preview=_text(value.get("preview")),
        thresholds=_thresholds(value.get("thresholds")),
    )


def _moment(value: Mapping[str, object]) -> int | None:
    """``at``, else ``iso``; only moments that a calendar knows."""
    at = _integer(value.get("at"))
    if at is not None and 0 <= at < 253_402_300_800_000:
        return at
    iso = _text(value.get("iso"))
    if iso is None:
        return None
    try:
        when = datetime.fromisoformat(iso)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return round(when.timestamp() * 1000)
    except (ValueError, OverflowError):
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _integer(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    whole = int(value)
    return whole if abs(whole) < 1 << 53 else None


def _thresholds(value: object) -> Mapping[str, int | float] | None:
    if not isinstance(value, dict):
        return None
    return {
        str(key): number
        for key, number in value.items()
        if isinstance(number, int | float) and not isinstance(number, bool)
    }
