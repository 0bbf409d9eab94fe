"""Reads and writes ``baseline.jsonl``; what was not written here is named and refused."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dsh_calibrate.corpora.baseline import SCHEMA, Baseline, BaselineCoverage, Row
from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.kept_files import MIB, read_kept

_HEAD = ("schema", "engine", "plugin_versions", "settings", "corpus", "coverage", "rows", "digest")
_COUNTS = ("found", "whole", "lines", "skipped_lines")
_TEXTS = ("log", "guard", "verdict", "stage")
_OPTIONAL = ("measure", "fp", "count", "threshold")
MOST_BYTES = 64 * MIB
"""About three hundred thousand decisions."""
LONGEST_LINE = MIB
_REPAIR = "restore it from version control, or delete it and write it with `check --update`"


class BaselineError(CalibrateError):
    """A baseline cannot be used; the line names the file, the line and what to do."""


def row_json(row: Row) -> dict[str, object]:
    """The fields of contract.md 6 in their order; what is unknown is left out."""
    found: dict[str, object] = {
        "log": row.log,
        "lifecycle": row.lifecycle,
        row.kind: row.ordinal,
        "guard": row.guard,
        "verdict": row.verdict,
        "stage": row.stage,
    }
    for key in _OPTIONAL:
        value = getattr(row, key)
        if value is not None:
            found[key] = value
    return found


def render_baseline(baseline: Baseline) -> str:
    """The text of the file: the head, then one row a line, sorted."""
    rows = [_compact(row_json(row)) for row in baseline.rows]
    head = {
        "schema": SCHEMA,
        "engine": baseline.engine,
        "plugin_versions": dict(sorted(baseline.plugin_versions.items())),
        "settings": dict(sorted(baseline.settings.items())),
        "corpus": baseline.corpus,
        "coverage": asdict(baseline.coverage),
        "rows": len(rows),
        "digest": _digest(rows),
    }
    return "".join(f"{line}\n" for line in [_compact(head), *rows])


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises :class:`BaselineError` for a file that is missing, of another schema, or was
    changed by hand (a bad line, an unknown key, another order, rows added or taken away).
    """
    try:
        text = read_kept(path, MOST_BYTES).decode("utf-8")
    except FileNotFoundError:
        raise BaselineError(
            f"{path}: no baseline yet: look at `dsh-calibrate replay {path.parent}`, then write "
            f"it with `dsh-calibrate check {path.parent} --update`"
        ) from None
    except OSError as wrong:
        raise BaselineError(f"{path}: cannot be read ({wrong.strerror})") from None
    except UnicodeDecodeError:
        raise BaselineError(f"{path}: is not UTF-8 text: {_REPAIR}") from None
    return parse_baseline(text, str(path))


def parse_baseline(text: str, name: str) -> Baseline:
    """Parse the text of a baseline; ``name`` stands for the file in messages."""
    lines = text.split("\n")
    if lines[-1] != "":
        raise _edited(name, len(lines), "the last line is not ended")
    head, lines = _object(lines[0], name, 1), lines[1:-1]
    if head.get("schema") != SCHEMA or isinstance(head.get("schema"), bool):
        raise BaselineError(
            f"{name}: line 1: schema {head.get('schema')!r} is not known here: this version "
            f"reads schema {SCHEMA}; delete the file and write it with `check --update`"
        )
    _only(head, _HEAD, name, 1)
    baseline = _head(head, name)
    rows: list[Row] = []
    for number, line in enumerate(lines, 2):
        row = _row(_object(line, name, number), name, number)
        if _compact(row_json(row)) != line:
            raise _edited(name, number, "is not written as `check --update` writes it")
        if rows and row.sort_key < rows[-1].sort_key:
            raise _edited(name, number, "is not in its place, the lines are sorted")
        rows.append(row)
    if head["rows"] != len(rows) or head["digest"] != _digest(lines):
        raise BaselineError(
            f"{name}: line 1: does not vouch for the {len(rows)} lines below it; they were "
            f"edited or merged by hand: {_REPAIR}"
        )
    return Baseline(
        engine=baseline.engine,
        plugin_versions=baseline.plugin_versions,
        settings=baseline.settings,
        corpus=baseline.corpus,
        coverage=baseline.coverage,
        rows=tuple(rows),
    )


def _head(head: Mapping[str, Any], name: str) -> Baseline:
    for key in ("engine", "corpus", "digest"):
        if not isinstance(head.get(key), str):
            raise _edited(name, 1, f"{key} must be a text")
    for key in ("plugin_versions", "settings"):
        table = head.get(key)
        if not isinstance(table, dict) or not all(isinstance(v, str) for v in table.values()):
            raise _edited(name, 1, f"{key} must be a table of texts")
    coverage = head.get("coverage")
    if not isinstance(coverage, dict) or set(coverage) != set(_COUNTS):
        raise _edited(name, 1, f"coverage must hold {', '.join(_COUNTS)}")
    if not all(map(_is_count, coverage.values())) or not _is_count(head.get("rows")):
        raise _edited(name, 1, "coverage and rows must be counts")
    return Baseline(
        engine=head["engine"],
        plugin_versions=head["plugin_versions"],
        settings=head["settings"],
        corpus=head["corpus"],
        coverage=BaselineCoverage(**coverage),
    )


def _row(data: Mapping[str, Any], name: str, number: int) -> Row:
    _only(data, ("log", "lifecycle", "call", "stream", *_TEXTS[1:], *_OPTIONAL), name, number)
    if ("call" in data) == ("stream" in data):
        raise _edited(name, number, "must have call or stream")
    kind = "call" if "call" in data else "stream"
    for key in _TEXTS:
        if not isinstance(data.get(key), str):
            raise _edited(name, number, f"{key} must be a text")
    for key in ("lifecycle", kind):
        if not _is_count(data.get(key)):
            raise _edited(name, number, f"{key} must be a whole number from 0")
    for key in ("measure", "fp"):
        if not isinstance(data.get(key), str | None):
            raise _edited(name, number, f"{key} must be a text")
    for key in ("count", "threshold"):
        value = data.get(key)
        numeric = isinstance(value, int | (float if key == "threshold" else int))
        endless = isinstance(value, float) and not math.isfinite(value)
        if value is not None and (isinstance(value, bool) or not numeric or endless):
            raise _edited(name, number, f"{key} must be a number")
    return Row(
        kind="call" if kind == "call" else "stream",
        ordinal=data[kind],
        lifecycle=data["lifecycle"],
        **{key: data[key] for key in _TEXTS},
        measure=data.get("measure"),
        fp=data.get("fp"),
        count=data.get("count"),
        threshold=data.get("threshold"),
    )


def _object(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        if len(line) > LONGEST_LINE:
            raise _edited(name, number, "is too long")
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise _edited(name, number, "is not JSON") from None
    if not isinstance(data, dict):
        raise _edited(name, number, "is no JSON object")
    return data


def _only(data: Mapping[str, Any], known: Iterable[str], name: str, number: int) -> None:
    for key in data:
        if key not in known:
            raise _edited(name, number, f"{key!r} is not a key here")


def _edited(name: str, number: int, what: str) -> BaselineError:
    return BaselineError(f"{name}: line {number}: {what}: {_REPAIR}")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _compact(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    # Only lone surrogates cannot be encoded, and JSON writes them just like this.
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _digest(lines: Iterable[str]) -> str:
    """What line 1 says of the rows: 16 hex digits over them."""
    digest = hashlib.blake2b(digest_size=8)
    for line in lines:
        digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
