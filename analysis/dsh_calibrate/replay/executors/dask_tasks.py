"""Work on logs, spread over a Dask cluster (extra ``[dask]``).

Dask runs a task again when its worker is lost; a result counts once, by the place of its
log. No more than :data:`AHEAD` logs are under way or waiting to be fetched at a time, so
neither side ever holds the results of a large corpus.
"""

from __future__ import annotations

import contextlib
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, TypeVar, cast

from dsh_calibrate.engine import engine_id
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.executors.away_paths import sent
from dsh_calibrate.replay.executors.cluster import Cluster, ClusterError
from dsh_calibrate.replay.executors.cluster_tasks import Done, Refused, run_checked, shared
from dsh_calibrate.replay.executors.dask_client import connected, other_engine
from dsh_calibrate.replay.executors.visibility import unlike

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")

AHEAD = 256
"""Logs whose work is under way or done and not handed on yet."""
NO_WORKER = 120.0
"""Seconds that a cluster without any worker is waited for (it may be starting some)."""
_LOOK = 2.0
_TRIES = 3


def map_on_cluster(
    work: Callable[[Log], T],
    logs: Sequence[Log],
    cluster: Cluster,
    on_done: Callable[[Log], None] | None,
) -> Iterator[T]:
    """Yield ``work(log)`` in the order of ``logs``, each read by a worker of ``cluster``.

    Raises :class:`ClusterError` when the scheduler cannot be reached, a worker has another
    version or does not see a log, or a log ended its workers again and again.
    """
    if not logs:
        return
    with connected(cluster) as client:
        run = _Run(client, cluster, work, logs, on_done)
        try:
            for position in range(len(logs)):
                yield run.result(position)
        finally:
            run.stop()


class _Run:
    """The futures of one corpus."""

    def __init__(
        self,
        client: Client,
        cluster: Cluster,
        work: Callable[[Log], Any],
        logs: Sequence[Log],
        on_done: Callable[[Log], None] | None,
    ) -> None:
        self._client = client
        self._cluster = cluster
        self._work = work
        self._logs = logs
        self._on_done = on_done
        self._engine = engine_id()
        self._name = f"dsh-calibrate-{uuid.uuid4().hex}"
        # A task like any other: sent once however large, and made again where it is lost.
        self._shared = client.submit(shared, work, key=f"{self._name}-work", pure=False)
        self._futures: dict[int, Future[Any]] = {}
        self._alone_since: float | None = None
        self._sent = min(AHEAD, len(logs))
        for position in sorted(range(self._sent), key=lambda i: (-logs[i].size, i)):
            self._send(position)

    def _send(self, position: int) -> None:
        log = self._logs[position]
        future = self._client.submit(
            run_checked,
            self._shared,
            self._engine,
            sent(log),
            key=f"{self._name}-{position}",
            priority=log.size,  # the longest first, also among those sent later
            pure=False,
        )
        if self._on_done is not None:
            on_done = self._on_done
            future.add_done_callback(lambda _: on_done(log))
        self._futures[position] = future

    def result(self, position: int) -> Any:
        """Wait for one log's result; one more log is sent in its place."""
        answer = self._wait(self._futures[position], self._logs[position])
        del self._futures[position]
        if self._sent < len(self._logs):
            self._sent += 1
            self._send(self._sent - 1)
        if isinstance(answer, Done):
            return answer.result
        return self._refused(cast(Refused, answer), self._logs[position])

    def _wait(self, future: Future[Any], log: Log) -> object:
        from distributed import KilledWorker
        from distributed.comm import CommClosedError

        tries = 0
        while True:
            try:
                return future.result(timeout=_LOOK)
            except TimeoutError:  # it goes on, or the work itself raised it
                if future.done():
                    raise
            except KilledWorker as lost:
                raise ClusterError(
                    f"{log.key}: {lost.allowed_failures + 1} workers died while they read it; "
                    "their own logs say why (a memory limit that is too low, most often)"
                ) from lost
            except CancelledError as lost:
                raise self._lost() from lost
            except CommClosedError as lost:  # on the way of the result, not in the work
                tries += 1
                if tries > _TRIES:
                    raise self._lost() from lost
                time.sleep(_LOOK / 4)
            self._require_workers()

    def _require_workers(self) -> None:
        """Raise when the scheduler is gone, or has had no worker for too long."""
        try:
            present = self._client.status == "running" and bool(self._client.nthreads())
        except (OSError, RuntimeError) as lost:
            raise self._lost() from lost
        if self._client.status != "running":
            raise self._lost()
        if present:
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since >= NO_WORKER:
            raise ClusterError(
                f"{self._cluster.scheduler}: the scheduler has no worker; start some: "
                f"dask worker {self._cluster.scheduler}"
            )

    def _lost(self) -> ClusterError:
        return ClusterError(
            f"{self._cluster.scheduler}: the scheduler went away; nothing was written, run the "
            "command again"
        )

    def _refused(self, refused: Refused, log: Log) -> Any:
        if refused.reason is None:
            raise other_engine(f"{self._cluster.scheduler}: a worker", refused.engine)
        if unlike(log) is not None:  # it went away meanwhile: the reading says so itself
            return self._work(log)
        raise ClusterError(
            f"{log.path}: a worker of {self._cluster.scheduler} does not see it as this machine "
            f"does ({refused.reason}); put the logs where every worker finds them under the "
            "same path, or name an object store (s3://…)"
        )

    def stop(self) -> None:
        """Give up what nobody waits for any more."""
        if self._futures and self._client.status == "running":
            with contextlib.suppress(OSError, RuntimeError, CancelledError):
                self._client.cancel(list(self._futures.values()))
        self._futures.clear()
