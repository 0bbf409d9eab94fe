"""``corpus stats``: what is in a corpus."""

from __future__ import annotations

from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``stats`` to ``corpus``."""
    app.command("stats")(stats)


@takes(corpus=CorpusOptions, settings=SettingsOptions, content=ContentOptions, output=OutputOptions)
@offers("text", "json", "csv")
def stats(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=1, help="Rows of each table of the text.")
    ] = 10,
) -> None:
    """Say what is in a corpus, before anything is replayed.

    Versions, sizes, tools, verbs, hosts, turns, models, resets, what guards did while
    recording, and how high every count goes when nothing is stopped. Formats: text (for
    people, masked), json (one document), csv (one row a log).
    """
    from dsh_calibrate_cli.corpus_stats_run import run_stats

    run_stats(corpus, settings, content, output, top)
