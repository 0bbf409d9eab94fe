"""The four guards as settings files know them: packages, row ids, keys (settings-files.md)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from dsh_calibrate.guards.circuit_breaker import config as circuit_breaker
from dsh_calibrate.guards.reasoning_loop import config as reasoning_loop
from dsh_calibrate.guards.repeat_reminder import config as repeat_reminder
from dsh_calibrate.guards.repeat_tool_breaker import config as repeat_tool_breaker
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES


@dataclass(frozen=True, slots=True)
class Guard:
    """What is known of one guard's row.

    ``defaults`` holds every key that the engine knows; ``maps`` names those that merge one
    level deep; ``idle`` those that decide nothing in a replay; ``also_read`` keys that the
    plugin reads for things beside the guard.
    """

    short: str
    package: str
    row_id: str
    defaults: Mapping[str, object]
    maps: frozenset[str] = frozenset()
    idle: frozenset[str] = frozenset()
    also_read: frozenset[str] = frozenset()


GUARDS: Mapping[str, Guard] = MappingProxyType(
    {
        "rtb": Guard(
            "rtb",
            "dsh-repeat-tool-breaker",
            "repeat-tool-breaker",
            repeat_tool_breaker.DEFAULTS,
            maps=frozenset({"ignoreArgs", "hostAliases", "limits"}),
            idle=frozenset({"previewChars", "resultPreviewChars"}),
            also_read=frozenset({"outputDir", "maxBytes"}),
        ),
        "tfb": Guard(
            "tfb",
            "dsh-tool-failure-circuit-breaker",
            "tool-failure-circuit-breaker",
            circuit_breaker.DEFAULTS,
            idle=frozenset({"errorPreviewChars"}),
        ),
        "rtr": Guard(
            "rtr",
            "@deepseek-ai/dsh-repeat-tool-reminder",
            "repeat-tool-reminder",
            repeat_reminder.DEFAULTS,
            idle=frozenset({"argumentsPreviewChars"}),
        ),
        "rlg": Guard(
            "rlg",
            "dsh-reasoning-loop-guard",
            "reasoning-loop-guard",
            reasoning_loop.DEFAULTS,
            maps=frozenset({"recovery", "effort", "stripHistory"}),
            idle=frozenset(reasoning_loop.DEFAULTS) - set(reasoning_loop.FIELDS) - {"enabled"},
        ),
    }
)
"""By short name, in the order of every table."""

SETTINGS_PAGE = (
    "blockShellHttp",
    "blockLocalHttp",
    "shellHttpAllow",
    "warnAt",
    "summarizeAt",
    "failWarnAt",
    "failLimit",
)
"""The fields of rtb that the settings document may hold."""

_OFF_ABLE = frozenset({"warnAt", "summarizeAt", "failWarnAt", "failLimit"})


def defaults(guard: str, profile: str) -> dict[str, object]:
    """The keys that the guard's version knows, with what it ships."""
    known = dict(GUARDS[guard].defaults)
    if guard == "rtb" and not PROFILES[profile].has_shell_http_block:
        for key in repeat_tool_breaker.SHELL_HTTP_KEYS:
            del known[key]
    return known


def can_be_off(guard: str, path: tuple[str, ...]) -> bool:
    """Whether ``null`` switches the key off, so that TOML's ``"off"`` means it."""
    return guard == "rtb" and (path[0] in _OFF_ABLE or (path[0] == "limits" and len(path) == 2))


def guard_of(name: str | None, row_id: str | None) -> str | None:
    """Which guard a row mounts: by package name, by a path to its index.js, else by id."""
    if name is not None:
        by_name = _by_name(name)
        if by_name is not None:
            return by_name
    return next((g for g, guard in GUARDS.items() if guard.row_id == row_id), None)


def _by_name(name: str) -> str | None:
    for short, guard in GUARDS.items():
        if name == guard.package:
            return short
    parts = re.split(r"[/\\]+", name)
    if parts[-1] != "index.js":
        return None
    folders = set(parts[:-1])
    return next(
        (g for g, guard in GUARDS.items() if guard.package.rpartition("/")[2] in folders), None
    )


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that ``word`` was probably meant to be."""
    words = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), words, n=1, cutoff=0.6)
    return words[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean X?`` or nothing."""
    found = nearest(word, known)
    return f"; did you mean {found}?" if found else ""
