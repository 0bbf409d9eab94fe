"""Scenario files: a session written by hand in TOML, for any format version.

The file is described in docs/scenarios.md. :func:`load_scenario` reads one, plays its steps
and keeps the sessions; :mod:`.synthesis` writes them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from dsh_calibrate.corpora.damage import KINDS, Damage
from dsh_calibrate.corpora.dialects import VERSIONS
from dsh_calibrate.corpora.lines import LineOptions
from dsh_calibrate.corpora.scenario_steps import Play, play
from dsh_calibrate.corpora.scenario_tables import ScenarioError, Table
from dsh_calibrate.corpora.sessions import START, TICK, Session
from dsh_calibrate.corpora.writer import ENCODINGS
from dsh_calibrate.kept_files import MIB, read_kept
from dsh_calibrate.toml_text import TomlError, parse_toml

SCHEMA = 1
MOST_BYTES = 4 * MIB
"""Scenarios are written by hand; the largest shipped ones have 4 KiB."""
OUTCOMES = ("stuck", "healthy", "undecided")
EXPECTATIONS = ("expect", "quiet", "known-miss", "known-false")
_STEP_LINE = re.compile(r"^[ \t]*\[\[[ \t]*step[ \t]*\]\]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Generation:
    """One generation of the session's file; ``sessions`` is what it holds."""

    version: int
    encoding: str
    sessions: tuple[Session, ...]


@dataclass(frozen=True, slots=True)
class Scenario:
    """A scenario ready to be written.

    ``sessions`` are the session itself and its children; ``generations``, when given, stand
    side by side in one folder instead of one log for each of ``formats`` (version, encoding).
    ``labels`` are rows of a labels.toml.
    """

    path: Path
    name: str
    formats: tuple[tuple[int, str], ...]
    options: LineOptions
    sessions: tuple[Session, ...]
    generations: tuple[Generation, ...]
    damages: tuple[Damage, ...]
    labels: tuple[Mapping[str, Any], ...]


def load_scenario(path: Path) -> Scenario:
    """Read and play one scenario file; raise :class:`ScenarioError` for any mistake in it."""
    try:
        text = read_kept(path, MOST_BYTES).decode()
        data = parse_toml(text)
    except OSError as wrong:
        raise ScenarioError(path.name, f"cannot be read ({wrong.strerror})") from None
    except (TomlError, UnicodeDecodeError) as wrong:
        raise ScenarioError(path.name, f"is not valid TOML: {wrong}") from None
    top = Table(data, path.name)
    if top.integer("schema", 0) != SCHEMA:
        raise top.error("schema", f"must be {SCHEMA}")
    name = top.text("name", path.stem)
    if not name:
        raise top.error("name", "must not be empty")
    seed = top.integer("seed", 0)
    formats = _formats(top)
    config = top.table("config")
    options = _options(config)
    setup = _setup(config)
    config.close()
    lines = [text.count("\n", 0, found.start()) + 1 for found in _STEP_LINE.finditer(text)]
    steps = top.listed("step", dict, "tables")
    if not steps:
        raise top.error("step", "is missing: a scenario needs at least one [[step]]")

    def sessions(count: int) -> tuple[Session, ...]:
        run = Play(Session(name, **setup), Random(seed))
        for number, step in enumerate(steps[:count], 1):
            where = f", line {lines[number - 1]}" if len(lines) == len(steps) else ""
            play(run, Table(step, f"{path.name}{where}, step {number}"))
        ids = [session.id for session in (run.session, *run.children)]
        for taken in ids:
            if not taken or ids.count(taken) > 1:
                raise top.error("step", f"a fork needs an id of its own, not {taken!r}")
        return (run.session, *run.children)

    generations = tuple(
        Generation(
            version=_member(table, "version", int, VERSIONS),
            encoding=table.choice("encoding", ENCODINGS, "zstd"),
            sessions=sessions(table.integer("steps", len(steps), 1)),
        )
        for table in _closed(top.tables("generation"), ("version", "encoding", "steps"))
    )
    damages = tuple(map(_damage, top.tables("damage")))
    labels = tuple(_label(table, name) for table in top.tables("label"))
    top.close()
    return Scenario(
        path=path,
        name=name,
        formats=formats,
        options=options,
        sessions=sessions(len(steps)),
        generations=generations,
        damages=damages,
        labels=labels,
    )


