"""``dsh-calibrate conformance``: whether the engine is still true to the plugins it ports."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    name="conformance",
    no_args_is_help=True,
    help="Check that the engine decides what the plugins decide.",
)


class OutputFormat(StrEnum):
    """How the outcome is printed."""

    text = "text"
    json = "json"


@app.callback()
def _root() -> None:
    """Keep ``conformance`` a group of commands even while it has one."""


@app.command("vectors")
def vectors(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Vector files, or folders that hold some."),
    ],
    first: Annotated[
        int,
        typer.Option("--first", min=0, metavar="N", help="Differences to show of each file."),
    ] = 3,
    output_format: Annotated[
        OutputFormat, typer.Option("--format", help="Print a table or JSON.")
    ] = OutputFormat.text,
) -> None:
    """Run vector files, recognised by name, against the engine.

    Exit code 0: all agree; 1: the engine differs; 2: nothing could be run.
    """
    from dsh_calibrate.conformance.vectors import check_vectors

    outcome = check_vectors(paths, first=first)
    if output_format is OutputFormat.json:
        from dsh_calibrate_cli.vector_output import as_json

        typer.echo(as_json(outcome))
    else:
        from dsh_calibrate_cli.vector_output import print_text

        print_text(outcome)
    if not outcome.all_agree:
        raise typer.Exit(1)


def register(app_: typer.Typer) -> None:
    """Add ``conformance`` to the command line."""
    app_.add_typer(app)
