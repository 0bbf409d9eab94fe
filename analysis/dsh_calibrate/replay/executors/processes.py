"""Processes of this machine: one per core, or none of their own for little work."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.stores.stored_object import StoredObject, stored

T = TypeVar("T")


def _far(log: Log) -> StoredObject | None:
    return stored(log.path)


_SMALL = 16 * 1024 * 1024
"""Stored bytes below which starting processes costs more than it saves."""


def map_in_processes(
    work: Callable[[Log], T],
    logs: Sequence[Log],
    jobs: int | None,
    on_done: Callable[[Log], None] | None,
) -> Iterator[T]:
    """Yield ``work(log)`` in the order of ``logs`` from ``jobs`` processes.

    ``None``: one per core, or none of their own for a small corpus. Logs in the memory of
    this process are read by it alone.
    """
    if any(far is not None and far.is_private for far in map(_far, logs)):
        jobs = 1
    size = sum(log.size for log in logs)
    count = jobs if jobs is not None else (1 if size < _SMALL else os.cpu_count() or 1)
    count = min(count, len(logs))
    if count <= 1:
        for log in logs:
            result = work(log)
            if on_done is not None:
                on_done(log)
            yield result
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=count, mp_context=context) as executor:
        futures: dict[int, Future[T]] = {}
        try:
            with _no_interrupts():
                for position in sorted(range(len(logs)), key=lambda i: (-logs[i].size, i)):
                    log = logs[position]
                    future = executor.submit(work, log)
                    if on_done is not None:
                        future.add_done_callback(lambda _, log=log: on_done(log))  # type: ignore[misc]
                    futures[position] = future
            for position in range(len(logs)):
                yield futures.pop(position).result()
        except BaseException:
            # What a process has in hand may take minutes, and nobody wants it any more.
            executor.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.terminate()
            raise


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they inherit it, and this one ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
