"""The reference pages under ``docs/commands/``, written from the command line itself.

``python -m dsh_calibrate_cli.reference docs/commands`` writes one page a command; a test
checks that the pages in the repository are the ones this writes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import typer

from dsh_calibrate_cli.main import app

NAME = "dsh-calibrate"


def pages() -> dict[str, str]:
    """Markdown by file name: a page for every command, and ``index.md``."""
    root = typer.main.get_command(app)
    found = {f"{'-'.join(path)}.md": _page(path, command) for path, command in _walk(root, ())}
    listed = "\n".join(
        f"- [`{' '.join(path)}`]({'-'.join(path)}.md): {_first_sentence(command)}"
        for path, command in _walk(root, ())
    )
    head = "# Commands\n\nWritten from the command line itself: do not edit.\n\n"
    return {"index.md": f"{head}{listed}\n", **found}


def write(folder: Path) -> None:
    """Write every page and remove pages of commands that are gone."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for stale in folder.glob("*.md"):
        if stale.name not in wanted:
            stale.unlink()
    for name, text in wanted.items():
        (folder / name).write_text(text, encoding="utf-8")


def _walk(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    below = getattr(command, "commands", None)
    if below is None:
        yield path, command
        return
    for name, sub in below.items():
        yield from _walk(sub, (*path, name))


def _page(path: tuple[str, ...], command: Any) -> str:
    name = " ".join(path)
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([NAME, *path, "[OPTIONS]", *(_metavar(a) for a in arguments)])
    parts = [f"# {name}\n", f"{_help(command)}\n", f"```\n{usage}\n```\n"]
    if arguments:
        rows = [f"| `{_metavar(a)}` | {_cell(a.help)} |" for a in arguments]
        parts.append("\n".join(["| argument | meaning |", "|---|---|", *rows]) + "\n")
    rows = [_option(o) for o in options]
    parts.append("\n".join(["| option | meaning | default |", "|---|---|---|", *rows]) + "\n")
    return "\n".join(parts)


def _option(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in [*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" `{_value_name(option)}`"
    default = option.default
    shown = "" if default in (None, False, [], ()) or callable(default) else f"`{default}`"
    return f"| {names}{value} | {_cell(option.help)} | {shown} |"


def _value_name(option: Any) -> str:
    kind = option.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return "\\|".join(member.value for member in kind)
    return _metavar(option)


def _metavar(parameter: Any) -> str:
    name = str(parameter.metavar or parameter.name.upper())
    return f"{name}…" if parameter.nargs == -1 else name


def _help(command: Any) -> str:
    text = (command.help or "").strip()
    return "\n".join(line.strip() for line in text.splitlines())


def _first_sentence(command: Any) -> str:
    return " ".join(_help(command).split("\n\n")[0].split())


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
