"""The shell-HTTP block: HTTP from a shell is refused on the first call (guards.md 1.7)."""

from __future__ import annotations

from dsh_calibrate.guards.repeat_tool_breaker import commands
from dsh_calibrate.guards.repeat_tool_breaker.config import Config


def refused(tool: str, command: str, config: Config) -> bool:
    """Whether the block refuses a shell command.

    The caller has checked that the tool is tracked; the replacement tool is taken as
    present.
    """
    if tool not in commands.SHELL_TOOLS:
        return False
    return refuses(commands.analyse(command, config), command, config)


def refuses(parts: commands.CommandParts, command: str, config: Config) -> bool:
    """The decision on a command that has been taken apart already."""
    if not config.block_shell_http:
        return False
    allowed = config.shell_http_allow
    if parts.is_local:
        return config.block_local_http and parts.verb not in allowed
    if not commands.has_remote(parts.addresses) and parts.verb not in commands.HTTP_VERBS:
        return False
    if not allowed:
        return True
    fetching = commands.fetch_verbs(command, config)
    if fetching:
        return not all(verb in allowed for verb in fetching)
    return parts.verb not in allowed
