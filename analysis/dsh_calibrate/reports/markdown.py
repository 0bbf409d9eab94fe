"""A report as Markdown; pictures lie beside it under ``charts/``."""

from __future__ import annotations

import re
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

_ACTS = re.compile(r"[\\`*_{}\[\]<>|~&#$!@]|(?<=[a-z])://|(?<=\bwww)\.", re.IGNORECASE)


def escaped(text: str) -> str:
    """Text that no Markdown reader takes for markup, HTML, a link or a mention."""
    return _ACTS.sub(_entity, visible(text))


def _entity(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(c)};" for c in found[0])


def markdown(report: Report) -> str:
    """The whole report."""
    parts = [f"# {escaped(report.title)}", _list(report.summary)]
    for section in report.sections:
        parts.append(f"## {escaped(section.title)}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(parts) + "\n"


def _block(block: Block) -> str:
    match block:
        case Paragraph(text):
            return escaped(text)
        case Bullets(items):
            return _list(items)
        case Code(text, language):
            return _fenced(text, language)
        case Finding(level, text):
            return f"> **{level.capitalize()}:** {escaped(text)}"
        case Chart():
            picture = f"![{escaped(block.alternative)}](charts/{block.id}.svg)"
            return f"### {escaped(block.title)}\n\n{picture}\n\n{_table(block.table, level=4)}"
        case Table():
            return _table(block, level=3)
        case _:
            assert_never(block)


def _list(items: tuple[str, ...]) -> str:
    return "\n".join(f"- {escaped(item)}" for item in items)


def _fenced(text: str, language: str) -> str:
    shown_text = visible(text, lines=True).rstrip("\n")
    ticks = max((len(run) for run in re.findall(r"`+", shown_text)), default=0)
    fence = "`" * max(3, ticks + 1)
    return f"{fence}{language}\n{shown_text}\n{fence}"


def _table(table: Table, *, level: int) -> str:
    head = f"{'#' * level} {escaped(table.title)}"
    if not table.rows:
        return f"{head}\n\n{escaped(table.empty)}"
    numeric = [column.kind in ("count", "number", "share") for column in table.columns]
    lines = [
        _row([escaped(column.title) for column in table.columns]),
        _row(["---:" if right else "---" for right in numeric]),
    ]
    for row in table.rows:
        cells = []
        for cell, column in zip(row, table.columns, strict=True):
            text = escaped(shown(cell, column.kind))
            cells.append(f"<code>{text}</code>" if column.kind == "code" and cell else text)
        lines.append(_row(cells))
    note = f"\n\n{escaped(table.note)}" if table.note else ""
    return f"{head}\n\n" + "\n".join(lines) + note


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
