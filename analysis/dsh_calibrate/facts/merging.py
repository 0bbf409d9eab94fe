"""Joins folders of facts: what a corpus gives in shards is what it gives at once.

Rows of a table are in the order of the logs and every log's row in ``logs`` says how many
there are, so the tables are walked side by side, once, in bounded memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.facts.folder import FolderWriter
from dsh_calibrate.facts.log_table import LOGS
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.facts.tables import TABLES

_BATCH = 16_384


class MergeError(CalibrateError):
    """Folders of facts that do not belong together."""


def merge(folders: Sequence[Path], out: Path) -> Facts:
    """Join ``folders`` into ``out`` and open it; ``out`` is none of them.

    A log that stands in several folders with the same facts counts once. Raises
    :class:`MergeError` when folders were made by another engine or under other settings, or
    tell different things about one log, :class:`UsageError` for what is no folder of facts.
    """
    if not folders:
        raise UsageError("facts merge: name at least one folder of facts")
    inputs = [_Input(folder) for folder in folders]
    if any(folder.resolve() == out.resolve() for folder in folders):
        raise UsageError(f"{out}: is one of the folders to merge; name another for the result")
    for other in inputs[1:]:
        _require_same(inputs[0], other)
    keys = sorted({key for given in inputs for key in given.rows})
    with FolderWriter(out, inputs[0].manifest) as writer:
        for key in keys:
            holders = [given for given in inputs if key in given.rows]
            first = holders[0].take(key)
            for other in holders[1:]:
                _require_equal(key, first, other.take(key), holders[0].folder, other.folder)
            for name, rows in first.items():
                writer.add(name, rows)
        for given in inputs:
            given.require_end()
    return Facts(out, inputs[0].manifest)


class _Input:
    """One folder, walked log by log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = Facts.open(folder).manifest
        columns = ["log", *(f"rows_{name}" for name in TABLES if name != LOGS.name)]
        try:
            self._files = {name: _Rows(folder, name) for name in TABLES}
            counts = pq.read_table(folder / f"{LOGS.name}.parquet", columns=columns).to_pylist()
        except (OSError, pa.ArrowException) as error:
            raise _damaged(folder, str(error)) from None
        self.rows = {row["log"]: row for row in counts}
        self._waiting = [row["log"] for row in counts]
        if None in self.rows or any(n is None or n < 0 for c in counts for n in _numbers(c)):
            raise _damaged(folder, "its logs do not say how many rows they have")
        if self._waiting != sorted(self.rows):
            raise _damaged(folder, "its logs are not in order")

    def take(self, key: str) -> dict[str, pa.Table]:
        """All rows of one log, by table; logs are asked for in order."""
        if self._waiting.pop(0) != key:
            raise _damaged(self.folder, "its logs are not in order")
        found = {}
        for name, file in self._files.items():
            count = 1 if name == LOGS.name else self.rows[key][f"rows_{name}"]
            rows = file.take(count)
            if rows.num_rows != count or set(rows.column("log").unique().to_pylist()) - {key}:
                raise _damaged(self.folder, f"table {name} does not hold what its logs say")
            found[name] = rows
        return found

    def require_end(self) -> None:
        """Refuse rows that belong to no log."""
        for name, file in self._files.items():
            if file.take(1).num_rows:
                raise _damaged(self.folder, f"table {name} does not hold what its logs say")


class _Rows:
    """The rows of one Parquet file, taken in portions of any size."""

    def __init__(self, folder: Path, name: str) -> None:
        path = folder / f"{name}.parquet"
        if path.exists() and not path.is_file():
            raise _damaged(folder, f"{path.name} is no file")
        file = pq.ParquetFile(path)
        self._folder = folder
        self._schema = TABLES[name].schema
        if not file.schema_arrow.equals(self._schema):
            raise _damaged(folder, f"table {name} has other columns")
        self._batches: Iterator[pa.RecordBatch] = file.iter_batches(batch_size=_BATCH)
        self._rest: pa.RecordBatch | None = None

    def take(self, count: int) -> pa.Table:
        """The next ``count`` rows; fewer where the file ends."""
        parts: list[pa.RecordBatch] = []
        while count > 0:
            batch = self._rest if self._rest is not None else self._next()
            if batch is None:
                break
            parts.append(batch.slice(0, count))
            self._rest = batch.slice(count) if batch.num_rows > count else None
            count -= parts[-1].num_rows
        return pa.Table.from_batches(parts, schema=self._schema)

    def _next(self) -> pa.RecordBatch | None:
        try:
            return next(self._batches, None)
        except (OSError, pa.ArrowException) as error:
            raise _damaged(self._folder, str(error)) from None


def _numbers(row: Mapping[str, int | None]) -> list[int | None]:
    """The row counts of a log."""
    return [value for key, value in row.items() if key != "log"]


def _require_same(first: _Input, other: _Input) -> None:
    for name, what in (
        ("engine", "were measured by different versions of the tool"),
        ("feeding", "were measured under different settings"),
        ("deciding", "hold decisions under different settings"),
        ("masked", "are masked and unmasked"),
    ):
        if getattr(first.manifest, name) != getattr(other.manifest, name):
            raise MergeError(
                f"{first.folder} and {other.folder} {what} ({name} in facts.json differs); "
                "export both again alike"
            )


def _require_equal(
    key: str,
    first: dict[str, pa.Table],
    second: dict[str, pa.Table],
    first_folder: Path,
    second_folder: Path,
) -> None:
    for name, rows in first.items():
        if not rows.equals(second[name]):
            raise MergeError(
                f"{key}: table {name} differs between {first_folder} and {second_folder}; the "
                "log has changed or two logs share a name: leave one out"
            )


def _damaged(folder: Path, why: str) -> CalibrateError:
    return UsageError(f"{folder}: facts are damaged ({why}); export them again")
