"""What a table of facts is made of: columns with a type, a unit and a meaning."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import pyarrow as pa

INT = pa.int64()
FLOAT = pa.float64()
TEXT = pa.string()
FLAG = pa.bool_()


@dataclass(frozen=True, slots=True)
class Column:
    """One column. ``unit`` is ``""`` for names and flags; ``private`` holds log content."""

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    private: bool = False


@dataclass(frozen=True)
class Table:
    """One table: its name, what one row is, its columns. Rows are in the order of ``order``.

    ``key`` are the columns that make a row unique.
    """

    name: str
    row: str
    key: tuple[str, ...]
    order: str
    columns: tuple[Column, ...]

    @functools.cached_property
    def schema(self) -> pa.Schema:
        """The Arrow schema; every field carries its unit and meaning as metadata."""
        return pa.schema([_field(column) for column in self.columns], {"row": self.row})

    @functools.cached_property
    def stored(self) -> tuple[Column, ...]:
        """The columns that a piece holds: all but what is known only when pieces join."""
        return tuple(column for column in self.columns if column.name not in _JOINED)


_JOINED = ("log", "rows_decisions")


def _field(column: Column) -> pa.Field:
    return pa.field(
        column.name, column.type, metadata={"unit": column.unit, "meaning": column.meaning}
    )


LOG = Column("log", TEXT, "Key of the log: POSIX path below the root it was found under.")
LIFECYCLE = Column(
    "lifecycle", INT, "How many of the log's own session/end-seed lines had been passed.", "count"
)
TURN = Column("turn", INT, "The log's own number of the turn; null where it says none.")
STEP = Column("step", INT, "The log's own number of the step; null where it says none.")


def seq(what: str) -> Column:
    """The log's own number of a line."""
    return Column("seq", INT, f"The log's number of the line of {what}.")


def line(what: str) -> Column:
    """The physical line in the log."""
    return Column("line", INT, f"Physical line of {what}, the header being 1.")


def time(what: str) -> Column:
    """A clock time from the log."""
    return Column("time", INT, f"When {what}; null where the log does not say.", "epoch ms")
