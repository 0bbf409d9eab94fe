"""``conformance recorded``: what the live guard did beside what the replay decides."""

from __future__ import annotations

from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.replay_options import Operator
from dsh_calibrate_cli.settings_options import SettingsOptions


@takes(corpus=CorpusOptions, settings=SettingsOptions, output=OutputOptions)
@offers("text", "json")
def recorded(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    output: OutputOptions,
    operator: Annotated[
        Operator, typer.Option("--operator", help="Who answers when the breaker asks.")
    ] = Operator.recorded,
    first: Annotated[
        int, typer.Option("--first", min=0, metavar="N", help="Mismatches to show.")
    ] = 10,
) -> None:
    """Match denials, notices and aborts that logs hold with the replay's own decisions.

    Settings that the recording shows are inferred, and replayed where they are not those
    given. Exit code 0: all agree; 1: something was missed or is extra; 2: nothing to read.
    """
    from dsh_calibrate_cli.conformance_recorded_run import run_conformance_recorded

    run_conformance_recorded(corpus, settings, output, operator.value, first)
