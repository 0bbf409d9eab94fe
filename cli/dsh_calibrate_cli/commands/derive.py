"""``derive``: which settings to ship, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
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
    """Add ``derive`` to the app."""
    app.command("derive")(derive)


class Method(StrEnum):
    """How the error of many tests is kept down."""

    fixed_sequence = "fixed-sequence"
    bonferroni = "bonferroni"


class DisturbedBy(StrEnum):
    """What disturbs a session."""

    any = "any"
    gate = "gate"


class Order(StrEnum):
    """In which order named candidates are tested."""

    strictness = "strictness"
    given = "given"


@dataclass(frozen=True, slots=True)
class DeriveOptions:
    """The bound, the candidates, and what becomes of the answer."""

    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="Labels of the sessions. Default: labels.toml in the one folder named as PATH.",
        ),
    ] = None
    alpha: Annotated[
        float,
        typer.Option(
            "--alpha", metavar="SHARE", help="Most healthy sessions that may be disturbed."
        ),
    ] = 0.05
    delta: Annotated[
        float,
        typer.Option(
            "--delta", metavar="SHARE", help="Chance of being wrong about that: confidence 1 - it."
        ),
    ] = 0.10
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="Test candidates in a fixed order until one fails, or all of them at a share "
            "of delta.",
        ),
    ] = Method.fixed_sequence
    disturbed_by: Annotated[
        DisturbedBy,
        typer.Option(
            "--disturbed-by",
            help="What disturbs a healthy session and catches a stuck one: an advisory or a "
            "gate (any), or only a gate.",
        ),
    ] = DisturbedBy.any
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            metavar="K",
            help="Repeat the choice K times without a K-th of the sessions, and judge it there. "
            "Default: the split of the labels, else 5 where there are enough sessions.",
        ),
    ] = None
    over: Annotated[
        list[str],
        typer.Option(
            "--over",
            metavar="K=RANGE",
            help="Candidates, as in sweep: rtb.warnAt=3..9, rtb.limits.{exact,cmd}=9..14. "
            "Default: ladders around the settings in force (docs/derive.md). Repeatable.",
        ),
    ] = field(default_factory=list)
    candidates: Annotated[
        Path | None,
        typer.Option(
            "--candidates",
            metavar="FILE",
            help="Candidates, as in sweep: name → {rtb: {…}, …} in YAML, JSON or TOML.",
        ),
    ] = None
    order: Annotated[
        Order,
        typer.Option(
            "--order",
            help="Test named candidates from quiet to loud thresholds, or in the order given.",
        ),
    ] = Order.strictness
    full: Annotated[
        bool,
        typer.Option("--full", help="Restate every key in the row, not only what is set."),
    ] = False
    merge_into: Annotated[
        Path | None,
        typer.Option(
            "--merge-into",
            metavar="FILE",
            help="Also write the row into this cordis.patch.yml; its comments stay.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class DeriveFindingOptions:
    """When the outcome makes the command fail (contract.md 2)."""

    fail_on: Annotated[
        list[str],
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help="Exit 1 when the answer is infeasible, or a log is damaged. Repeatable, or "
            "separated by commas.",
        ),
    ] = field(default_factory=list)


@takes(
    corpus=CorpusOptions,
    what=DeriveOptions,
    settings=SettingsOptions,
    how=ReplayOptions,
    cache=CacheOptions,
    finding=DeriveFindingOptions,
    output=OutputOptions,
)
@offers("text", "json", "yaml", "patch")
def derive(
    *,
    corpus: CorpusOptions,
    what: DeriveOptions,
    settings: SettingsOptions,
    how: ReplayOptions,
    cache: CacheOptions,
    finding: DeriveFindingOptions,
    output: OutputOptions,
) -> None:
    """Pick settings from labelled sessions, under a bound, and say how sure that is.

    At most alpha of healthy sessions are disturbed, with confidence 1 - delta; then the most
    stuck sessions are caught; then the least is said. When the sessions cannot show that,
    the answer is no, with the number of sessions still missing (exit 0, or 1 with --fail-on
    infeasible). Formats: text, json, yaml, patch (the cordis.patch.yml row alone).
    """
    from dsh_calibrate_cli.derive_run import run_derive

    run_derive(corpus, what, settings, how, cache, finding, output)
