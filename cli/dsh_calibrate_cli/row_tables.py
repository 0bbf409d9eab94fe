"""Flat rows as csv and Parquet, for the commands whose artefact is a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from dsh_calibrate_cli.console import printable

Columns = Mapping[str, type]
"""Column name to the type of its values: ``str``, ``int``, ``float`` or ``bool``."""


def csv_bytes(rows: Sequence[Mapping[str, object]], columns: Columns) -> bytes:
    """The rows as csv with a head; ``None`` is empty.

    Control characters and lone surrogates of log content are escapes, since a csv is printed
    as readily as it is stored; JSON and Parquet hold them as they are.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(columns), extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: printable(v) if isinstance(v, str) else v for k, v in row.items()})
    return text.getvalue().encode("utf-8", "backslashreplace")


def parquet_bytes(rows: Sequence[Mapping[str, object]], columns: Columns) -> bytes:
    """The same rows as one Parquet file."""
    import polars as pl

    types: dict[type, type[pl.DataType]] = {
        str: pl.String,
        int: pl.Int64,
        float: pl.Float64,
        bool: pl.Boolean,
    }
    frame = pl.DataFrame(
        {name: [_value(row.get(name), kind) for row in rows] for name, kind in columns.items()},
        schema={name: types[kind] for name, kind in columns.items()},
    )
    data = io.BytesIO()
    frame.write_parquet(data)
    return data.getvalue()


def _value(value: object, kind: type) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if kind is float and isinstance(value, int):
        return float(value)
    return value
