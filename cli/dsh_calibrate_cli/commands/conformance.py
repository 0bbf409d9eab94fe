"""``dsh-calibrate conformance``: whether the engine is still true to the plugins it ports."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.commands.conformance_plugin import plugin
from dsh_calibrate_cli.commands.conformance_recorded import recorded
from dsh_calibrate_cli.option_groups import takes

app = typer.Typer(
    name="conformance",
    no_args_is_help=True,
    help="Check that the engine decides what the plugins decide.",
)


@app.command("vectors")
@takes(output=OutputOptions)
@offers("text", "json")
def vectors(
    *,
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH", help="Vector files, or folders that hold some."),
    ],
    first: Annotated[
        int,
        typer.Option("--first", min=0, metavar="N", help="Differences to show of each file."),
    ] = 3,
    output: OutputOptions,
) -> None:
    """Run vector files, recognised by name, against the engine.

    Exit code 0: all agree; 1: the engine differs; 2: nothing could be run.
    """
    from dsh_calibrate.conformance.vectors import check_vectors
    from dsh_calibrate_cli.artefact import deliver
    from dsh_calibrate_cli.console import rendered
    from dsh_calibrate_cli.vector_output import as_json, print_text

    outcome = check_vectors(paths, first=first)
    deliver(
        output,
        {
            "text": lambda: rendered(lambda console: print_text(console, outcome)),
            "json": lambda: as_json(outcome).encode("ascii") + b"\n",
        },
    )
    if not outcome.all_agree:
        raise typer.Exit(1)


app.command("plugin")(plugin)
app.command("recorded")(recorded)


def register(app_: typer.Typer) -> None:
    """Add ``conformance`` to the command line."""
    app_.add_typer(app)
