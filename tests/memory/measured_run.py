"""Runs the installed command under a limit and tells how much memory it really held."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

COMMAND = Path(sysconfig.get_path("scripts")) / "dsh-calibrate"
ADDRESS_SPACE = 3 << 30
"""Safety net (``RLIMIT_AS``, bytes): mapped libraries count here, so it is no measure."""

_LAUNCHER = """
import os, resource, sys
report, limit, *command = sys.argv[1:]
pid = os.fork()
if not pid:
    resource.setrlimit(resource.RLIMIT_AS, (int(limit), int(limit)))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.execv(command[0], command)
_, status, usage = os.wait4(pid, 0)
with open(report, "w") as file:
    file.write(f"{os.waitstatus_to_exitcode(status)} {usage.ru_maxrss}")
"""
"""A process of a few MB that starts the command: ``ru_maxrss`` outlives an exec, so the child
of a large test process would be charged with that process's memory."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One run: exit code, peak of resident memory (MB of 10**6 bytes), seconds, what it said."""

    code: int
    peak_mb: float
    seconds: float
    out: str
    err: str

    @property
    def document(self) -> dict:
        """The JSON it printed."""
        return json.loads(self.out)


def run(*arguments: str, timeout: float = 300, limit: int = ADDRESS_SPACE) -> Measured:
    """Run ``dsh-calibrate`` with ``arguments``."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        home = {"HOME": folder, "DSH_CALIBRATE_CACHE": f"{folder}/cache"}
        begun = time.monotonic()
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, report, str(limit), COMMAND]
        with subprocess.Popen(
            [*launcher, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **home},
            start_new_session=True,
        ) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)  # the command, too
                raise
        seconds = time.monotonic() - begun
        code, kilobytes = map(int, report.read_text().split())
    return Measured(code, kilobytes * 1024 / 1e6, seconds, out, err)


def replay(folder: Path, *more: str, timeout: float = 300) -> Measured:
    """Replay a folder with every guard, in one process, as JSON."""
    paths: Sequence[str] = (str(folder), "--jobs", "1", "--format", "json", *more)
    return run("replay", *paths, timeout=timeout)
