"""The shell-HTTP block under another policy, measured beside a replay (guards.md 1.8)."""

from __future__ import annotations

from typing import Literal

from dsh_calibrate.guards.repeat_tool_breaker import commands, denylist
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.tool_patterns import ToolPatterns
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Call, Event, LifecycleStart
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.shell_http_kinds import refusal_kind

Policy = Literal["allowlist", "denylist"]
POLICIES: tuple[Policy, ...] = ("allowlist", "denylist")


class PolicyFollower:
    """Follows a log and files what the denylist would refuse, without any feedback."""

    def __init__(self, log: Log, config: Config, memo: Memo) -> None:
        self.decisions: list[Decision] = []
        self._log = log.key
        self._session = log.header.session if log.header is not None else ""
        self._config = config
        self._memo = memo
        self._patterns = ToolPatterns(config.include, config.exclude)
        self._lifecycle = 0

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if isinstance(event, LifecycleStart):
            self._lifecycle = event.number
        elif isinstance(event, Call) and event.dispatched and self._looks_at(event.tool):
            self._call(event)

    def finish(self) -> None:
        """Nothing is held back."""

    def _looks_at(self, tool: str) -> bool:
        return tool in commands.SHELL_TOOLS and self._patterns.tracks(tool)

    def _call(self, call: Call) -> None:
        command = self._memo.prepared(call.tool, call.arguments, self._config).command
        if not refuses(call.tool, command, self._config):
            return
        self.decisions.append(
            Decision(
                log=self._log,
                session=self._session,
                lifecycle=self._lifecycle,
                guard="rtb",
                seq=call.seq,
                line=call.line,
                verdict="refuse",
                stage="shell_http",
                ran=True,
                call=call.index,
                call_id=call.call_id,
                tool=call.tool,
                shell_http=refusal_kind(command, self._config),
            )
        )


def refuses(tool: str, command: str, config: Config) -> bool:
    """Whether the denylist refuses a shell command, whatever ``blockShellHttp`` says."""
    return denylist.refused(tool, command, config)
