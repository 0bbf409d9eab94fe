"""Finding vector files and taking them apart.

A vector file is JSON, one object ``{"in": …, "expect": …}`` a line, recognised by its
name. Lines end at byte 0x0A only: the strings inside may hold U+2028 and the like.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dsh_calibrate.errors import UsageError

LONGEST_LINE = 16 << 20
"""Bytes; the longest vectors hold a session's reasoning."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One line: the input (``in``) and the answer it must get (``expect``)."""

    line: int
    given: Mapping[str, object]
    expect: object

    @property
    def note(self) -> str | None:
        """The remark for people, when the input carries one."""
        note = self.given.get("note")
        return note if isinstance(note, str) else None


def vector_paths(paths: Iterable[Path]) -> Iterator[Path]:
    """The files meant by ``paths``, each once: files as named, of folders every ``*.jsonl``.

    Folders are not descended into. Raises :class:`UsageError` for a path that is not there.
    """
    seen: set[Path] = set()
    for path in paths:
        if path.is_dir():
            found = sorted(entry for entry in path.iterdir() if entry.suffix == ".jsonl")
        elif path.is_file():
            found = [path]
        elif path.exists():
            raise UsageError(f"{path}: is a pipe or device; name a vector file or its folder")
        else:
            raise UsageError(f"{path}: no such file or folder; name a vector file or its folder")
        for file in found:
            if file.is_file() and file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def read_vectors(path: Path, required: Iterable[str]) -> Iterator[Vector]:
    """The vectors of one file; ``required`` are the keys that every input must have.

    Blank lines are passed over. Raises :class:`UsageError` naming file and line where a
    line is no vector, or the file where it cannot be read.
    """
    wanted = tuple(required)
    try:
        with path.open("rb") as file:
            number = 0
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise UsageError(f"{path}:{number}: longer than {LONGEST_LINE >> 20} MiB")
                if line.strip():
                    yield _vector(path, number, line, wanted)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


def _vector(path: Path, number: int, line: bytes, required: tuple[str, ...]) -> Vector:
    place = f"{path}:{number}"
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, UnicodeError) else _json_reason(error)
        raise UsageError(f"{place}: not a JSON line: {why}; fix or remove the line") from error
    if not isinstance(value, dict) or not isinstance(value.get("in"), dict):
        raise UsageError(f'{place}: not a vector: an object with "in" (an object) is wanted')
    if "expect" not in value:
        raise UsageError(f'{place}: not a vector: "expect" is missing')
    for key in required:
        if key not in value["in"]:
            raise UsageError(f'{place}: "in" lacks "{key}", which this kind of vector needs')
    return Vector(line=number, given=value["in"], expect=value["expect"])


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _json_reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)
