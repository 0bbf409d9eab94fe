"""A real Dask cluster on this machine: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
_PATIENCE = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
"""How long a scheduler goes on asking a worker that was killed for its results."""

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None,
    reason="the extra [dask] is not installed",
)


class ClusterProcesses:
    """A scheduler and its workers. ``workers`` are processes, in the order of their start."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.address = f"tcp://127.0.0.1:{_free_port()}"
        port = self.address.rsplit(":", 1)[1]
        options = ("--host", "127.0.0.1", "--port", port, "--no-dashboard", "--no-show")
        self.scheduler = self._start("scheduler", *options)

    def _start(self, *words: str, **variables: str) -> subprocess.Popen[bytes]:
        name = f"{words[0]}-{len(self.workers)}.log"
        with (self._folder / name).open("wb") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "dask", *words],
                cwd=self._folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **_PATIENCE, "PYTHONPATH": str(TESTS), **variables},
            )

    def add_worker(self, **variables: str) -> None:
        """Start one more worker (one thread, no nanny that would start it again)."""
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60")
        self.workers.append(self._start("worker", self.address, *options, **variables))

    def wait(self, workers: int) -> None:
        """Wait until so many workers have signed on."""
        from distributed import Client

        with Client(self.address, timeout=60, set_as_default=False) as client:
            if workers:
                client.wait_for_workers(workers, timeout=60)

    def stop(self) -> None:
        """End what is left."""
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.wait(timeout=30)


@contextlib.contextmanager
def cluster_of(folder: Path, workers: int = 2, **variables: str) -> Iterator[ClusterProcesses]:
    """A cluster of ``workers`` workers whose environment also has ``variables``."""
    cluster = ClusterProcesses(folder)
    try:
        for _ in range(workers):
            cluster.add_worker(**variables)
        cluster.wait(workers)
        yield cluster
    finally:
        cluster.stop()


def until(true: object, seconds: float = 60.0) -> None:
    """Wait until ``true()`` holds."""
    end = time.monotonic() + seconds
    while not true():  # type: ignore[operator]
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
