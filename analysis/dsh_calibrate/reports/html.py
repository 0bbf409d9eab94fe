"""A report as one HTML file: no network, light and dark, readable without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import assert_never

from dsh_calibrate.reports.charts.drawing import following
from dsh_calibrate.reports.html_style import FILTER, style
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

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"


def html(report: Report, drawings: Mapping[str, str]) -> str:
    """The whole page; ``drawings`` are the SVGs of its charts by id."""
    title = _text(report.title)
    contents = "".join(
        f'<li><a href="#{section.id}">{_text(section.title)}</a></li>'
        for section in report.sections
    )
    body = "\n".join(
        f'<section id="{section.id}">\n<h2>{_text(section.title)}</h2>\n'
        + "\n".join(_block(block, drawings) for block in section.blocks)
        + "\n</section>"
        for section in report.sections
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>\n{style()}</style>\n</head>\n<body>\n"
        f"<header>\n<h1>{title}</h1>\n{_list(report.summary, 'summary')}\n</header>\n"
        f'<nav aria-label="Contents"><ol>{contents}</ol></nav>\n<main>\n{body}\n</main>\n'
        f"<script>\n{FILTER}</script>\n</body>\n</html>\n"
    )


def _text(text: str) -> str:
    return escape(visible(text), quote=True)


def _block(block: Block, drawings: Mapping[str, str]) -> str:
    match block:
        case Paragraph(text):
            return f"<p>{_text(text)}</p>"
        case Bullets(items):
            return _list(items, "")
        case Code(text):
            return f'<pre tabindex="0"><code>{escape(visible(text, lines=True))}</code></pre>'
        case Finding(level, text):
            name = f"<strong>{level.capitalize()}.</strong>"
            return f'<p class="finding {level}">{name} {_text(text)}</p>'
        case Chart():
            picture = following(drawings[block.id])
            return (
                f"<h3>{_text(block.title)}</h3>\n"
                f'<figure><div class="scroll" tabindex="0" role="region" '
                f'aria-label="{_text(block.title)}">{picture}</div>\n'
                f"<figcaption>{_text(block.alternative)}</figcaption></figure>\n"
                f"{_table(block.table, 4)}"
            )
        case Table():
            return _table(block, 3)
        case _:
            assert_never(block)


def _list(items: tuple[str, ...], name: str) -> str:
    attribute = f' class="{name}"' if name else ""
    return f"<ul{attribute}>" + "".join(f"<li>{_text(item)}</li>" for item in items) + "</ul>"


def _table(table: Table, level: int) -> str:
    title = f'<h{level} id="{table.id}-title">{_text(table.title)}</h{level}>\n'
    if not table.rows:
        return f"{title}<p>{_text(table.empty)}</p>"
    right = [column.kind in ("count", "number", "share") for column in table.columns]
    wide = [
        column.kind in ("text", "code") and max(len(str(row[k])) for row in table.rows) > 40
        for k, column in enumerate(table.columns)
    ]
    head = "".join(
        f'<th scope="col"{_side(is_right, is_wide)}>{_text(column.title)}</th>'
        for column, is_right, is_wide in zip(table.columns, right, wide, strict=True)
    )
    rows = []
    for row in table.rows:
        cells = []
        for cell, column, is_right in zip(row, table.columns, right, strict=True):
            text = _text(shown(cell, column.kind))
            if column.kind == "code" and cell:
                text = f"<code>{text}</code>"
            cells.append(f"<td{_side(is_right)}>{text}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    note = f'\n<p class="note">{_text(table.note)}</p>' if table.note else ""
    return (
        f'{title}<div class="scroll" tabindex="0" role="region" '
        f'aria-labelledby="{table.id}-title"><table>\n<thead><tr>{head}</tr></thead>\n'
        "<tbody>\n" + "\n".join(rows) + f"\n</tbody>\n</table></div>{note}"
    )


def _side(is_right: bool, is_wide: bool = False) -> str:
    name = "n" if is_right else "w" if is_wide else ""
    return f' class="{name}"' if name else ""
