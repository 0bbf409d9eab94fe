"""PATH… and how its logs are read: shared by every command that looks at recorded logs."""

from __future__ import annotations

from dataclasses import dataclass, field
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from dsh_calibrate_cli.option_groups import accepted
from dsh_calibrate_cli.place_arguments import place_argument
from dsh_calibrate_cli.selection_options import SelectionOptions
from dsh_calibrate_cli.worker_options import (
    Executor,
    ExecutorOption,
    JobsOption,
    SchedulerOption,
    jobs_of,
)

if TYPE_CHECKING:
    from dsh_calibrate.replay.executors.cluster import Jobs


@dataclass(frozen=True, slots=True)
class CorpusOptions(SelectionOptions):
    """Which logs, and how they are read (contract.md 2)."""

    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH",
            parser=place_argument,
            help="Logs, session folders or whole roots; or addresses: s3://BUCKET/PREFIX, gs://…, "
            "https://… (docs/clusters.md). None: $DSH_HOME/sessions.",
            show_default=False,
        ),
    ] = field(default_factory=list)
    salvage: Annotated[
        bool,
        typer.Option("--salvage", help="Go on behind damage, with emptied state."),
    ] = False
    min_coverage: Annotated[
        float | None,
        typer.Option(
            "--min-coverage",
            metavar="P",
            min=0.0,
            max=100.0,
            help="Exit 3 when less than P of the logs found could be read: a share up to 1, or "
            "percent above 1.",
        ),
    ] = None
    jobs: JobsOption = None
    executor: ExecutorOption = Executor.local
    scheduler: SchedulerOption = None
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Only part I of N of the logs; every log is in one part (docs/clusters.md).",
        ),
    ] = None
    quiet: Annotated[
        bool, typer.Option("-q", "--quiet", help="No progress and no summary on stderr.")
    ] = False
    ACCEPTED: ClassVar[tuple[Parameter, ...]] = (
        accepted("no_cache", "--no-cache", "Accepted everywhere; this command keeps nothing."),
    )

    def __post_init__(self) -> None:
        """Refuse options that contradict before anything is read."""
        _ = self.workers

    @property
    def workers(self) -> Jobs:
        """Who reads the logs; raises :class:`UsageError` for options that contradict."""
        return jobs_of(self.jobs, self.executor, self.scheduler)


@dataclass(frozen=True, slots=True)
class FindingOptions:
    """When a finding makes the command fail (contract.md 2)."""

    fail_on: Annotated[
        list[str],
        typer.Option(
            "--fail-on",
            metavar="WHAT",
            help="Exit 1 when there is any: advise, ask, deny, refuse, fire, damaged. "
            "Repeatable, or separated by commas.",
        ),
    ] = field(default_factory=list)
