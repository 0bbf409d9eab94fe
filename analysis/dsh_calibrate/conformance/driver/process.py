"""A Node process with one plugin in it: events in, what the plugin did out."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from dsh_calibrate.errors import UsageError

LEAST_NODE = 20
"""The lowest major version of Node that is used."""

_ANSWER_SECONDS = 120.0
"""How long one batch of events may take before the plugin counts as hung."""
_HOST = Path(__file__).with_name("host.mjs")


class Loaded(msgspec.Struct, frozen=True):
    """What was loaded: the version of ``node``, the ``seams`` that the plugin took.

    ``stubs`` names packages that were not installed and were stood in for; ``probed`` tells
    that the plugin's own fingerprints and failures can be asked for.
    """

    node: str
    stubs: list[str]
    seams: list[str]
    probed: bool


def find_node() -> str:
    """The path of a Node that is new enough.

    Raises :class:`UsageError` when there is none on the ``PATH``.
    """
    node = shutil.which("node")
    if node is None:
        raise UsageError(
            f"no node on the PATH: install Node {LEAST_NODE} or later to run a plugin, or use "
            "`conformance vectors`, which needs none"
        )
    try:
        told = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=30, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"{node}: does not run ({error}); Node {LEAST_NODE}+ is needed") from None
    found = re.match(r"v([0-9]+)\.", told)
    if found is None or int(found[1]) < LEAST_NODE:
        raise UsageError(
            f"{node} is version {told.strip()[:40] or 'unknown'}: Node {LEAST_NODE} or later is "
            "needed to run a plugin"
        )
    return node


class PluginProcess:
    """One plugin under Node, from ``with`` to its end.

    It gets a fresh folder as working directory, home and DSH home, and none of the
    environment but ``PATH``; what it prints goes to a file that is thrown away. It is not
    otherwise confined.
    """

    def __init__(self, folder: Path, entry: Path, guard: str, config: Mapping[str, Any]) -> None:
        self._command = [find_node(), str(_HOST), str(folder.resolve()), str(entry.resolve())]
        self._guard = guard
        self._config = config
        self._process: subprocess.Popen[bytes] | None = None
        self.loaded: Loaded | None = None

    def __enter__(self) -> Self:
        """Start Node and load the plugin; :class:`UsageError` when that fails."""
        self._home = tempfile.TemporaryDirectory(
            prefix="dsh-calibrate-", ignore_cleanup_errors=True
        )
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        home = self._home.name
        self._printed = (Path(home) / "printed.txt").open("w+b")
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._printed,
                cwd=home,
                env={**kept, "HOME": home, "DSH_HOME": home, "NO_COLOR": "1"},
            )
            self.configure(self._config)
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def configure(self, config: Mapping[str, Any]) -> None:
        """Apply the plugin under ``config``, in place of what was applied before.

        Raises :class:`UsageError` when it does not load or refuses the settings.
        """
        reply = self._exchange({"guard": self._guard, "config": config})
        if "failed" in reply:
            raise UsageError(
                f"the plugin does not load in the host: {reply['failed']}; is it installed "
                "with its dependencies, and does it take these settings?"
            )
        self.loaded = msgspec.convert(reply["ready"], Loaded)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the process, gently first, and remove its folder."""
        process = self._process
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._printed.close()
        self._home.cleanup()

    def answers(
        self, events: Sequence[Mapping[str, Any]], *, meanwhile: Callable[[], None] | None = None
    ) -> list[dict[str, Any] | None]:
        """What the plugin did at each of ``events``, ``None`` where there is nothing to tell.

        ``meanwhile`` is called while the plugin works. Raises :class:`UsageError` when the
        process ended or hangs.
        """
        found = self._exchange({"events": events}, meanwhile).get("answers")
        if not isinstance(found, list) or len(found) != len(events):
            raise UsageError("the plugin's host answered something else than was asked")
        return found

    def _exchange(
        self, request: Mapping[str, Any], meanwhile: Callable[[], None] | None = None
    ) -> dict[str, Any]:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        watch = threading.Timer(_ANSWER_SECONDS, process.kill)
        watch.start()
        try:
            process.stdin.write(json.dumps(request).encode("ascii") + b"\n")
            process.stdin.flush()
            if meanwhile is not None:
                meanwhile()
            line = process.stdout.readline()
        except OSError:
            line = b""
        finally:
            watch.cancel()
        if not line.endswith(b"\n"):
            raise UsageError(f"the plugin's process ended or hung{self._last_words()}")
        try:
            reply = json.loads(line)
        except ValueError:
            raise UsageError("the plugin's host answered with something that is no JSON") from None
        return reply if isinstance(reply, dict) else {}

    def _last_words(self) -> str:
        self._printed.flush()
        self._printed.seek(0)
        lines = self._printed.read()[-4000:].decode("utf-8", "replace").split("\n")
        told = [line.strip() for line in lines if line.strip()]
        return f": {told[-1][:200]}" if told else ""
