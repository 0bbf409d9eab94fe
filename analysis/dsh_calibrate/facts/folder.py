"""A folder of facts: one Parquet file a table, and ``facts.json`` that says what they are."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from dsh_calibrate.errors import UsageError
from dsh_calibrate.facts.tables import SCHEMA_VERSION, TABLES
from dsh_calibrate.kept_files import MIB, read_kept
from dsh_calibrate.logs.protecting import refuse_recorded
from dsh_calibrate.whole_files import write_whole

MANIFEST = "facts.json"

WRITER_OPTIONS: Mapping[str, Any] = {
    "compression": "zstd",
    "compression_level": 3,
    "version": "2.6",
    "data_page_version": "1.0",
}
"""Fixed, so that the same rows give the same bytes."""

ROWS_A_GROUP = 65_536
"""Rows of a row group, whatever the logs they come from."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a folder holds: two folders may only be merged when theirs are equal.

    ``feeding`` and ``deciding`` are the settings that facts and decisions hang on
    (``facts.settings``); ``deciding`` is ``None`` when no decisions were made. ``masked``
    tells that columns with log content are null.
    """

    engine: str
    feeding: Mapping[str, Any]
    deciding: Mapping[str, Any] | None
    masked: bool = False
    schema_version: int = SCHEMA_VERSION

    def as_bytes(self) -> bytes:
        """The text of ``facts.json``."""
        return json.dumps(asdict(self), indent=2, sort_keys=True).encode() + b"\n"

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read a folder's; raises :class:`UsageError` when it is no folder of facts."""
        path = folder / MANIFEST
        try:
            made = cls(**json.loads(read_kept(path, MIB)))
            if not made._is_sound():
                raise TypeError
            return made
        except FileNotFoundError:
            raise UsageError(
                f"{folder}: no folder of facts ({MANIFEST} is missing); make one with "
                "'facts export'"
            ) from None
        except OSError as error:
            raise UsageError(f"{path}: cannot be read ({error.strerror})") from None
        except (ValueError, TypeError, RecursionError):
            raise UsageError(f"{path}: not the description of a folder of facts") from None

    def _is_sound(self) -> bool:
        """Whether every key has its type."""
        return (
            isinstance(self.engine, str)
            and isinstance(self.feeding, dict)
            and isinstance(self.deciding, dict | None)
            and isinstance(self.masked, bool)
            and isinstance(self.schema_version, int)
            and not isinstance(self.schema_version, bool)
        )


class FolderWriter:
    """Writes a folder log by log, in the order of the logs; bounded memory."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self._manifest = manifest
        require_free(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MANIFEST).unlink(missing_ok=True)
        self._held: dict[str, list[pa.Table]] = {name: [] for name in TABLES}
        self._rows = dict.fromkeys(TABLES, 0)
        self._writers: dict[str, pq.ParquetWriter] = {}
        try:
            for name, table in TABLES.items():
                place = folder / f".{name}.writing"
                self._writers[name] = pq.ParquetWriter(place, table.schema, **WRITER_OPTIONS)
        except BaseException:
            self.abandon()
            raise

    def add(self, name: str, rows: pa.Table) -> None:
        """Append complete rows (with ``log``) to a table."""
        if self._manifest.masked:
            rows = _masked(name, rows)
        self._held[name].append(rows)
        self._rows[name] += rows.num_rows
        if self._rows[name] >= ROWS_A_GROUP:
            self._write(name, last=False)

    def _write(self, name: str, *, last: bool) -> None:
        held = self._held[name]
        if not held:
            return
        rows = pa.concat_tables(held)
        held.clear()
        start = 0
        while rows.num_rows - start >= ROWS_A_GROUP or (last and start < rows.num_rows):
            group = rows.slice(start, ROWS_A_GROUP).combine_chunks()
            self._writers[name].write_table(group, row_group_size=ROWS_A_GROUP)
            start += ROWS_A_GROUP
        if start < rows.num_rows:
            held.append(rows.slice(start))
        self._rows[name] = max(rows.num_rows - start, 0)

    def close(self) -> None:
        """Finish all files and put them in place, ``facts.json`` last."""
        for name, writer in self._writers.items():
            self._write(name, last=True)
            writer.close()
            os.replace(self._folder / f".{name}.writing", self._folder / f"{name}.parquet")  # noqa: PTH105
        write_whole(self._folder / MANIFEST, self._manifest.as_bytes())

    def abandon(self) -> None:
        """Remove what is half written, on a full disk too."""
        for name, writer in self._writers.items():
            with contextlib.suppress(OSError, pa.ArrowException):
                writer.close()
            writer.is_open = False  # or it would try once more when Python forgets it, and say so
            (self._folder / f".{name}.writing").unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.abandon()
            return
        try:
            self.close()
        except BaseException:
            self.abandon()
            raise


def require_free(folder: Path) -> None:
    """Refuse a place where something else lies; an older folder of facts is replaced."""
    refuse_recorded(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: is a file; name a folder for the facts")
    if folder.is_dir() and not (folder / MANIFEST).exists() and any(folder.iterdir()):
        raise UsageError(f"{folder}: holds other files; name an empty or a new folder")


def with_columns(name: str, batch: pa.RecordBatch, extra: Mapping[str, Any]) -> pa.Table:
    """Rows of a piece as rows of the table: adds the columns in ``extra``, one value each."""
    schema = TABLES[name].schema
    arrays: list[pa.Array] = [
        pa.repeat(pa.scalar(extra[field.name], field.type), batch.num_rows)
        if field.name in extra
        else batch.column(batch.schema.get_field_index(field.name))
        for field in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _masked(name: str, rows: pa.Table) -> pa.Table:
    for position, column in enumerate(TABLES[name].columns):
        if column.private:
            nothing = pa.nulls(rows.num_rows, column.type)
            rows = rows.set_column(position, rows.schema.field(position), nothing)
    return rows
