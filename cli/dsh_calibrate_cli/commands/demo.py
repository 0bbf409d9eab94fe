"""``demo``: a small corpus and its replay, for a first look."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.option_groups import takes


def register(app: typer.Typer) -> None:
    """Add ``demo`` to the app."""
    app.command("demo")(demo)


@takes()
def demo(
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", metavar="DIR", help="Folder to write the corpus to. Default: a temporary one."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="Nothing on stderr but warnings.")
    ] = False,
) -> None:
    """Write a small corpus of made-up sessions and replay it.

    Nothing of yours is read: the sessions are made from scenario files that come with the
    package. Says what to try next.
    """
    from dsh_calibrate_cli.demo_run import run_demo

    run_demo(out, quiet=quiet)
