"""The end of a derivation: rows for ``cordis.patch.yml``, printed or merged into a file.

The harness replaces a row's ``config`` as a whole (settings-files.md), so a row holds all that
the user's layers say, keys that the guard does not know included, with the derived keys changed.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.settings.catalogue import GUARDS, defaults, guard_of
from dsh_calibrate.replay.settings.files import read_file, read_text
from dsh_calibrate.replay.settings.model import GuardSettings
from dsh_calibrate.replay.settings.nodes import has_run_time, plain
from dsh_calibrate.replay.settings.yaml_text import parse_yaml

Row = dict[str, object]
PatchRows = dict[str, Row]
"""Guard → its whole config."""


def patch_rows(
    chosen: CandidateSet,
    guards: Mapping[str, GuardSettings],
    profile: str,
    *,
    selected: Sequence[str],
    whole_rows: bool = False,
    full: bool = False,
) -> PatchRows:
    """The rows that put ``chosen`` into force; guards that nothing changes in are left out.

    ``whole_rows``: the candidate's rows replace the user's (candidates of a file), of which
    only keys that decide nothing in a replay stay. ``full`` restates every key of every
    selected guard.
    """
    rows: PatchRows = {}
    for guard in selected:
        changed = chosen.settings.get(guard, {})
        if not changed and not full:
            continue
        before = dict(guards[guard].row)
        if whole_rows and guard in chosen.settings:
            known = GUARDS[guard]
            decides = set(known.defaults) - known.idle
            before = {key: value for key, value in before.items() if key not in decides}
        row = _laid(before, changed, GUARDS[guard].maps)
        if full:
            row = _laid(defaults(guard, profile), row, GUARDS[guard].maps)
        order = {key: place for place, key in enumerate(GUARDS[guard].defaults)}
        rows[guard] = {
            key: _plain(row[key]) for key in sorted(row, key=lambda k: order.get(k, len(order)))
        }
    return rows


def as_entries(rows: PatchRows) -> list[dict[str, object]]:
    """The rows as entries of a cordis patch."""
    return [{"id": GUARDS[guard].row_id, "config": row} for guard, row in rows.items()]


def patch_text(rows: PatchRows, comments: Sequence[str] = ()) -> str:
    """A cordis patch file of these rows, below ``comments``."""
    heading = "".join(f"# {line}\n" for line in comments)
    return heading + (_dumped(as_entries(rows)) if rows else "[]\n")


def merged_text(path: Path, rows: PatchRows, guards: Mapping[str, GuardSettings]) -> str:
    """The text of a settings file with the rows in it; comments and order stay.

    A row that the file has is changed key by key, others are appended. Raises
    :class:`UsageError` for a file that is not YAML, and when the file says more than the
    settings in force: what was derived would not be what it then holds.
    """
    if path.suffix.lower() in (".json", ".toml"):
        raise UsageError(f"{path}: only YAML files are merged into; print the row and copy it")
    root = read_file(path)
    if root is None or root.value is None:
        return read_text(path) + patch_text(rows)
    if root.items is None and root.entries is None:
        raise UsageError(f"{path}: expected a cordis patch (a list) or a mapping of guards")
    from ruamel.yaml import YAML

    text = read_text(path)
    yaml = YAML()
    yaml.preserve_quotes = True
    document = yaml.load(text)
    style = min(_STYLES, key=lambda one: _changed_lines(text, _dumped(document, *one)))
    for guard, row in rows.items():
        holder = _holder(document, guard)
        if holder is None and isinstance(document, dict):
            document[guard] = row
        elif holder is None:
            document.append({"id": GUARDS[guard].row_id, "config": row})
        else:
            _change(holder, row, guards[guard], f"{path}: {guard}")
    merged = _dumped(document, *style)
    _verify(path, merged, rows, guards)
    return merged


def _laid(
    row: Mapping[str, object], changed: Mapping[str, object], maps: frozenset[str]
) -> dict[str, object]:
    laid = dict(row)
    for key, value in changed.items():
        before = laid.get(key)
        if key in maps and isinstance(value, Mapping) and isinstance(before, Mapping):
            laid[key] = {**before, **value}
        else:
            laid[key] = value
    return laid


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


_STYLES = ((False, False), (True, False), (True, True))
"""Ways to indent lists: whether below their key, and whether the outermost one is spared."""


def _dumped(document: object, below_key: bool = False, at_margin: bool = False) -> str:
    from ruamel.yaml import YAML

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    yaml.representer.add_representer(type(None), _null)
    yaml.indent(mapping=2, sequence=4 if below_key else 2, offset=2 if below_key else 0)
    stream = io.StringIO()
    yaml.dump(document, stream)
    text = stream.getvalue()
    if not at_margin or not isinstance(document, list):
        return text
    lines = text.splitlines(keepends=True)
    return "".join(
        line[2:] if line.startswith("  ") and not line.lstrip().startswith("#") else line
        for line in lines
    )


def _changed_lines(before: str, after: str) -> int:
    return len(set(before.splitlines()) ^ set(after.splitlines()))


def _null(representer: Any, _: None) -> Any:
    return representer.represent_scalar("tag:yaml.org,2002:null", "null")


def _holder(document: Any, guard: str) -> Any:
    """The entry whose ``config`` holds the guard's settings: the last that is switched on."""
    if isinstance(document, dict):
        return {"config": document[guard]} if document.get(guard) is not None else None
    found = [entry for entry in _entries(document) if _guard(entry) == guard]
    on = [entry for entry in found if entry.get("disabled") is not True]
    with_config = [entry for entry in on if entry.get("config") is not None]
    return (with_config or on or [None])[-1]


