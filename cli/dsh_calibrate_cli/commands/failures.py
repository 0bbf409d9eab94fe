"""``failures``: how long failures last in a row, and what makes them failures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``failures`` to the app."""
    app.command("failures")(failures)


@takes(corpus=CorpusOptions, settings=SettingsOptions, content=ContentOptions, output=OutputOptions)
def failures(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    threshold: Annotated[
        list[int] | None,
        typer.Option("--threshold", metavar="N", min=1, help="Run lengths asked about. 3 and 5."),
    ] = None,
    per_turn: Annotated[
        bool, typer.Option("--per-turn", help="Cut runs at messages of the user.")
    ] = False,
    all_measures: Annotated[
        bool, typer.Option("--all-measures", help="Count measures without a cap too.")
    ] = False,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="Tell logs labelled healthy apart."),
    ] = None,
    examples: Annotated[
        int, typer.Option("--examples", metavar="N", min=0, help="Longest runs shown.")
    ] = 5,
) -> None:
    """Measure failed calls by reason and tool, and the longest runs under three definitions.

    global: any calls in a row; per fingerprint: one fingerprint failing again and again;
    per target: the same for host and net alone. Runs go on across messages of the user.
    """
    from dsh_calibrate_cli.failures_run import run_failures

    run_failures(
        corpus,
        settings,
        content,
        output,
        thresholds=threshold or [3, 5],
        per_turn=per_turn,
        all_measures=all_measures,
        labels=labels,
        examples=examples,
    )
