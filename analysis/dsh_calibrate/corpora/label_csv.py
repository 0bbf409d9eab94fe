"""Labels from a spreadsheet: CSV with a header row, import only (contract.md 6)."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from dsh_calibrate.corpora.label_reading import MOST_BYTES, entry_of
from dsh_calibrate.corpora.labels import Entry, LabelError
from dsh_calibrate.kept_files import read_kept

COLUMNS = ("log", "session", "outcome", "split", "note")


def read_label_csv(path: Path) -> tuple[Entry, ...]:
    """The entries of a CSV file: ``log`` or ``session``, ``outcome``, ``split``, ``note``.

    Values are trimmed; empty ones and empty rows do not exist. Both name columns may be
    there when each row fills one. Raises :class:`LabelError` with file, line and column.
    """
    try:
        text = read_kept(path, MOST_BYTES).decode("utf-8-sig")
    except OSError as wrong:
        raise LabelError(f"{path}: cannot be read ({wrong.strerror})") from None
    except UnicodeDecodeError:
        raise LabelError(f"{path}: is not UTF-8 text: export it as UTF-8") from None
    return parse_label_csv(text, str(path))


def parse_label_csv(text: str, name: str) -> tuple[Entry, ...]:
    """The entries of a CSV text; ``name`` stands for the file in messages."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    entries: list[Entry] = []
    columns: list[str] | None = None
    try:
        for row in rows:
            values = [value.strip() for value in row]
            if not any(values):
                continue
            if columns is None:
                columns = _header(values, name)
                continue
            place = f"{name}: line {rows.line_num}"
            if len(values) != len(columns):
                raise LabelError(
                    f"{place}: has {len(values)} values for {len(columns)} columns: "
                    "put values that hold commas into double quotes"
                )
            given = {c: v for c, v in zip(columns, values, strict=True) if v}
            entries.append(entry_of(given, place))
    except csv.Error as wrong:
        raise LabelError(f"{name}: line {rows.line_num}: is not CSV: {wrong}") from None
    if columns is None:
        raise LabelError(f"{name}: is empty: the first row names the columns {_named()}")
    return tuple(entries)


def _header(columns: list[str], name: str) -> list[str]:
    for column in columns:
        if column not in COLUMNS:
            raise LabelError(f"{name}: column {column!r} is not known: use {_named()}")
        if columns.count(column) > 1:
            raise LabelError(f"{name}: column {column} stands there twice: keep one")
    if "outcome" not in columns or not {"log", "session"} & set(columns):
        raise LabelError(f"{name}: log or session, and outcome, must be columns")
    return columns


def _named() -> str:
    return ", ".join(COLUMNS)