def _entries(items: Any) -> Iterator[Any]:
    for entry in items:
        if not isinstance(entry, dict):
            continue
        yield entry
        for below in (entry.get("insert"), entry.get("config")):
            if isinstance(below, list):
                yield from _entries(below)


def _guard(entry: Any) -> str | None:
    name, row_id = entry.get("name"), entry.get("id")
    return guard_of(
        name if isinstance(name, str) else None, row_id if isinstance(row_id, str) else None
    )


def _change(entry: Any, row: Row, known: GuardSettings, place: str) -> None:
    config = entry.get("config")
    if config is None:
        entry["config"] = row
        return
    late = {key.partition(".")[0] for key in known.run_time}
    for key in config:
        if key not in known.row and key not in row and key not in late:
            raise UsageError(
                f"{place}.{key}: not among the settings in force, so nothing was derived with "
                "it: name the file with --config too"
            )
    maps = GUARDS[known.guard].maps
    for key, value in row.items():
        before = config.get(key)
        if key in maps and isinstance(value, dict) and isinstance(before, dict):
            for part, one in value.items():
                if part not in before or before[part] != one:
                    before[part] = one
        elif key not in config or before != value:
            config[key] = value


def _verify(path: Path, text: str, rows: PatchRows, guards: Mapping[str, GuardSettings]) -> None:
    """Read the new text as the tool reads settings: every row must be what was derived."""
    root = parse_yaml(text, str(path))
    document = None if root is None else plain(root)
    for guard, row in rows.items():
        holder = _holder(document, guard) if document is not None else None
        found = (holder or {}).get("config")
        late = bool(guards[guard].run_time) or (root is not None and has_run_time(root))
        if found != row and not (late and isinstance(found, dict) and _holds(found, row)):
            raise UsageError(
                f"{path}: cannot be changed without disturbing it: copy the printed row by hand"
            )


def _holds(found: Mapping[str, object], row: Row) -> bool:
    return all(
        found.get(key) == value or (isinstance(value, dict) and isinstance(found.get(key), dict))
        for key, value in row.items()
    )
