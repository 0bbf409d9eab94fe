"""Work that a worker of a test cluster does; workers import it by name."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.corpus import _replay
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan


def counted(folder: Path, log: Log) -> None:
    """Leave a trace of one reading of a log."""
    (folder / f"{log.key.replace('/', '_')}.{os.getpid()}").touch()


def dying_once(folder: Path, key: str, plan: Plan, log: Log) -> LogOutcome:
    """Replay; the first worker that reads ``key`` is killed in the middle of it."""
    counted(folder, log)
    outcome = _replay(plan, log)
    if log.key == key:
        try:
            (folder / "killed").open("x").close()
        except FileExistsError:
            return outcome
        os.kill(os.getpid(), signal.SIGKILL)
    return outcome


def dying(key: str, log: Log) -> str:
    """End every worker that reads ``key``."""
    if log.key == key:
        os.kill(os.getpid(), signal.SIGKILL)
    return log.key


def here(log: Log) -> tuple[str, int]:
    """Whose log this is and which process read it."""
    return log.key, os.getpid()


def failing(log: Log) -> None:
    """Raise what nobody foresaw."""
    raise KeyError(log.key)
