"""One run of a command, and pairs of runs that alternate."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Command:
    """What is run: its words, what is added to the environment, what is done before (untimed)."""

    words: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    before: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One run: wall and CPU seconds, the memory peak of its largest process, its output."""

    seconds: float
    cpu_seconds: float
    peak_mb: float
    output: bytes

    def json(self) -> Any:
        """The output as JSON."""
        return json.loads(self.output)


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison over all rounds."""

    runs: tuple[Run, ...]

    @classmethod
    def of_seconds(cls, seconds: Sequence[float]) -> Side:
        """What was timed inside another process: wall seconds alone."""
        return cls(tuple(Run(value, 0.0, 0.0, b"") for value in seconds))

    @property
    def seconds(self) -> float:
        """Median of the wall seconds."""
        return statistics.median(run.seconds for run in self.runs)

    @property
    def cpu_seconds(self) -> float:
        """Median of the CPU seconds of all its processes."""
        return statistics.median(run.cpu_seconds for run in self.runs)

    @property
    def peak_mb(self) -> float:
        """Highest memory peak of a process, in millions of bytes."""
        return max(run.peak_mb for run in self.runs)


def run(command: Command) -> Run:
    """Run a command to its end; a failure ends the benchmark with what it said."""
    if command.before is not None:
        command.before()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        child = subprocess.Popen(
            command.words,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=errors,
            env={**os.environ, **command.environment},
        )
        # wait4 counts the processes that the child itself has waited for, too.
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if child.returncode != 0:
            sys.exit(f"{' '.join(command.words)}\nended with {child.returncode}: {errors.read()!r}")
        unit = 1 if sys.platform == "darwin" else 1024
        peak = used.ru_maxrss * unit / 1e6
        return Run(seconds, used.ru_utime + used.ru_stime, peak, out.read())


def alternate(commands: Sequence[Command], rounds: int) -> tuple[Side, ...]:
    """Run the commands one after the other, ``rounds`` times, the first one first every other time.

    One round before the first is not counted: it fills the page cache and compiles modules.
    """
    for command in commands:
        run(command)
    found: list[list[Run]] = [[] for _ in commands]
    for number in range(rounds):
        order = list(range(len(commands)))
        for place in order if number % 2 == 0 else reversed(order):
            found[place].append(run(commands[place]))
    return tuple(Side(tuple(runs)) for runs in found)
