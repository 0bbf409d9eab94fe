"""The look that tables have in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from dsh_calibrate_cli.column_widths import broken, fitted

if TYPE_CHECKING:
    from rich.box import Box
    from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType


@dataclass(slots=True)
class Column:
    """A head and how what is below it is set."""

    head: str
    justify: JustifyMethod = "left"


@dataclass(slots=True)
class FittedTable:
    """A table as wide as it must be, whose words stay whole while the terminal allows it.

    Rich's own table breaks words of the widest column first; this one decides the widths
    and the line breaks itself (column_widths) and leaves the drawing to Rich.
    """

    columns: list[Column]
    title: str = ""
    box: Box | None = None
    head_style: str = "bold"
    rows: list[tuple[Text, ...]] = field(default_factory=list)

    def add_row(self, *cells: Text | str) -> None:
        """Append a row; cells from a log are made by :func:`dsh_calibrate_cli.console.cell`."""
        row = [Text(each) if isinstance(each, str) else each for each in cells]
        self.rows.append((*row, *[Text()] * (len(self.columns) - len(row))))

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterator[RenderableType]:
        """Draw the table in the width there is."""
        if self.title:
            yield Text(self.title, style="bold")
        frame = 2 * len(self.columns) + (len(self.columns) + 1 if self.box else 0)
        heads = [Text(column.head) for column in self.columns]
        texts = [[line[k].plain for line in (heads, *self.rows)] for k in range(len(self.columns))]
        widths = fitted(texts, options.max_width - frame)
        table = Table(box=self.box, header_style=self.head_style)
        for column, head, width in zip(self.columns, heads, widths, strict=True):
            table.add_column(_lines(head, width), justify=column.justify, width=width)
        for row in self.rows:
            table.add_row(*map(_lines, row, widths))
        yield table


def plain_table(title: str, *columns: str) -> FittedTable:
    """A table with a bold title and a rule under its head; all but the first column right."""
    from rich import box

    return FittedTable(
        [Column(head, "right" if place else "left") for place, head in enumerate(columns)],
        title=title,
        box=box.SIMPLE_HEAD,
    )


def bare_table(*columns: str) -> FittedTable:
    """A table without rules, its head dimmed and everything to the left."""
    return FittedTable([Column(head) for head in columns], head_style="dim")


def _lines(text: Text, width: int) -> Text:
    """The cell with its line breaks; what is indented stays so on every line."""
    indent = len(text.plain) - len(text.plain.lstrip())
    cuts = broken(text.plain[indent:], max(1, width - indent))
    if not cuts:
        return text
    lines = text.divide(cut + indent for cut in cuts)
    for line in lines:
        line.rstrip()
    return Text("\n" + " " * indent, style=text.style).join(lines)
