"""``check``: whether a corpus still behaves as its baseline and labels say."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.worker_options import (
    Executor,
    ExecutorOption,
    JobsOption,
    SchedulerOption,
    jobs_of,
)


def register(app: typer.Typer) -> None:
    """Add ``check`` to the app."""
    app.command("check")(check)


@takes(output=OutputOptions)
@offers("text", "json", "junit", "sarif", "github", "summary")
def check(
    *,
    output: OutputOptions,
    corpus: Annotated[
        Path,
        typer.Argument(
            metavar="[CORPUS]", help="A corpus folder (corpus.toml). Default: the current folder."
        ),
    ] = Path(),
    update: Annotated[
        bool,
        typer.Option("--update", help="Write the baseline anew, once the changes are reviewed."),
    ] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option("--accept", metavar="ID", help="Take this one change over. Repeatable."),
    ] = None,
    diff: Annotated[
        bool,
        typer.Option("--diff", help="Only show what differs: write nothing, do not fail."),
    ] = False,
    jobs: JobsOption = None,
    executor: ExecutorOption = Executor.local,
    scheduler: SchedulerOption = None,
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="No progress and no summary on stderr.")
    ] = False,
) -> None:
    """Replay a corpus and compare it with its baseline and its labels.

    Exit code 0: as agreed; 1: decisions are new, vanished or changed, or a label's
    expectation fails; 2: a file of the corpus is wrong; 3: less could be read than agreed.
    Formats: text, json, junit, sarif, github (annotations), summary (Markdown).
    """
    from dsh_calibrate_cli.check_run import CheckRequest, run_check

    run_check(
        CheckRequest(
            corpus=corpus,
            update=update,
            accept=tuple(accept or ()),
            diff=diff,
            jobs=jobs_of(jobs, executor, scheduler),
            quiet=quiet,
        ),
        output,
    )
