"""Files of reasoning texts: a JSON array or JSON lines, of strings or objects with ``text``."""

from __future__ import annotations

import json
from pathlib import Path

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.reasoning_loop.stripping import to_units
from dsh_calibrate.kept_files import MIB, read_kept

MOST_BYTES = 256 * MIB


def read_texts(path: Path) -> list[str]:
    """Return the texts of a file in order.

    Raises :class:`UsageError` when the file cannot be read, is neither JSON nor JSON lines,
    or holds a row without text. Lone surrogates written as escapes are kept.
    """
    try:
        data = read_kept(path, MOST_BYTES)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror})") from error
    return [_text(row, path, number) for number, row in enumerate(_rows(data, path), 1)]


def cut(text: str, size: int) -> list[str]:
    """Return a text in pieces of ``size`` UTF-16 units; a cut may part a surrogate pair."""
    units = to_units(text)
    return [units[start : start + size] for start in range(0, len(units), size)]


def _rows(data: bytes, path: Path) -> list[object]:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if data.lstrip()[:1] == b"[":
        try:
            rows = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}: is not a JSON array ({_reason(error)})") from error
        return list(rows)
    rows = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise UsageError(
                f"{path}: line {number} is not JSON ({_reason(error)}); "
                'give a JSON array or JSON lines of {"text": …}'
            ) from error
    return rows


def _reason(error: Exception) -> str:
    """Return why a document is refused, without a piece of it."""
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else "not readable text"


def _text(row: object, path: Path, number: int) -> str:
    text = row.get("text") if isinstance(row, dict) else row
    if not isinstance(text, str):
        raise UsageError(f'{path}: row {number} has no "text"; each row is a string or has one')
    return text
