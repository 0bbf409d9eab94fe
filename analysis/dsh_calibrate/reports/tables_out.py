"""Every table of a report as CSV and Parquet, and the report itself as JSON."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, assert_never

from dsh_calibrate.reports.model import (
    Block,
    Bullets,
    Cell,
    Chart,
    Code,
    Column,
    Finding,
    Paragraph,
    Report,
    Table,
)
from dsh_calibrate.reports.model_text import data, visible

_STARTS = ("=", "+", "-", "@", "\t", "\r", "'")
"""What a spreadsheet takes for a formula (or for the mark that it is none)."""


def csv_bytes(table: Table) -> bytes:
    """A table as CSV; text that a spreadsheet would compute begins with an apostrophe."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.key for column in table.columns])
    for row in table.rows:
        writer.writerow([_plain(cell) for cell in row])
    return text.getvalue().encode()


def _plain(cell: Cell) -> Cell:
    value = data(cell)
    if isinstance(value, str) and value.lstrip().startswith(_STARTS):
        return f"'{value}"
    return value


def parquet_bytes(table: Table) -> bytes:
    """The same as Parquet, typed."""
    import polars as pl

    types: dict[str, Any] = {
        "text": pl.String,
        "code": pl.String,
        "count": pl.Int64,
        "number": pl.Float64,
        "share": pl.Float64,
    }
    frame = pl.DataFrame(
        [[data(cell) for cell in row] for row in table.rows],
        schema={column.key: types[column.kind] for column in table.columns},
        orient="row",
    )
    stream = io.BytesIO()
    frame.write_parquet(stream, statistics=False)
    return stream.getvalue()


def report_json(report: Report) -> bytes:
    """The report as JSON (docs/schemas/report.schema.json)."""
    document = {
        **report.head,
        "report": {
            "title": visible(report.title),
            "masked": report.masked,
            "summary": [visible(line) for line in report.summary],
            "sections": [
                {
                    "id": section.id,
                    "title": visible(section.title),
                    "blocks": [_block(block) for block in section.blocks],
                }
                for section in report.sections
            ],
        },
    }
    return json.dumps(_safe(document), ensure_ascii=False, indent=2, allow_nan=False).encode() + (
        b"\n"
    )


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value, lines=True)
    if isinstance(value, dict):
        return {visible(str(key)): _safe(entry) for key, entry in value.items()}
    return [_safe(entry) for entry in value] if isinstance(value, list | tuple) else value


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Paragraph(text):
            return {"type": "paragraph", "text": text}
        case Bullets(items):
            return {"type": "list", "items": list(items)}
        case Code(text, language):
            return {"type": "code", "language": language, "text": text}
        case Finding(level, text):
            return {"type": "finding", "level": level, "text": text}
        case Chart():
            return {
                "type": "chart",
                "id": block.id,
                "title": block.title,
                "alternative": block.alternative,
                "table": _table(block.table),
            }
        case Table():
            return {"type": "table", **_table(block)}
        case _:
            assert_never(block)


def _table(table: Table) -> dict[str, Any]:
    return {
        "id": table.id,
        "title": table.title,
        "columns": [_column(column) for column in table.columns],
        "rows": [[data(cell) for cell in row] for row in table.rows],
        "note": table.note,
        "empty": table.empty if not table.rows else None,
    }


def _column(column: Column) -> dict[str, str]:
    return {"key": column.key, "title": column.title, "kind": column.kind}
