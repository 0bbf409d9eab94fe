"""``reasoning``: how close reasoning comes to each rule, and at which piece size it fires."""

from __future__ import annotations

from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``reasoning`` to the app."""
    app.command("reasoning")(reasoning)


@takes(corpus=CorpusOptions, settings=SettingsOptions, output=OutputOptions)
@offers("text", "json")
def reasoning(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    output: OutputOptions,
    pieces: Annotated[
        str,
        typer.Option("--pieces", metavar="N,N…", help="Piece sizes in UTF-16 units."),
    ] = "1,8,40,200,1000,4000",
) -> None:
    """Run reasoning through the reasoning guard at several piece sizes, with peaks per rule.

    PATH… may also name files of texts: a JSON array or JSON lines, each a string or an object
    with text. The live guard judges at piece borders, so the size of the pieces decides where, and
    sometimes whether, it fires. Of session logs the recorded pieces are shown too.
    """
    from dsh_calibrate_cli.reasoning_run import run_reasoning

    run_reasoning(corpus, pieces, settings, output)
