"""``corpus label``: say which sessions were stuck and which were healthy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``label`` to ``corpus``."""
    app.command("label")(label)


@takes(corpus=CorpusOptions, settings=SettingsOptions, output=OutputOptions)
@offers("text", "json", "csv")
def label(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    output: OutputOptions,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="The labels file. Default: the *.toml among PATH, or labels.toml in PATH.",
        ),
    ] = None,
    outcome: Annotated[
        str | None,
        typer.Option(
            "--outcome",
            metavar="WORD",
            help="Set this label (stuck, healthy, undecided) on --log or --session, and stop.",
        ),
    ] = None,
    log: Annotated[
        list[str] | None,
        typer.Option(
            "--log", metavar="GLOB", help="Logs to label, by key (** crosses folders). Repeatable."
        ),
    ] = None,
    split: Annotated[
        str | None, typer.Option("--split", metavar="S", help="Also set the split: train or test.")
    ] = None,
    remark: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Also set the note of the label.")
    ] = "",
    queue: Annotated[
        bool,
        typer.Option("--queue", help="Print what waits for a label, and stop: text, json or csv."),
    ] = False,
    import_csv: Annotated[
        Path | None,
        typer.Option(
            "--import",
            metavar="FILE.csv",
            help="Take labels from a table: log or session, outcome, split, note.",
        ),
    ] = None,
) -> None:
    """Label sessions as stuck, healthy or undecided.

    With --outcome: label what --log or --session name. Without it: walk through the
    unlabelled logs, those whose counts come nearest a threshold first, and ask. Every
    answer is written at once, so stopping loses nothing.
    """
    from dsh_calibrate_cli.corpus_label_run import LabelRequest, run_label

    request = LabelRequest(
        labels=labels,
        outcome=outcome,
        logs=tuple(log or ()),
        split=split,
        note=remark,
        queue=queue,
        import_csv=import_csv,
    )
    run_label(corpus, settings, output, request)
