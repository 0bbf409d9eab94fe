"""``replay``: how often would my guards fire on my sessions, and on what."""

from __future__ import annotations

from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions, FindingOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``replay`` to the app."""
    app.command("replay")(replay)


@takes(
    corpus=CorpusOptions,
    settings=SettingsOptions,
    how=ReplayOptions,
    finding=FindingOptions,
    content=ContentOptions,
    output=OutputOptions,
)
@offers("text", "json", "jsonl", "csv")
def replay(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    how: ReplayOptions,
    finding: FindingOptions,
    content: ContentOptions,
    output: OutputOptions,
    noisiest: Annotated[
        int, typer.Option("--noisiest", metavar="N", min=0, help="Logs in the last table.")
    ] = 10,
) -> None:
    """Replay recorded sessions through the guards and count what they would have done.

    Formats: text (for people), json (one document), jsonl (one line each time a guard
    speaks or stops), csv (the same lines as a table). Text shows counts and names of logs
    alone; --mask shortens those names too.
    """
    from dsh_calibrate_cli.replay_run import run_replay

    run_replay(corpus, settings, how, finding, content, output, noisiest)
