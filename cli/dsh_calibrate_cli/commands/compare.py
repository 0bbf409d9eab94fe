"""``compare``: what changes between two settings, two versions or two policies."""

from __future__ import annotations

from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions

_SPEC = (
    "a settings file, rtb=0.5.2, GUARD.KEY=VALUE or policy=denylist; several joined by commas, "
    "or the option again. Comes on top of --config, --set and --plugin-version, which both "
    "sides share."
)


def register(app: typer.Typer) -> None:
    """Add ``compare`` to the app."""
    app.command("compare")(compare)


@takes(
    corpus=CorpusOptions,
    settings=SettingsOptions,
    how=ReplayOptions,
    content=ContentOptions,
    output=OutputOptions,
)
@offers("text", "json", "csv", "parquet")
def compare(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    how: ReplayOptions,
    content: ContentOptions,
    output: OutputOptions,
    a: Annotated[
        list[str] | None, typer.Option("--a", metavar="SPEC", help=f"One side: {_SPEC}")
    ] = None,
    b: Annotated[
        list[str] | None, typer.Option("--b", metavar="SPEC", help="The other side, likewise.")
    ] = None,
    top: Annotated[
        int, typer.Option("--top", metavar="N", min=0, help="Changes that the text lists.")
    ] = 20,
    fail_on_change: Annotated[
        bool, typer.Option("--fail-on-change", help="Exit 1 when any decision differs.")
    ] = False,
) -> None:
    """Replay two settings over the same sessions and name every decision that differs.

    Each with the reason: which measure, which count, which threshold on each side. Formats:
    text (for people, masked), json, csv, parquet.
    """
    from dsh_calibrate_cli.compare_run import run_compare

    run_compare(
        corpus, settings, how, content, output, a or [], b or [], top, fail_on_change=fail_on_change
    )
