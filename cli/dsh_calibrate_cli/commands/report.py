"""``report``: a calibration as a document for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.cache_options import CacheOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``report`` to the app."""
    app.command("report")(report)


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What the report says, and where it goes."""

    out: Annotated[
        Path | None,
        typer.Option(
            "-o",
            metavar="DIR",
            help="Write report.html, report.md, report.json, charts and tables to this folder. "
            "Default: print the report as text.",
        ),
    ] = None
    title: Annotated[str, typer.Option("--title", help="Title of the report.")] = (
        "Calibration of guard settings"
    )
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="Labels of the sessions. Default: labels.toml in the one folder named as PATH, "
            "if there is one.",
        ),
    ] = None
    show_content: Annotated[
        bool,
        typer.Option(
            "--show-content",
            help="Show commands, addresses, paths and names as they are; the report says so.",
        ),
    ] = False


@takes(
    corpus=CorpusOptions,
    what=ReportOptions,
    settings=SettingsOptions,
    how=ReplayOptions,
    cache=CacheOptions,
)
def report(
    *,
    corpus: CorpusOptions,
    what: ReportOptions,
    settings: SettingsOptions,
    how: ReplayOptions,
    cache: CacheOptions,
) -> None:
    """Write a calibration report: what fires, how sure that is, which settings to ship.

    The folder of -o gets one HTML file that needs no network, the same as Markdown and JSON,
    its pictures as SVG, and every table as CSV and Parquet. Content of logs is masked.
    """
    from dsh_calibrate_cli.report_run import run_report

    run_report(corpus, what, settings, how, cache)
