"""Commands judged by the engine under one allowlist or another, each distinct one once.

Nothing here restates the block's rule: whether a call is refused is always the answer of
:mod:`dsh_calibrate.guards.repeat_tool_breaker.shell_http` (contract.md 5).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from dsh_calibrate.guards.repeat_tool_breaker import commands
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.shell_http import refuses
from dsh_calibrate.replay.shell_http_kinds import MECHANISM

PATTERN_TOOLS = frozenset(("grep", "rg", "ag", "ack"))
"""Verbs whose main argument is a pattern: they search text for an address and fetch nothing."""


class Judge:
    """Answers of the engine about commands, remembered by their text."""

    def __init__(self, config: Config) -> None:
        self.config = dataclasses.replace(config, block_shell_http=True)
        self._parts: dict[str, commands.CommandParts] = {}
        self._refused: dict[tuple[tuple[str, ...], str], bool] = {}
        self._segments: dict[str, tuple[str, ...]] = {}

    @property
    def allow(self) -> tuple[str, ...]:
        """The allowlist in force."""
        return self.config.shell_http_allow

    def parts(self, command: str) -> commands.CommandParts:
        """The command taken apart."""
        known = self._parts.get(command)
        if known is None:
            known = self._parts[command] = commands.analyse(command, self.config)
        return known

    def segment_verbs(self, command: str) -> tuple[str, ...]:
        """The verb of every segment that carries a non-local URL, in order, repeats kept."""
        known = self._segments.get(command)
        if known is None:
            known = self._segments[command] = tuple(commands.fetch_segments(command, self.config))
        return known

    def refused(self, command: str, allow: Iterable[str] | None = None) -> bool:
        """Whether the block refuses the command under ``allow`` (default: the one in force)."""
        listed = self.allow if allow is None else tuple(allow)
        key = (listed, command)
        known = self._refused.get(key)
        if known is None:
            config = dataclasses.replace(self.config, shell_http_allow=listed)
            known = self._refused[key] = refuses(self.parts(command), command, config)
        return known

    def is_remote(self, command: str) -> bool:
        """Whether the command carries a URL that parses and is not local."""
        return commands.has_remote(self.parts(command).addresses)

    def fetches(self, command: str) -> bool:
        """Whether the command names a downloader or an interpreter fetch (contract.md 5)."""
        return MECHANISM.search(command) is not None

    def carriers(self, command: str) -> tuple[str, ...]:
        """The verbs that an exemption would look at: fetch verbs, else the command's own."""
        found = tuple(dict.fromkeys(self.segment_verbs(command)))
        own = self.parts(command).verb
        return found or ((own,) if own else ())