def _formats(top: Table) -> tuple[tuple[int, str], ...]:
    """Read ``formats``, or the product of ``versions`` and ``encoding``."""
    if "formats" in top.data and {"versions", "encoding"} & top.data.keys():
        raise top.error("formats", "stands instead of versions and encoding, give one of both")
    product = {f"v{v}-{e}": (v, e) for v in VERSIONS for e in ENCODINGS}
    if "formats" in top.data:
        return tuple(product[name] for name in _some(top, "formats", str, tuple(product), ()))
    versions = _some(top, "versions", int, VERSIONS, (4,))
    encodings = _some(top, "encoding", str, ENCODINGS, ("zstd",))
    return tuple((version, encoding) for version in versions for encoding in encodings)


def _closed(tables: list[Table], keys: tuple[str, ...]) -> list[Table]:
    for table in tables:
        for key in keys:
            table.raw(key, object, "a value")
        table.close()
    return tables


def _some(top: Table, key: str, kind: type, known: tuple[Any, ...], default: Any) -> Any:
    given = top.raw(key, list, "a list") if isinstance(top.data.get(key, []), list) else None
    if given is None and key in top.data:
        given = [top.raw(key, kind, "a list")]
    for member in given or ():
        if isinstance(member, bool) or member not in known:
            raise top.error(key, f"{member!r} is not known, use {', '.join(map(str, known))}")
    if given == []:
        raise top.error(key, "must name at least one")
    return tuple(given) if given else default


def _member(table: Table, key: str, kind: type, known: tuple[Any, ...]) -> Any:
    value = table.raw(key, kind, f"one of {', '.join(map(str, known))}")
    if value not in known:
        raise table.error(key, f"must be one of {', '.join(map(str, known))}")
    return value


def _setup(config: Table) -> dict[str, Any]:
    return {
        "cwd": config.text("cwd", "/work/app") or None,
        "start": config.integer("start", START),
        "tick": config.integer("tick", TICK),
        "provider": config.text("provider", "deepseek-official"),
        "model": config.text("model", "deepseek-v4-flash"),
        "effort": config.maybe_text("effort"),
        "preset": config.text("preset", "standard") or None,
    }


def _options(config: Table) -> LineOptions:
    return LineOptions(
        packed=config.flag("packed", True),
        stripped=config.flag("stripped"),
        early=config.flag("early"),
        tool_call_chunks=config.flag("tool_call_chunks"),
        batch_ms=config.integer("batch_ms", 200),
    )


def _damage(table: Table) -> Damage:
    made = Damage(
        kind=table.choice("kind", KINDS, ""),
        line=table.integer("line", 3, 1),
        frame=table.integer("frame", 2, 1),
        bytes=table.integer("bytes", 9, 1),
    )
    table.close()
    return made


def _label(table: Table, name: str) -> Mapping[str, Any]:
    label: dict[str, Any] = {
        "session": table.text("session", name),
        "outcome": table.choice("outcome", OUTCOMES, ""),
    }
    split, note = table.choice("split", ("train", "test", ""), ""), table.maybe_text("note")
    if split:
        label["split"] = split
    if note is not None:
        label["note"] = note
    points = []
    for at in table.tables("at"):
        point: dict[str, Any] = {
            "guard": at.choice("guard", ("rtb", "tfb", "rtr", "rlg"), ""),
            "lifecycle": at.integer("lifecycle", 0),
        }
        call, stream = at.maybe_integer("call"), at.maybe_integer("stream")
        if (call is None) == (stream is None):
            raise at.error("", "give either call or stream (its number in the lifecycle, from 0)")
        point |= {"call": call} if call is not None else {"stream": stream}
        point["expect"] = at.choice("expect", EXPECTATIONS, "")
        at.close()
        points.append(point)
    table.close()
    return {**label, "at": points} if points else label
