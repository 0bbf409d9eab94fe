"""``--jobs``, ``--executor`` and ``--scheduler``: who reads the logs."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dsh_calibrate.errors import UsageError

if TYPE_CHECKING:
    from dsh_calibrate.replay.executors.cluster import Jobs


class Executor(StrEnum):
    """Where the work on logs runs."""

    local = "local"
    dask = "dask"


JobsOption = Annotated[
    int | None,
    typer.Option("--jobs", metavar="N", min=1, help="Processes. Default: one per core."),
]
ExecutorOption = Annotated[
    Executor,
    typer.Option(
        "--executor",
        help="Who reads the logs: local, processes of this machine; dask, the workers of the "
        "cluster at --scheduler, which must see the logs too (docs/clusters.md).",
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(
        "--scheduler", metavar="ADDRESS", help="The Dask scheduler: tcp://HOST:PORT or tls://…."
    ),
]


def jobs_of(jobs: int | None, executor: Executor, scheduler: str | None) -> Jobs:
    """What ``map_logs`` wants; raises :class:`UsageError` for options that do not go together."""
    if executor is Executor.local:
        if scheduler is not None:
            raise UsageError("--scheduler names a Dask cluster: add --executor dask")
        return jobs
    if scheduler is None:
        raise UsageError("--executor dask: name the scheduler with --scheduler tcp://HOST:PORT")
    if jobs is not None:
        raise UsageError(
            "--jobs counts processes of this machine; with --executor dask the cluster's workers "
            "do the work: leave --jobs out"
        )
    from dsh_calibrate.replay.executors.cluster import Cluster

    return Cluster(scheduler)


def refuse_cluster(executor: Executor, command: str) -> None:
    """Raise :class:`UsageError` for a command whose work stays on this machine."""
    if executor is not Executor.local:
        raise UsageError(f"{command} works on this machine alone: leave --executor out")
