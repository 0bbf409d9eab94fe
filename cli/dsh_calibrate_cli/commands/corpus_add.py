"""``corpus add``: logs join a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.place_arguments import place_argument
from dsh_calibrate_cli.selection_options import SelectionOptions


def register(app: typer.Typer) -> None:
    """Add ``add`` to ``corpus``."""
    app.command("add")(add)


@takes(selection=SelectionOptions)
def add(
    *,
    selection: SelectionOptions,
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            parser=place_argument,
            help="Logs, session folders, whole roots, or addresses of any (s3://BUCKET/PREFIX).",
        ),
    ],
    corpus: Annotated[
        Path, typer.Option("--corpus", metavar="DIR", help="The corpus. Default: this folder.")
    ] = Path(),
    as_is: Annotated[
        bool,
        typer.Option("--as-is", help="Take the logs as they are, with everything they hold."),
    ] = False,
    allow_related: Annotated[
        bool,
        typer.Option(
            "--allow-related",
            help="Also take other logs of a session it has (formats, generations), and forks.",
        ),
    ] = False,
    provenance: Annotated[
        str, typer.Option("--provenance", metavar="TEXT", help="Where these logs come from.")
    ] = "",
    licence: Annotated[
        str, typer.Option("--licence", metavar="TEXT", help="Under which terms they may be used.")
    ] = "",
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No summary on stderr.")] = False,
) -> None:
    """Copy logs into a corpus, redacted, and list them with their digests.

    A log whose redacted copy does not agree with it is left out. With --as-is logs are
    copied as they are, and those that lie in the corpus folder already are only listed.
    Refused, each with its reason: look-alikes, copies, older generations, other logs of a
    session, forks. Prints the path of every log that joined.
    """
    from dsh_calibrate_cli.corpus_folder_run import AddRequest, run_add

    run_add(
        AddRequest(
            corpus=corpus,
            as_is=as_is,
            allow_related=allow_related,
            provenance=provenance,
            licence=licence,
            quiet=quiet,
        ),
        paths,
        selection,
    )
