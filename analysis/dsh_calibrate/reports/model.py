"""One report, whatever it is rendered as: plain data, no markup, no escaping.

A :class:`Report` is a title, a summary and sections; a section is a list of blocks. Text in
it is what a reader sees; every renderer escapes it for its own format. Content of logs is
masked (or not) before it gets here (:mod:`.sections.shown`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Kind = Literal["text", "code", "count", "number", "share"]
"""What a column holds: prose, a name or key, an integer, a real number, a share of 1."""

Cell: TypeAlias = "str | int | float | None"


@dataclass(frozen=True, slots=True)
class Column:
    """``key`` names it in data files, ``title`` for people."""

    key: str
    title: str
    kind: Kind = "text"


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; ``id`` is unique in the report and names the data files.

    ``empty`` says in words why there is no row, where there is none.
    """

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    empty: str = "Nothing to list."


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture with what it says in words; ``spec`` is Vega-Lite, ``table`` its figures."""

    id: str
    title: str
    alternative: str
    spec: Mapping[str, Any]
    table: Table


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences."""

    text: str


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of lines."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Text to copy as it stands; ``language`` for readers that colour it."""

    text: str
    language: str = "text"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a reader must not miss."""

    level: Literal["note", "warning"]
    text: str


Block: TypeAlias = Paragraph | Bullets | Code | Finding | Table | Chart


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its blocks; ``id`` is unique in the report."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """A whole report; ``head`` are the keys every JSON document starts with."""

    title: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]
    masked: bool = True
    head: Mapping[str, Any] = field(default_factory=dict)


def charts(report: Report) -> Iterator[Chart]:
    """Every chart, in order."""
    for section in report.sections:
        yield from (block for block in section.blocks if isinstance(block, Chart))


def tables(report: Report) -> Iterator[Table]:
    """Every table, those of charts included, in order."""
    for section in report.sections:
        for block in section.blocks:
            if isinstance(block, Chart):
                yield block.table
            elif isinstance(block, Table):
                yield block
