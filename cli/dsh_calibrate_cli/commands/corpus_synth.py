"""``corpus synth``: logs and labels from scenario files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.option_groups import takes


def register(app: typer.Typer) -> None:
    """Add ``synth`` to ``corpus``."""
    app.command("synth")(synth)


@takes()
def synth(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Scenario files (*.toml), or folders of them."),
    ],
    out: Annotated[
        Path,
        typer.Option("-o", metavar="DIR", help="Folder to fill: DIR/sessions, DIR/labels.toml."),
    ],
    version: Annotated[
        list[int] | None,
        typer.Option("--version", metavar="N", help="Format version, 0 to 4. Repeatable."),
    ] = None,
    encoding: Annotated[
        list[str] | None,
        typer.Option("--encoding", metavar="E", help="plain or zstd. Repeatable."),
    ] = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No summary on stderr.")] = False,
) -> None:
    """Write the logs of scenario files in every format they name, and their labels.

    The same files give the same bytes. --version and --encoding replace what the files say.
    Prints the path of every file written.
    """
    from dsh_calibrate.corpora.synthesis import synthesise
    from dsh_calibrate.errors import UsageError
    from dsh_calibrate_cli.console import note, printable, write_stdout

    scenarios = _scenario_files(files)
    try:
        written = synthesise(scenarios, out, version or None, encoding or None)
    except OSError as wrong:
        raise UsageError(f"cannot write {wrong.filename or out}: {wrong.strerror}") from wrong
    write_stdout("".join(f"{printable(str(path))}\n" for path in written))
    note(
        f"{len(written) - 1} logs of {len(scenarios)} scenarios, and their labels; next: "
        f"dsh-calibrate replay {_quoted(out / 'sessions')}",
        quiet=quiet,
    )


def _quoted(path: Path) -> str:
    import shlex

    return shlex.quote(str(path))


def _scenario_files(named: list[Path]) -> list[Path]:
    """The files named, and those directly in folders named, each once."""
    from dsh_calibrate.errors import UsageError

    found: dict[Path, Path] = {}
    for path in named:
        inside = sorted(path.glob("*.toml")) if path.is_dir() else [path]
        if not inside:
            raise UsageError(f"{path}: no scenario file (*.toml) in there")
        for file in inside:
            found.setdefault(file.resolve(), file)
    return list(found.values())
