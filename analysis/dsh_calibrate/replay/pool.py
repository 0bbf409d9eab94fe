"""Runs one function over many logs, on as many processes as wanted, in a fixed order.

Results come back in the order of the logs whatever the number of processes; the longest
logs are started first so that the last process does not wait alone.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import TypeVar

from dsh_calibrate.logs.discovery import Log

T = TypeVar("T")

_SMALL = 4 * 1024 * 1024
"""Stored bytes below which starting processes costs more than it saves."""


def map_logs(
    work: Callable[[Log], T],
    logs: Sequence[Log],
    *,
    jobs: int | None = None,
    on_done: Callable[[Log], None] | None = None,
) -> Iterator[T]:
    """Yield ``work(log)`` for every log, in the order of ``logs``.

    ``jobs`` is the number of processes (``None``: one per core, or none of them for a small
    corpus). ``work`` must be picklable. ``on_done`` is called as logs finish (progress).
    """
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
        for position in sorted(range(len(logs)), key=lambda i: (-logs[i].size, i)):
            log = logs[position]
            future = executor.submit(work, log)
            if on_done is not None:
                future.add_done_callback(lambda _, log=log: on_done(log))  # type: ignore[misc]
            futures[position] = future
        try:
            for position in range(len(logs)):
                yield futures.pop(position).result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise
