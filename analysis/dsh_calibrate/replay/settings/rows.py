"""The rows of plugins that patch files, bundles and our own mappings put together."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dsh_calibrate.replay.settings.catalogue import GUARDS, guard_of
from dsh_calibrate.replay.settings.findings import Findings
from dsh_calibrate.replay.settings.nodes import Node


@dataclass(slots=True)
class Row:
    """One row of the composed tree, while it is being composed.

    ``layer`` counts the elements of ``--config`` (the whole of ``auto`` is one); ``source``
    and ``line`` say where the row came from, ``config_source`` and ``config.line`` where
    its config did. ``mounts`` is false for rows that only carry settings. ``children`` are
    the rows of a group.
    """

    source: str
    line: int | None
    layer: int
    id: str | None = None
    name: str | None = None
    config: Node | None = None
    config_source: str = ""
    overridden_in: str = ""
    disabled: bool = False
    mounts: bool = True
    children: list[Row] | None = None

    @property
    def guard(self) -> str | None:
        """Short name of the guard that the row mounts, if it is one's."""
        return guard_of(self.name, self.id)


@dataclass(slots=True)
class Tree:
    """All rows so far, in order."""

    rows: list[Row] = field(default_factory=list)

    def find(self, row_id: str) -> Row | None:
        """The row of that id, in groups too."""
        return next((row for row, _ in self.walk() if row.id == row_id), None)

    def walk(self) -> Iterator[tuple[Row, bool]]:
        """Every row with whether it is switched on (its groups counted in)."""
        stack = [(row, True) for row in reversed(self.rows)]
        while stack:
            row, on = stack.pop()
            active = on and not row.disabled
            yield row, active
            stack.extend((child, active) for child in reversed(row.children or ()))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The row that counts for one guard; ``mounted`` when a layer really mounts it."""

    row: Row | None
    active: bool
    mounted: bool


def choose(tree: Tree, guard: str, findings: Findings) -> Chosen:
    """Pick the row of ``guard``: the last layer's, an active one before a disabled one.

    Two active rows in one layer are refused.
    """
    mine = [(row, on) for row, on in tree.walk() if row.guard == guard]
    active = [row for row, on in mine if on]
    mounted = any(row.mounts for row in active)
    if not active:
        return Chosen(mine[-1][0] if mine else None, False, False)
    last = max(row.layer for row in active)
    top = [row for row in active if row.layer == last]
    for second in top[1:]:
        first = top[0]
        findings.refuse(
            second.source,
            second.line,
            f"{second.id or second.name}: a second row of {GUARDS[guard].package}, the first "
            f"is in {first.source}{f', line {first.line}' if first.line else ''}; keep one",
        )
    return Chosen(top[0], True, mounted)
