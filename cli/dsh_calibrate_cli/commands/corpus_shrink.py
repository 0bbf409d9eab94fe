"""``corpus shrink``: the smallest session that keeps a decision."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.place_arguments import place_argument
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``shrink`` to ``corpus``."""
    app.command("shrink")(shrink)


@takes(settings=SettingsOptions, how=ReplayOptions)
def shrink(
    *,
    log: Annotated[
        Path,
        typer.Argument(
            metavar="LOG", parser=place_argument, help="The log, or its session folder."
        ),
    ],
    settings: SettingsOptions,
    how: ReplayOptions,
    keep: Annotated[
        str,
        typer.Option(
            "--keep",
            metavar="SPEC",
            help="The decision: GUARD[:STAGE][@seq=N], @call=N or @stream=N (with LIFECYCLE/ in "
            "front where there are several): rtb:warn@call=6, rlg@stream=0, tfb@1/call=3.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option("-o", metavar="FILE", help="The new log: *.jsonl, or *.jsonl.zstd for zstd."),
    ],
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No summary on stderr.")] = False,
) -> None:
    """Leave out turns, steps, calls, lines and pieces until only one decision is left.

    The result is a log that reads whole, in which the same guard takes the same decision: verdict,
    stage, fingerprint, count and threshold. The same input gives the same bytes. It holds
    content of the original: redact it before you publish it.
    """
    from dsh_calibrate_cli.corpus_shrink_run import run_shrink

    run_shrink(log, settings, how, keep, out, quiet=quiet)
