"""Runs one function over many logs, wherever there are hands, in a fixed order.

Results come back in the order of the logs whatever the number of processes or machines;
the longest logs are started first so that the last process does not wait alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.executors.cluster import Cluster, Jobs
from dsh_calibrate.replay.executors.processes import map_in_processes

T = TypeVar("T")


def map_logs(
    work: Callable[[Log], T],
    logs: Sequence[Log],
    *,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> Iterator[T]:
    """Yield ``work(log)`` for every log, in the order of ``logs``.

    ``jobs`` is the number of processes (``None``: one per core, or none of them for a small
    corpus), or the Dask cluster that does the work. ``work`` must be picklable; on a cluster
    it and its result travel to other machines. ``on_done`` is called as logs finish
    (progress). Raises :class:`~dsh_calibrate.replay.executors.cluster.ClusterError` when a
    cluster cannot do it.
    """
    if isinstance(jobs, Cluster):
        from dsh_calibrate.replay.executors.dask_tasks import map_on_cluster

        return map_on_cluster(work, logs, jobs, on_done)
    return map_in_processes(work, logs, jobs, on_done)
