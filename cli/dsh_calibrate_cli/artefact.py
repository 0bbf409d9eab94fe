"""Where an artefact goes: ``--format``, ``-o FILE`` and ``--output F=FILE…`` (contract.md 2)."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from dsh_calibrate.errors import UsageError
from dsh_calibrate.whole_files import require_place
from dsh_calibrate_cli.console import (
    JSON_ESCAPED,
    printable_lines,
    write_stdout,
    write_whole,
)


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """In which formats, and to which files."""

    format: Annotated[
        str,
        typer.Option("--format", metavar="F", help="Format of what is printed; text by default."),
    ] = "text"
    out: Annotated[
        Path | None,
        typer.Option("-o", metavar="FILE", help="Write it to FILE instead of stdout."),
    ] = None
    output: Annotated[
        list[str],
        typer.Option(
            "--output",
            metavar="F=FILE",
            help="Also write format F to FILE (parquet of several tables: a folder). Repeatable.",
        ),
    ] = field(default_factory=list)


_ANSI = re.compile(rb"\x1b\[[0-9;]*m")
"""Colours, which belong to a terminal; content holds no escape character (console.py)."""

_RISKY = re.compile(f"[{JSON_ESCAPED}]")
_PARTS = 1 << 16

_BINARY = frozenset({"parquet"})
"""Formats that are no text, so that they need a file."""

Renderer = Callable[[], bytes]
"""Makes the whole artefact in one format."""


def deliver(
    options: OutputOptions,
    renderers: Mapping[str, Renderer],
    *,
    folders: Mapping[str, Callable[[Path], None]] | None = None,
) -> None:
    """Print or write the artefact in every format that was asked for.

    ``renderers`` holds the formats of one file, ``folders`` those that fill a folder and
    cannot be printed. Raises :class:`UsageError` for an unknown format, before anything
    is written.
    """
    folders = folders or {}
    require_formats(options, renderers, folders)
    for name, path in _wanted(options):
        if name in folders:
            assert path is not None
            folders[name](path)
        elif path is None:
            write_stdout(_made(name, renderers).decode("utf-8"))
        else:
            data = _made(name, renderers)
            write_whole(path, _ANSI.sub(b"", data) if name == "text" else data)


def _made(name: str, renderers: Mapping[str, Renderer]) -> bytes:
    """The artefact; a csv is printed as readily as it is stored, so it controls no terminal."""
    data = renderers[name]()
    return printable_lines(data.decode("utf-8")).encode("utf-8") if name == "csv" else data


def require_formats(
    options: OutputOptions, files: Iterable[str], folders: Iterable[str] = ()
) -> None:
    """Refuse formats that a command does not have, before it does any work.

    Recorded sessions are refused as places, too, and places where nothing can be written.
    ``files`` and ``folders`` as in :func:`deliver`. Raises :class:`UsageError`.
    """
    from dsh_calibrate.logs.protecting import refuse_recorded

    files, folders = tuple(files), tuple(folders)
    for name, path in _wanted(options):
        if name not in files and name not in folders:
            known = ", ".join([*files, *folders])
            raise UsageError(f"--format {name}: unknown here; known formats: {known}")
        if name in folders and path is None:
            raise UsageError(f"--format {name} fills a folder: name it with -o FOLDER")
        if name in _BINARY and path is None:
            raise UsageError(f"--format {name} is no text to print: name a file with -o FILE")
        if path is not None:
            refuse_recorded(path)
            _require_place(path, is_folder=name in folders)


def offers(
    *files: str, folders: tuple[str, ...] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Say which formats a command has; what is asked for is checked before it begins.

    Stands below ``@takes``. ``files`` and ``folders`` as in :func:`deliver`.
    """

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def run(*, output: OutputOptions, **values: Any) -> None:
            require_formats(output, files, folders)
            command(output=output, **values)

        return run

    return decorate


def _require_place(path: Path, *, is_folder: bool) -> None:
    """Refuse a place where nothing can be written. Raises :class:`UsageError`."""
    if is_folder and path.exists() and not path.is_dir():
        raise UsageError(f"{path}: is a file; name a folder")
    if is_folder:
        return  # made when it is filled
    try:
        require_place(path)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _wanted(options: OutputOptions) -> list[tuple[str, Path | None]]:
    return [(options.format, options.out), *map(_also, options.output)]


def _also(text: str) -> tuple[str, Path]:
    name, sign, path = text.partition("=")
    if not sign or not path:
        raise UsageError(f"--output {text}: expected FORMAT=FILE, for example json=replay.json")
    return name, Path(path)


def json_bytes(document: object) -> bytes:
    """A document as indented JSON with a final newline.

    Lone surrogates and what a terminal would act on are escapes; the content is the same.
    """
    parts = json.JSONEncoder(ensure_ascii=False, indent=2, allow_nan=False).iterencode(document)
    whole = bytearray()
    while held := list(islice(parts, _PARTS)):  # millions of small strings for a big corpus
        whole += _escaped("".join(held))
    return bytes(whole + b"\n")


def jsonl_bytes(lines: Iterable[object]) -> bytes:
    """One compact JSON object a line."""
    return b"".join(
        _escaped(json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False))
        + b"\n"
        for line in lines
    )


def _escaped(text: str) -> bytes:
    text = _RISKY.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        # Only lone surrogates cannot be encoded, and JSON writes them just like this.
        return text.encode("utf-8", "backslashreplace")
