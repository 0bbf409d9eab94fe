"""Candidate settings: names with complete guard configurations, from ranges or from files."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dsh_calibrate.calibrate.ranges import Axis, check_key
from dsh_calibrate.errors import SettingsError, UsageError
from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.replay.plan import GUARDS
from dsh_calibrate.replay.settings.catalogue import can_be_off
from dsh_calibrate.replay.settings.checking import configure_for
from dsh_calibrate.replay.settings.files import read_file
from dsh_calibrate.replay.settings.nodes import has_run_time, json_value, plain

Rows = Mapping[str, Mapping[str, object]]
"""Per guard the row of the settings in force, README keys, defaults left out."""

MOST_SETS = 2000
"""Sets of one sweep."""

OVER = "--over"

IN_FORCE = "in force"
"""Name of the candidate that changes nothing."""


@dataclass(frozen=True, slots=True)
class CandidateSet:
    """One set of settings.

    ``settings`` says what makes it different, ``{guard: {key: value}}`` (for a candidate of
    a file: its rows as written), ready to stand in a candidates file itself. The four
    configurations are complete. ``pieces`` cuts reasoning anew into pieces of so many
    UTF-16 units (``None``: as recorded).
    """

    name: str
    settings: Mapping[str, Mapping[str, object]]
    rtb: BreakerConfig
    tfb: CircuitBreakerConfig
    rtr: ReminderConfig
    rlg: ReasoningLoopConfig
    pieces: int | None = None

    @property
    def guards(self) -> tuple[str, ...]:
        """The guards that it speaks of, in table order."""
        spoken = {*self.settings, *(("rlg",) if self.pieces is not None else ())}
        return tuple(guard for guard in GUARDS if guard in spoken)


def in_force(rows: Rows, profile: str) -> CandidateSet:
    """The settings that nothing is changed in."""
    return _candidate(IN_FORCE, {}, rows, profile, "settings in force")


def grid(axes: Sequence[Axis], rows: Rows, profile: str) -> list[CandidateSet]:
    """Every combination of the values of ``axes``, the last axis changing fastest.

    Raises :class:`UsageError` for too many sets or one key on two axes, and for a value
    that the guard's own checks refuse (key and value are named).
    """
    keys = [key for axis in axes for key in axis.keys]
    for place, key in enumerate(keys):
        for other in keys[:place]:
            shorter = min(len(key.path), len(other.path))
            if key.guard == other.guard and key.path[:shorter] == other.path[:shorter]:
                raise UsageError(f"--over: {key} stands on two axes")
    count = 1
    for axis in axes:
        count *= len(axis.values)
    require_few(count)
    found = []
    for values in itertools.product(*(axis.values for axis in axes)):
        changed: dict[str, dict[str, object]] = {}
        names = []
        for axis, value in zip(axes, values, strict=True):
            for key in axis.keys:
                _put(changed.setdefault(key.guard, {}), key.path, value)
            names.append(f"{_tied(axis)}={_shown(value)}")
        merged = {guard: _merged(rows.get(guard, {}), row) for guard, row in changed.items()}
        name = " ".join(names)
        found.append(_candidate(name, changed, {**rows, **merged}, profile, f"{OVER} {name}"))
    return found


def from_file(path: Path, rows: Rows, profile: str) -> list[CandidateSet]:
    """The candidates of a file: name → ``{rtb: {…}, …}`` in YAML, JSON or TOML.

    A row replaces the guard's whole row; a guard that is left out stays as it is in force.
    Raises :class:`UsageError` naming candidate, key and value.
    """
    root = read_file(path)
    if root is None or root.entries is None or not root.entries:
        raise UsageError(f"{path}: expected candidates, a mapping of names to {{rtb: {{…}}, …}}")
    require_few(len(root.entries))
    is_toml = path.suffix.lower() == ".toml"
    found = []
    for name, node in root.entries.items():
        place = f"{path}: {name}"
        guards = plain(node)
        if has_run_time(node) or not isinstance(guards, dict) or not guards:
            raise UsageError(f"{place}: expected a mapping of guards, {{rtb: {{…}}, …}}")
        settings: dict[str, dict[str, object]] = {}
        for guard, row in guards.items():
            check_key(guard, ("include",) if guard != "rlg" else ("minChars",), place)
            if not isinstance(row, dict):
                raise UsageError(f"{place}.{guard}: expected a mapping of keys")
            settings[guard] = _with_off(guard, row) if is_toml else row
            _check_row(guard, settings[guard], place)
        found.append(_candidate(name, settings, {**rows, **settings}, profile, place))
    return found


def with_pieces(sets: Sequence[CandidateSet], sizes: Sequence[int]) -> list[CandidateSet]:
    """Every set once for each piece size (UTF-16 units), the size changing fastest."""
    if any(size < 1 for size in sizes):
        raise UsageError("--pieces: a piece has at least 1 UTF-16 unit")
    require_few(len(sets) * len(sizes))
    return [
        replace(one, name=f"{one.name} pieces={size}", pieces=size)
        for one in sets
        for size in sizes
    ]


def require_few(count: int) -> None:
    """Refuse more than :data:`MOST_SETS` sets."""
    if count > MOST_SETS:
        raise UsageError(
            f"{count} sets are too many (most: {MOST_SETS}): widen a step or sweep fewer keys "
            "at once"
        )


def _candidate(
    name: str,
    settings: Rows,
    rows: Rows,
    profile: str,
    place: str,
) -> CandidateSet:
    configs = {}
    for guard in GUARDS:
        row = rows.get(guard, {})
        try:
            configs[guard] = configure_for(guard, profile)(row)
        except SettingsError as error:
            value = _found(row, error.key)
            if value and place == f"{OVER} {name}":
                place = OVER  # the key and its value say it all
            raise UsageError(f"{place}: {guard}.{error.key}{value}: {error.message}") from None
    return CandidateSet(name=name, settings=settings, **configs)  # type: ignore[arg-type]


def _found(row: Mapping[str, object], key: str) -> str:
    """``=value`` of the key that was refused, as it was given."""
    value: object = row
    for part in key.split(".", 1):
        if not isinstance(value, Mapping) or part not in value:
            return ""
        value = value[part]
    return f"={_shown(value)}"


def _put(row: dict[str, object], path: tuple[str, ...], value: object) -> None:
    if len(path) == 1:
        row[path[0]] = value
    else:
        part = row.setdefault(path[0], {})
        assert isinstance(part, dict)
        part[path[1]] = value


def _merged(row: Mapping[str, object], changed: Mapping[str, object]) -> dict[str, object]:
    """Lay changed keys over a row; maps merge one level deep."""
    merged = dict(row)
    for key, value in changed.items():
        before = merged.get(key)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            merged[key] = {**before, **value}
        else:
            merged[key] = value
    return merged


def _tied(axis: Axis) -> str:
    """The keys of an axis on one line: what they share once, the rest in braces."""
    texts = [str(key) for key in axis.keys]
    heads = {text.rpartition(".")[0] for text in texts}
    if len(texts) == 1 or len(heads) > 1:
        return ",".join(texts)
    return f"{heads.pop()}.{{{','.join(text.rpartition('.')[2] for text in texts)}}}"


def _shown(value: object) -> str:
    return json.dumps(json_value(value), ensure_ascii=False, separators=(",", ":"))


def _check_row(guard: str, row: Mapping[str, object], place: str) -> None:
    from dsh_calibrate.replay.settings.catalogue import GUARDS as CATALOGUE

    for key, value in row.items():
        if key in CATALOGUE[guard].idle or key in CATALOGUE[guard].also_read:
            continue
        check_key(guard, (key,), place)
        if guard == "rtb" and key == "limits" and isinstance(value, Mapping):
            for part in value:
                check_key(guard, (key, part), place)


def _with_off(guard: str, row: Mapping[str, object]) -> dict[str, object]:
    """TOML has no null: ``"off"`` stands for it."""
    changed: dict[str, object] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            changed[key] = {
                part: None if one == "off" and can_be_off(guard, (key, part)) else one
                for part, one in value.items()
            }
        else:
            changed[key] = None if value == "off" and can_be_off(guard, (key,)) else value
    return changed
