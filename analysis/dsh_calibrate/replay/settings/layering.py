"""One guard's row and what is laid over it, key by key, each with its source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dsh_calibrate.replay.settings.assignments import dotted
from dsh_calibrate.replay.settings.catalogue import GUARDS, defaults
from dsh_calibrate.replay.settings.documents import Override
from dsh_calibrate.replay.settings.findings import Findings
from dsh_calibrate.replay.settings.model import DEFAULT, RUN_TIME, KeyValue
from dsh_calibrate.replay.settings.nodes import has_run_time, plain
from dsh_calibrate.replay.settings.rows import Row

Path = tuple[str, ...]


@dataclass(slots=True)
class Layered:
    """The cells of one guard: path of the key -> value and source, defaults left out."""

    guard: str
    cells: dict[Path, Override] = field(default_factory=dict)

    def row(self, without: Iterable[Path] = ()) -> dict[str, object]:
        """The row for the guard's checks; keys decided at run time are left out."""
        left_out = set(without)
        row: dict[str, object] = {}
        for path, cell in self.cells.items():
            if path in left_out or has_run_time(cell.node):
                continue
            if len(path) == 1:
                row[path[0]] = plain(cell.node)
            else:
                part = row.setdefault(path[0], {})
                assert isinstance(part, dict)
                part[path[1]] = plain(cell.node)
        return row

    def run_time(self) -> list[Override]:
        """The cells that only the live host can evaluate."""
        return [cell for cell in self.cells.values() if has_run_time(cell.node)]


def layered(
    guard: str, row: Row | None, overrides: Iterable[Override], findings: Findings
) -> Layered:
    """Lay ``overrides`` over the config of ``row``, in order."""
    result = Layered(guard)
    if row is not None and row.config is not None:
        if row.config.run_time or row.config.entries is None:
            findings.refuse(
                row.config_source,
                row.config.line,
                f"{guard}: the whole config is decided at run time (!!js); write it out",
            )
        else:
            for key, node in row.config.entries.items():
                _lay(result, Override((key,), node, row.config_source))
    for override in overrides:
        problem = _misfit(result, override.path)
        if problem:
            findings.refuse(override.source, override.node.line, problem)
        else:
            _lay(result, override)
    return result


def _lay(result: Layered, cell: Override) -> None:
    """Put a value in; a mapping that merges one level deep becomes one cell a part."""
    for path in [p for p in result.cells if p[: len(cell.path)] == cell.path]:
        del result.cells[path]
    key = cell.path[0]
    parts = cell.node.entries if key in GUARDS[result.guard].maps else None
    if len(cell.path) == 1 and parts is not None and not cell.node.run_time:
        for part, node in parts.items():
            result.cells[key, part] = Override((key, part), node, cell.source)
    else:
        result.cells[cell.path] = cell


def _misfit(result: Layered, path: Path) -> str | None:
    """Why a dotted key cannot be laid over the row, or ``None``."""
    guard = GUARDS[result.guard]
    shown = f"{result.guard}.{dotted(path)}"
    if len(path) > 2:
        return (
            f"{shown}: too many parts; quote a part that holds dots, for example "
            'rtb.hostAliases."a.b"=c'
        )
    if len(path) == 2 and path[0] in guard.defaults and path[0] not in guard.maps:
        return f"{shown}: {path[0]} has no parts"
    if len(path) == 2 and (path[0],) in result.cells:
        held = result.cells[path[0],].node
        what = "decided at run time (!!js)" if held.run_time else held.kind
        return f"{shown}: {result.guard}.{path[0]} is {what}; set it as a whole"
    return None


def key_table(result: Layered, profile: str) -> dict[str, KeyValue]:
    """Every key by its dotted name: known ones in README order, then the others."""
    table: dict[Path, KeyValue] = {}
    maps = GUARDS[result.guard].maps
    for key, value in defaults(result.guard, profile).items():
        if key in maps and isinstance(value, dict) and (key,) not in result.cells:
            for part, entry in value.items():
                table[key, part] = KeyValue(_listed(entry), DEFAULT)
            given = (path for path in result.cells if path[0] == key)
            table.update((path, _key_value(result.cells[path])) for path in given)
        else:
            table[key,] = KeyValue(_listed(value), DEFAULT)
    for path, cell in result.cells.items():
        table[path] = _key_value(cell)
    return {dotted(path): value for path, value in table.items()}


def _key_value(cell: Override) -> KeyValue:
    if has_run_time(cell.node):
        return KeyValue(None, RUN_TIME, cell.source, cell.node.line)
    return KeyValue(plain(cell.node), cell.source, cell.source, cell.node.line)


def _listed(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def undecided(result: Layered, profile: str) -> list[tuple[Override, str]]:
    """Cells that decide something and are decided at run time, each with what to do."""
    guard, known = GUARDS[result.guard], defaults(result.guard, profile)
    found = []
    for cell in result.run_time():
        if cell.path[0] in known and cell.path[0] not in guard.idle:
            key = f"{result.guard}.{dotted(cell.path)}"
            found.append((cell, f"{key}: decided at run time (!!js); give it with --set {key}=…"))
    return found


def located(result: Layered, key: str, message: str) -> Override | None:
    """The cell that a guard's check complains about, by its plain dotted key.

    Where that key has its default, a cell whose key the message names (two lengths that do
    not fit together).
    """
    by_key = {".".join(path): cell for path, cell in result.cells.items()}
    if key in by_key:
        return by_key[key]
    words = set(message.replace("(", " ").replace(",", " ").split())
    return next((c for k, c in by_key.items() if k in words or k.startswith(f"{key}.")), None)
