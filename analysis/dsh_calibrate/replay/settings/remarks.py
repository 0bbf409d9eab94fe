"""Warnings about settings that the plugins accept: unknown keys, dead or risky values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.replay.settings.assignments import dotted
from dsh_calibrate.replay.settings.catalogue import GUARDS, defaults, did_you_mean
from dsh_calibrate.replay.settings.findings import Remark
from dsh_calibrate.replay.settings.layering import Layered
from dsh_calibrate.replay.settings.nodes import place
from dsh_calibrate.replay.settings.remarks_breaker import breaker_remarks
from dsh_calibrate.replay.settings.remarks_reasoning import reasoning_remarks

Finding = tuple[tuple[str, ...], str]
"""Path of the key it is about, and what is the matter."""


def remarks_on(layered: Layered, config: object | None, profile: str) -> list[Remark]:
    """Everything worth a warning about one guard's settings, with place and key.

    ``config`` is ``None`` when the settings are refused; then only keys are looked at.
    """
    found = list(_unknown_keys(layered, profile))
    if isinstance(config, BreakerConfig):
        found += breaker_remarks(config, layered)
    elif isinstance(config, ReasoningLoopConfig):
        found += reasoning_remarks(config, layered)
    if isinstance(config, BreakerConfig | CircuitBreakerConfig | ReminderConfig):
        found += tracked_tools(config.include, config.exclude)
    return [_remark(layered, path, text) for path, text in found]


def tracked_tools(include: Iterable[str], exclude: Iterable[str]) -> Iterator[Finding]:
    """Warn when every included name is excluded too: then no tool is looked at."""
    names, left_out = set(include), set(exclude)
    if "*" in left_out:
        yield ("exclude",), 'excludes every tool ("*"): the guard looks at none'
    elif names and names <= left_out:
        yield ("include",), "every included name is excluded too: the guard looks at no tool"


def _unknown_keys(layered: Layered, profile: str) -> Iterator[Finding]:
    guard = GUARDS[layered.guard]
    known = defaults(layered.guard, profile)
    for path in layered.cells:
        key = path[0]
        if key not in known and key not in guard.also_read:
            if key in guard.defaults:
                yield path, f"version {profile} does not know this key; it changes nothing"
            else:
                yield path, f"unknown key, it changes nothing{did_you_mean(key, known)}"
        elif len(path) == 2 and layered.guard == "rlg":
            parts = known[key]
            if isinstance(parts, dict) and path[1] not in parts:
                yield path, f"unknown key, it changes nothing{did_you_mean(path[1], parts)}"


def _remark(layered: Layered, path: tuple[str, ...], text: str) -> Remark:
    cell = layered.cells.get(path)
    if cell is None:
        cell = next((c for p, c in layered.cells.items() if p[0] == path[0]), None)
    key = f"{layered.guard}.{dotted(path)}"
    if cell is None:
        return Remark(layered.guard, f"{key}: {text}")
    return Remark(layered.guard, f"{place(cell.source, cell.node.line)}: {key}: {text}")
