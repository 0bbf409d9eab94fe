"""What a worker of a cluster runs: the work on one log, once it is sure that it may.

Everything here is sent to another machine and back by name, so it is plain functions and
plain values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from dsh_calibrate.engine import engine_id
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.executors.visibility import unlike

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Done(Generic[T]):
    """The result for one log."""

    result: T


@dataclass(frozen=True, slots=True)
class Refused:
    """A worker did not read the log: another engine, or another file at its path.

    ``engine`` is that of the worker; ``reason`` is ``None`` when the engine is at fault.
    """

    engine: str
    reason: str | None = None


def shared(work: T) -> T:
    """The work on all logs, as a worker holds it."""
    return work


def run_checked(work: Callable[[Log], T], engine: str, log: Log) -> Done[T] | Refused:
    """Do the work on one log, as the engine ``engine`` would and on the log it found."""
    here = engine_id()
    if here != engine:
        return Refused(here)
    try:
        reason = unlike(log)
    except UsageError as missing:  # a package that reads the store, on this worker alone
        reason = str(missing)
    return Done(work(log)) if reason is None else Refused(here, reason)
