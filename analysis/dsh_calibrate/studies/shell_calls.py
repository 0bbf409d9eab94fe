"""The shell calls of a log: what allowlist studies look at, read once."""

from __future__ import annotations

import msgspec

from dsh_calibrate.guards.repeat_tool_breaker.commands import SHELL_TOOLS
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.tool_patterns import ToolPatterns
from dsh_calibrate.javascript.json_text import parse_arguments
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Call
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.envelope import file_digest


class ShellCall(msgspec.Struct, frozen=True):
    """One shell call that reached the guard; ``command`` is what it was to run."""

    log: str
    path: str
    lifecycle: int
    call: int
    seq: int
    tool: str
    command: str


class LogShellCalls(msgspec.Struct, frozen=True):
    """The shell calls of one log, in order."""

    log: str
    coverage: LogCoverage
    digest: str
    calls: tuple[ShellCall, ...]


def shell_calls(config: Config, salvage: bool, log: Log) -> LogShellCalls:
    """Collect the tracked shell calls of a log, sub-calls of ``run_code`` included."""
    patterns = ToolPatterns(config.include, config.exclude)
    found: list[ShellCall] = []
    lifecycle = 0
    reading = read_log(log, salvage=salvage, reasoning=False)
    for event in reading:
        lifecycle = getattr(event, "number", lifecycle)
        if (
            isinstance(event, Call)
            and event.dispatched
            and event.tool in SHELL_TOOLS
            and patterns.tracks(event.tool)
        ):
            command = _command(event.arguments)
            found.append(
                ShellCall(
                    log.key, str(log.path), lifecycle, event.index, event.seq, event.tool, command
                )
            )
    return LogShellCalls(log.key, reading.coverage, file_digest(log.path), tuple(found))


def _command(arguments: str) -> str:
    value = parse_arguments(arguments)
    command = value.get("command") if isinstance(value, dict) else None
    return command if isinstance(command, str) else ""
