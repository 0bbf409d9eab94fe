"""``conformance plugin``: the installed plugin itself beside the engine, call by call."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.replay_options import Operator
from dsh_calibrate_cli.settings_options import SettingsOptions


@takes(corpus=CorpusOptions, settings=SettingsOptions, output=OutputOptions)
@offers("text", "json")
def plugin(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    output: OutputOptions,
    package: Annotated[
        Path,
        typer.Option(
            "--package",
            metavar="DIR",
            help="Folder of the installed plugin, such as node_modules/dsh-repeat-tool-breaker.",
        ),
    ],
    operator: Annotated[
        Operator, typer.Option("--operator", help="Who answers when the breaker asks.")
    ] = Operator.decline,
    generated: Annotated[
        int,
        typer.Option(
            "--generated",
            metavar="N",
            min=0,
            help="Also N made-up sessions; without PATH, only them.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of those.")] = 1,
    first: Annotated[
        int, typer.Option("--first", min=0, metavar="N", help="Differences to show.")
    ] = 10,
    save: Annotated[
        Path | None,
        typer.Option(
            "--save",
            metavar="DIR",
            help="Write what the plugin did as vector files, session content in full.",
        ),
    ] = None,
    run_in_ci: Annotated[
        bool,
        typer.Option("--run-in-ci", help="Run the package although CI is set."),
    ] = False,
) -> None:
    """Run the installed plugin under Node (20 or later) beside the engine, over the same logs.

    This RUNS THE PACKAGE, which is code nobody here has checked. --guard says which guard it
    is where its name does not. Exit code 0: every decision agrees; 1: they differ; 2: nothing
    could be run.
    """
    from dsh_calibrate_cli.conformance_plugin_run import PluginOptions, run_conformance_plugin

    options = PluginOptions(package, operator.value, generated, seed, first, save, run_in_ci)
    run_conformance_plugin(corpus, settings, output, options)
