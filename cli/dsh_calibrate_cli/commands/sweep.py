"""``sweep``: what other thresholds would have cost and caught."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.cache_options import CacheOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``sweep`` to the app."""
    app.command("sweep")(sweep)


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """What is swept, and against what."""

    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="K=RANGE",
            help="A threshold and its values: rtb.warnAt=5..9, rlg.lineShare=0.05..0.2:0.05, "
            "rtb.limits.site=[null,12], tied keys rtb.limits.{exact,cmd,net,sink}=9..14. "
            "Repeatable: every combination.",
        ),
    ] = field(default_factory=list)
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates",
            metavar="FILE",
            help="Whole settings by name: name → {rtb: {…}, …} in YAML, JSON or TOML.",
        ),
    ] = None
    pieces: Annotated[
        list[int],
        typer.Option(
            "--pieces",
            metavar="N",
            min=1,
            help="Cut reasoning anew into pieces of N UTF-16 units, as one more axis. Repeatable.",
        ),
    ] = field(default_factory=list)
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="Labels of the sessions (labels.toml): stuck ones caught, healthy ones disturbed.",
        ),
    ] = None
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="SLICE",
            help="Also by model, provider, format, project or preset.",
        ),
    ] = None


@takes(
    corpus=CorpusOptions,
    what=SweepOptions,
    settings=SettingsOptions,
    how=ReplayOptions,
    cache=CacheOptions,
    output=OutputOptions,
)
@offers("text", "json", "csv", folders=("parquet",))
def sweep(
    *,
    corpus: CorpusOptions,
    what: SweepOptions,
    settings: SettingsOptions,
    how: ReplayOptions,
    cache: CacheOptions,
    output: OutputOptions,
) -> None:
    """Hold many settings against the same recorded sessions.

    The logs are measured once; only those that reach a gate are replayed again. Guards are
    those that the sweep changes, or the ones that --guard names. Formats: text, json, csv,
    parquet (a folder with the tables sets and sessions).
    """
    from dsh_calibrate_cli.sweep_run import run_sweep

    run_sweep(corpus, what, settings, how, cache, output)
