"""Reads a labels file, strictly: every mistake is named with file, entry, line and key."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from dsh_calibrate.corpora.labels import (
    EXPECTATIONS,
    OUTCOMES,
    POINT_KINDS,
    SPLITS,
    Entry,
    LabelError,
    Outcome,
    Point,
    PointKind,
    Split,
)
from dsh_calibrate.kept_files import MIB, read_kept
from dsh_calibrate.toml_text import TomlError, parse_toml

Word = TypeVar("Word", bound=str)

ENTRY_KEYS = ("log", "session", "outcome", "split", "note", "at")
POINT_KEYS = ("guard", "lifecycle", "call", "stream", "expect")
MOST_BYTES = 16 * MIB
"""About a hundred thousand labels."""

_HEADER = re.compile(r"[ \t]*\[\[[ \t]*label[ \t]*\]\][ \t]*(?:#.*)?")
_QUOTES = re.compile(r'"""|\'\'\'')


def read_labels(path: Path) -> tuple[Entry, ...]:
    """The entries of a labels file, in its order. Raises :class:`LabelError`."""
    try:
        text = read_kept(path, MOST_BYTES).decode("utf-8")
    except OSError as wrong:
        raise LabelError(f"{path}: cannot be read ({wrong.strerror})") from None
    except UnicodeDecodeError:
        raise LabelError(f"{path}: is not UTF-8 text: save it as UTF-8") from None
    return parse_labels(text, str(path))


def parse_labels(text: str, name: str) -> tuple[Entry, ...]:
    """The entries of a labels file's text; ``name`` stands for the file in messages."""
    try:
        data = parse_toml(text)
    except TomlError as wrong:
        raise LabelError(f"{name}: is not TOML: {wrong}") from None
    for key in data:
        if key != "label":
            raise _unknown(name, key, ("label",))
    members = data.get("label", [])
    if not isinstance(members, list) or not all(isinstance(m, dict) for m in members):
        raise LabelError(f"{name}: label: must be tables, write [[label]] above each entry")
    lines = header_lines(text)
    located = len(lines) == len(members)
    return tuple(
        _entry(member, f"{name}: entry {k + 1}" + (f" (line {lines[k]})" if located else ""))
        for k, member in enumerate(members)
    )


def header_lines(text: str) -> list[int]:
    """Line numbers (from 1) of the ``[[label]]`` headers, those inside long strings left out.

    Three quotes in a comment could mislead it: use the numbers only when there are as many
    as there are entries.
    """
    found: list[int] = []
    closing = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not closing and _HEADER.fullmatch(line.rstrip("\r")):
            found.append(number)
        for quotes in _QUOTES.findall(line):
            closing = quotes if not closing else ("" if quotes == closing else closing)
    return found


def entry_of(row: Mapping[str, Any], place: str) -> Entry:
    """One checked entry from plain values; ``place`` is the start of every message."""
    return _entry(row, place)


def _entry(row: Mapping[str, Any], place: str) -> Entry:
    _known_keys(row, ENTRY_KEYS, place)
    log, session = _text(row, "log", place), _text(row, "session", place)
    if (log is None) == (session is None):
        what = "both are given" if log is not None else "neither is given"
        raise LabelError(f"{place}: log, session: {what}: give one of them, a glob")
    for key, glob in (("log", log), ("session", session)):
        if glob == "":
            raise LabelError(f"{place}: {key}: is empty and would match nothing: write a glob")
    points = row.get("at", [])
    if not isinstance(points, list) or not all(isinstance(p, dict) for p in points):
        raise LabelError(f"{place}: at: must be tables, write [[label.at]] above each")
    outcome: Outcome = _word(row, "outcome", OUTCOMES, place)
    split: Split | None = _word(row, "split", SPLITS, place) if "split" in row else None
    return Entry(
        outcome=outcome,
        log=log,
        session=session,
        split=split,
        note=_text(row, "note", place) or "",
        points=tuple(_point(p, f"{place}, at {k}") for k, p in enumerate(points, 1)),
        place=place,
    )


def _point(row: Mapping[str, Any], place: str) -> Point:
    _known_keys(row, POINT_KEYS, place)
    guard = _word(row, "guard", tuple(POINT_KINDS), place)
    kind: PointKind = POINT_KINDS[guard]
    other = "call" if kind == "stream" else "stream"
    if other in row or kind not in row:
        raise LabelError(
            f"{place}: {other if other in row else kind}: {guard} decides about a {kind}: "
            f"give {kind} (its number in the lifecycle, from 0) and no {other}"
        )
    return Point(
        guard=guard,
        lifecycle=_ordinal(row, "lifecycle", place) if "lifecycle" in row else 0,
        kind=kind,
        ordinal=_ordinal(row, kind, place),
        expect=_word(row, "expect", EXPECTATIONS, place),
    )


def _known_keys(row: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in row:
        if key not in known:
            raise _unknown(place, key, known)


def _unknown(place: str, key: str, known: Sequence[str]) -> LabelError:
    near = difflib.get_close_matches(key, known, 1)
    hint = f", did you mean {near[0]}?" if near else ""
    return LabelError(f"{place}: {key!r} is not a key here{hint} (known: {', '.join(known)})")


def _text(row: Mapping[str, Any], key: str, place: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise LabelError(f"{place}: {key}: must be a text in quotes")
    return value


def _word(row: Mapping[str, Any], key: str, words: Sequence[Word], place: str) -> Word:
    value = row.get(key)
    for word in words:
        if value == word:
            return word
    accepted = ", ".join(words)
    if value is None:
        raise LabelError(f"{place}: {key}: is missing: use one of {accepted}")
    raise LabelError(f"{place}: {key}: {value!r} is not known: use one of {accepted}")


def _ordinal(row: Mapping[str, Any], key: str, place: str) -> int:
    value = row[key]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise LabelError(f"{place}: {key}: must be a whole number from 0")
    return value
