"""Paths that keep the words of the user and still mean one place on every machine.

``logs/a.jsonl`` is relative to a folder that a worker is not in. What is printed must be
what was typed, wherever the log was read; only opening it needs the whole path.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from dsh_calibrate.logs.discovery import Log

_Here = type(Path())


class AwayPath(_Here):  # type: ignore[valid-type, misc]
    """A path that reads as it was typed and is opened at ``whole``."""

    whole: str

    def __fspath__(self) -> str:
        """Where the file lies: what ``open`` and ``stat`` use."""
        return self.whole

    def __reduce__(self) -> tuple[Any, ...]:
        """Both spellings travel."""
        return _made, (str(self), self.whole)


def _made(typed: str, whole: str) -> AwayPath:
    path = AwayPath(typed)
    path.whole = whole
    return path


def sent(log: Log) -> Log:
    """The log as a worker in another folder can read it."""
    if not isinstance(log.path, Path) or log.path.is_absolute():
        return log
    return dataclasses.replace(log, path=_made(str(log.path), str(log.path.absolute())))
