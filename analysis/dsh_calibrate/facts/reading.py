"""Facts opened for reading: Polars frames of every table, and the views most sweeps need."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Self

import polars as pl

from dsh_calibrate.errors import UsageError
from dsh_calibrate.facts.folder import Manifest
from dsh_calibrate.facts.log_table import COVERAGE
from dsh_calibrate.facts.tables import SCHEMA_VERSION, TABLES
from dsh_calibrate.logs.coverage import LogCoverage

_CALL = ("log", "lifecycle", "call")


class Facts:
    """A folder of facts. A context manager: temporary ones are removed at its end."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        temporary: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self.folder = folder
        self.manifest = manifest
        self._temporary = temporary

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open what ``facts export`` wrote.

        Raises :class:`UsageError` for another folder and for another schema.
        """
        manifest = Manifest.read(folder)
        if manifest.schema_version != SCHEMA_VERSION:
            raise UsageError(
                f"{folder}: facts of schema {manifest.schema_version}, this version reads "
                f"{SCHEMA_VERSION}; export them again"
            )
        return cls(folder, manifest)

    def scan(self, table: str) -> pl.LazyFrame:
        """One table, read when it is collected."""
        return pl.scan_parquet(self.folder / f"{TABLES[table].name}.parquet")

    def frame(self, table: str) -> pl.DataFrame:
        """One table in memory."""
        return self.scan(table).collect()

    def count(self, table: str) -> int:
        """The number of rows of a table."""
        return int(self.scan(table).select(pl.len()).collect().item())

    def vectors(self) -> pl.DataFrame:
        """One row a tracked call, in order, with its measures as parallel lists.

        Columns: those of ``calls``, and ``measure``, ``fp``, ``next``, ``streak``,
        ``streak_after`` (lists in order of emission; ``streak_after`` holds nulls when no
        result settled). ``unique`` over the lists gives the distinct count vectors.
        """
        lists = (
            self.scan("measures")
            .group_by(_CALL, maintain_order=True)
            .agg("measure", "fp", "next", "streak", "streak_after")
        )
        calls = self.scan("calls").filter("rtb_tracked")
        return (
            lists.join(calls, on=_CALL, how="inner", maintain_order="left")
            .collect()
            .select(*_columns("calls"), "measure", "fp", "next", "streak", "streak_after")
        )

    def peaks(self) -> pl.DataFrame:
        """Maxima per log and measure kind: ``next``, ``streak``, ``streak_after``; sorted."""
        return (
            self.scan("measures")
            .group_by("log", "measure")
            .agg(pl.max("next"), pl.max("streak"), pl.max("streak_after"))
            .sort("log", "measure")
            .collect()
        )

    def coverages(self) -> dict[str, LogCoverage]:
        """The account of each log's reading, by key, in order."""
        names = [column.name for column in COVERAGE]
        found = {}
        for row in self.frame("logs").select("log", *names).iter_rows(named=True):
            key = row.pop("log")
            row["skipped_types"] = {s["type"]: s["lines"] for s in row["skipped_types"]}
            row["warnings"] = tuple(row["warnings"])
            found[key] = LogCoverage(**row)
        return found

    def close(self) -> None:
        """Remove temporary tables."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _columns(table: str) -> list[str]:
    return [column.name for column in TABLES[table].columns]
