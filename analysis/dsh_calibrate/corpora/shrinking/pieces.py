"""What can be left out within a line: entries of streams, blocks of messages, pieces of rows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import accumulate, pairwise
from typing import Any

Object = dict[str, Any]
Place = tuple[int, tuple[str, ...], int]
"""Line, the way to a list in it, index in that list."""

_WAYS: tuple[tuple[str, ...], ...] = (
    ("data", "stream"),
    ("data", "message", "content"),
    ("data", "content"),
)
_ROWS = ("reasoning-chunks", "text-chunks", "tool-call-chunks")


def entries(lines: Sequence[Object]) -> list[Place]:
    """Entries of the streams and blocks of the messages of a model."""
    found: list[Place] = []
    for at, line in enumerate(lines):
        if str(line.get("type")).startswith("assistant/"):
            for way in _WAYS:
                items = _list(line, way)
                found += [(at, way, index) for index in range(len(items or ()))]
    return found


def texts(lines: Sequence[Object]) -> list[Place]:
    """The pieces in rows that hold more than one."""
    found: list[Place] = []
    for at, line in enumerate(lines):
        rows: list[tuple[tuple[str, ...], Any]] = []
        if line.get("type") in _ROWS:
            rows.append((("data",), line.get("data")))
        stream = _list(line, ("data", "stream"))
        rows += [(("data", "stream", str(k)), entry) for k, entry in enumerate(stream or ())]
        for way, row in rows:
            if isinstance(row, dict) and isinstance(row.get("texts"), list):
                size = len(row["texts"])
                found += [(at, way, index) for index in range(size if size > 1 else 0)]
    return found


def without(lines: Sequence[Object], gone: Collection[Place]) -> list[Object]:
    """The lines without these entries or pieces; the lines given stay as they are."""
    by_line: dict[int, dict[tuple[str, ...], set[int]]] = {}
    for at, way, index in gone:
        by_line.setdefault(at, {}).setdefault(way, set()).add(index)
    new = list(lines)
    for at, ways in by_line.items():
        for way, indices in ways.items():
            new[at] = _changed(new[at], way, indices)
    return new


def _list(line: Object, way: tuple[str, ...]) -> list[Any] | None:
    value: Any = line
    for name in way:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, list) else None


def _changed(value: Any, way: tuple[str, ...], gone: set[int]) -> Any:
    """A copy of ``value`` with members of the list, or of the row, at ``way`` left out."""
    if way:
        key: Any = int(way[0]) if isinstance(value, list) else way[0]
        new = value.copy()
        new[key] = _changed(value[key], way[1:], gone)
        return new
    if isinstance(value, list):
        return [item for index, item in enumerate(value) if index not in gone]
    return _shorter_row(value, gone)


def _shorter_row(row: Object, gone: set[int]) -> Object:
    """A row with fewer pieces; the time of every one that stays is kept."""
    kept = [index for index in range(len(row["texts"])) if index not in gone]
    times = list(accumulate(row.get("dt") or [], initial=row.get("time0") or 0))
    new = {**row, "texts": [row["texts"][index] for index in kept]}
    if len(times) == len(row["texts"]):
        new["dt"] = [times[b] - times[a] for a, b in pairwise(kept)]
        if "time0" in row:
            new["time0"] = times[kept[0]]
    return new
