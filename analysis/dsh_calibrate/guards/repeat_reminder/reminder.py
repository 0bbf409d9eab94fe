"""Counts equal calls in a row and reminds at fixed run lengths (guards.md 3)."""

from __future__ import annotations

from dsh_calibrate.bounded import remember
from dsh_calibrate.guards.call_identity import MEASURE, CallIdentity
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.repeat_reminder.config import Config
from dsh_calibrate.guards.tool_patterns import ToolPatterns


class Reminder:
    """The reminder of one agent: the length of the current run of equal calls.

    A call counts at its result, in the order of the results, whether it ran or was denied
    by whatever guard. Untracked calls are transparent: they neither count nor end a run.
    Calls are named by a ``key`` of the caller's choice, unique while their result is
    outstanding. Calls that never reached a guard and synthetic results are not handed over.
    """

    def __init__(self, config: Config) -> None:
        self._thresholds = frozenset(config.thresholds)
        self._patterns = ToolPatterns(config.include, config.exclude, nameless=True)
        self._outstanding: dict[int, CallIdentity] = {}
        self._last: CallIdentity | None = None
        self._count = 0

    def tracks(self, tool: str) -> bool:
        """Whether calls of ``tool`` count at all."""
        return self._patterns.tracks(tool)

    def call(self, key: int, tool: str, arguments: str) -> None:
        """Note a call; ``arguments`` is the raw JSON text."""
        if self.tracks(tool):
            remember(self._outstanding, key, CallIdentity(tool, arguments))

    def result(self, key: int) -> Hit | None:
        """Count the call ``key``: the reminder its result brings, or ``None``.

        The hit's threshold is the run length reached; results of untracked or unknown
        calls change nothing.
        """
        count = self.settle(key)
        if count is None or count not in self._thresholds:
            return None
        assert self._last is not None
        return Hit(
            measure=MEASURE,
            fingerprint=self._last.fingerprint,
            count=count,
            threshold=count,
            track="repeat",
        )

    def settle(self, key: int) -> int | None:
        """Count the call ``key`` and return the length of the run with it.

        ``None`` for an untracked or unknown call, which changes nothing.
        """
        identity = self._outstanding.pop(key, None)
        if identity is None:
            return None
        if self._last is not None and identity.same(self._last):
            self._count += 1
        else:
            self._last = identity
            self._count = 1
        return self._count

    def human(self) -> None:
        """A human message ends the run; outstanding calls count into the next one."""
        self._last = None
        self._count = 0
