"""Rows of one log on their way into a piece: collected a little, then written as a batch.

Pieces hold Arrow streams, which cost a fraction of Parquet for the few rows of a short log;
Parquet is what a folder of facts is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from dsh_calibrate.facts.columns import Column, Table

ROWS_AT_ONCE = 16_384
"""Rows of one log and table held in memory at most."""

_FEW_ROWS = 1_000

SUFFIX = ".arrows"
"""Of the files that sinks write."""

_PLAIN = pa.ipc.IpcWriteOptions(use_threads=False)
_COMPRESSED = pa.ipc.IpcWriteOptions(compression="zstd", use_threads=False)
"""For tables of many rows; on few rows compression costs more than it saves."""

_LARGEST = 2**63 - 1


class Sink:
    """The rows of one table of one log; ``count`` is how many there are so far."""

    def __init__(self, table: Table, path: Path) -> None:
        self.count = 0
        self._columns = table.stored
        self._schema = pa.schema([(c.name, c.type) for c in self._columns])
        self._path = path
        self._rows: list[tuple[Any, ...]] = []
        self._writer: pa.RecordBatchStreamWriter | None = None

    def add(self, row: tuple[Any, ...]) -> None:
        """Take one row: the values of the table's columns but ``log``, in order."""
        self._rows.append(row)
        self.count += 1
        if len(self._rows) >= ROWS_AT_ONCE:
            self._flush()

    def _flush(self) -> None:
        if not self._rows:
            return
        if self._writer is None:
            options = _COMPRESSED if len(self._rows) > _FEW_ROWS else _PLAIN
            self._writer = pa.ipc.new_stream(str(self._path), self._schema, options=options)
        columns = zip(*self._rows, strict=True)
        arrays = [_array(v, c) for v, c in zip(columns, self._columns, strict=True)]
        self._writer.write_batch(pa.record_batch(arrays, schema=self._schema))
        self._rows.clear()

    def close(self) -> None:
        """Write what is left; a table without rows leaves no file."""
        self._flush()
        if self._writer is not None:
            self._writer.close()


class Sinks:
    """One sink a table, below one folder; a context manager that closes them."""

    def __init__(self, folder: Path, tables: Sequence[Table]) -> None:
        self._sinks = {t.name: Sink(t, folder / f"{t.name}{SUFFIX}") for t in tables}

    def __getitem__(self, name: str) -> Sink:
        return self._sinks[name]

    def counts(self) -> dict[str, int]:
        """Rows so far, by table."""
        return {name: sink.count for name, sink in self._sinks.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for sink in self._sinks.values():
            sink.close()


def _array(values: Sequence[Any], column: Column) -> pa.Array:
    try:
        return pa.array(values, column.type)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        return pa.array([_storable(value) for value in values], column.type)


def _storable(value: Any) -> Any:
    """Make a value of a hostile log storable: lone surrogates escaped, huge numbers dropped."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if -_LARGEST <= value <= _LARGEST else None
    if isinstance(value, list | tuple):
        return [_storable(item) for item in value]
    if isinstance(value, dict):
        return {name: _storable(item) for name, item in value.items()}
    return value
