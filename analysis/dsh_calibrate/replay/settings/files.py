"""Settings files in YAML, JSON and TOML, read into nodes that know their lines."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from dsh_calibrate.replay.settings.nodes import Node, SettingsFileError, node_of, plain
from dsh_calibrate.replay.settings.yaml_text import parse_yaml
from dsh_calibrate.toml_text import TomlError, parse_toml

MAX_BYTES = 1 << 20
"""No settings file that people keep comes near this."""


def read_file(path: Path) -> Node | None:
    """Read one settings file by its suffix: ``.json``, ``.toml``, anything else as YAML.

    ``None`` when the document is empty. Raises :class:`SettingsFileError` when the file is
    missing, too large, not text, or malformed; the message names file and line.
    """
    source = str(path)
    text = read_text(path)
    if path.suffix.lower() == ".json":
        return _json(text, source)
    if path.suffix.lower() == ".toml":
        return _toml(text, source)
    return parse_yaml(text, source)


def read_text(path: Path) -> str:
    """The text of a settings file, without a byte-order mark; errors as in `read_file`."""
    source = str(path)
    try:
        if not path.is_file():
            kind = "is a folder" if path.is_dir() else "is a pipe or device"
            reason = f"{kind}, not a settings file" if path.exists() else "no such file"
            raise SettingsFileError(source, None, reason)
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsFileError(source, None, f"cannot be read: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise SettingsFileError(source, None, f"larger than {MAX_BYTES >> 20} MiB; no settings")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsFileError(source, line, "not UTF-8 text") from error


def _json(text: str, source: str) -> Node | None:
    if not text.strip():
        return None

    def refuse(word: str) -> NoReturn:
        raise SettingsFileError(source, None, f"{word} is not JSON")

    try:
        value = json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        raise SettingsFileError(source, error.lineno, f"not JSON: {error.msg}") from error
    except (RecursionError, ValueError) as error:
        raise SettingsFileError(source, None, "nested too deeply, or a number too long") from error
    # JSON is YAML once its tabs are blanks (a string cannot hold a raw one): that pass adds
    # the lines and refuses doubled keys. Where YAML folds a string otherwise, lines are lost.
    try:
        node = parse_yaml(text.replace("\t", " "), source)
    except SettingsFileError as error:
        if "twice" in error.message or "nested" in error.message:
            raise
        node = None
    return node if node is not None and plain(node) == value else node_of(value)


def _toml(text: str, source: str) -> Node:
    try:
        value = parse_toml(text)
    except TomlError as error:
        found = re.search(r"line (\d+)", str(error))
        message = str(error).partition(" (at ")[0]
        raise SettingsFileError(source, int(found[1]) if found else None, message) from error
    return _with_lines(value, (), _toml_lines(text))


_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*+((?:\"[^\"]*+\"|'[^']*+'|[A-Za-z0-9_-]++|[ \t]*+\.[ \t]*+)++)\s*+=")
_PART = re.compile(r"\"([^\"]*)\"|'([^']*)'|([A-Za-z0-9_-]+)")


def _toml_lines(text: str) -> dict[tuple[str, ...], int]:
    """Where keys stand, found line by line; good for messages, nothing else."""
    lines: dict[tuple[str, ...], int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            lines.setdefault(table, number)
        elif key := _KEY.match(line):
            path = (*table, *_parts(key[1]))
            for length in range(1, len(path) + 1):
                lines.setdefault(path[:length], number)
    return lines


def _parts(text: str) -> tuple[str, ...]:
    return tuple("".join(part) for part in _PART.findall(text))


def _with_lines(value: object, path: tuple[str, ...], lines: Mapping[tuple[str, ...], int]) -> Node:
    """Nodes of a TOML value; what is not found has the line of what holds it."""
    line = next((lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in lines), None)
    if isinstance(value, Mapping):
        return Node({k: _with_lines(v, (*path, k), lines) for k, v in value.items()}, line)
    return node_of(value, line)
