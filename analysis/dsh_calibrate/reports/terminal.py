"""A report as plain text for a terminal: no colours, no control characters, 100 columns."""

from __future__ import annotations

import textwrap
from typing import assert_never

from dsh_calibrate.reports.model import (
    Block,
    Bullets,
    Chart,
    Code,
    Finding,
    Paragraph,
    Report,
    Table,
)
from dsh_calibrate.reports.model_text import shown, visible
from dsh_calibrate.wording import counted

WIDTH = 100
"""Columns."""

_MOST_ROWS = 12
_NAME, _CELL = 34, 22


def terminal(report: Report) -> str:
    """The whole report; long tables end after some rows and say so."""
    title = visible(report.title)
    parts = [f"{title}\n{'=' * min(len(title), WIDTH)}", _list(report.summary)]
    for section in report.sections:
        heading = visible(section.title)
        parts.append(f"{heading}\n{'-' * min(len(heading), WIDTH)}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return _wrapped(text)
        case Bullets(items):
            return _list(items)
        case Code(text):
            lines = visible(text, lines=True).rstrip("\n").split("\n")
            return "\n".join(f"    {line}" for line in lines)
        case Finding(level, text):
            return _wrapped(f"{level}: {text}")
        case Chart():
            return f"{_wrapped(block.alternative)}\n\n{_table(block.table)}"
        case Table():
            return _table(block)
        case _:
            assert_never(block)


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(visible(text), WIDTH, subsequent_indent=indent, break_on_hyphens=False)


def _list(items: tuple[str, ...]) -> str:
    return "\n".join(_wrapped(f"- {item}", "  ") for item in items)


def _table(table: Table) -> str:
    title = visible(table.title)
    if not table.rows:
        return f"{title}: {visible(table.empty)}"
    cells = [[visible(column.title) for column in table.columns]]
    for row in table.rows[:_MOST_ROWS]:
        cells.append([shown(c, k.kind) for c, k in zip(row, table.columns, strict=True)])
    limits = [_NAME if column.kind in ("text", "code") else _CELL for column in table.columns]
    cells = [[_cut(text, limits[k]) for k, text in enumerate(row)] for row in cells]
    widths = [max(len(row[k]) for row in cells) for k in range(len(limits))]
    right = [column.kind in ("count", "number", "share") for column in table.columns]
    lines = [title]
    for line in cells:
        texts = (
            text.rjust(width) if is_right else text.ljust(width)
            for text, width, is_right in zip(line, widths, right, strict=True)
        )
        lines.append(("  " + "  ".join(texts)).rstrip())
    more = len(table.rows) - _MOST_ROWS
    if more > 0:
        lines.append(f"  and {counted(more, 'more row')} (in the files of -o DIR)")
    return "\n".join(lines)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
