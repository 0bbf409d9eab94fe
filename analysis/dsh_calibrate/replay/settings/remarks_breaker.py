"""Settings of repeat-tool-breaker that are legal but dead or risky (its README)."""

from __future__ import annotations

from collections.abc import Iterator

from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.replay.settings.catalogue import did_you_mean
from dsh_calibrate.replay.settings.layering import Layered

MEASURES = ("exact", "verb", "family", "cmd", "net", "site", "host", "sink")
"""Kinds of fingerprints (guards.md 1.4)."""

Finding = tuple[tuple[str, ...], str]


def breaker_remarks(config: Config, layered: Layered) -> Iterator[Finding]:
    """Every finding about the settings in force."""
    yield from _stages(config)
    yield from _limits(config)
    yield from _shell_http(config, layered)
    for path in layered.cells:
        if path[0] == "ignoreArgs" and len(path) == 2 and "*" in path[1] and path[1] != "*":
            yield path, 'names of tools are no patterns here; only "*" stands for every tool'
        elif path[0] == "hostAliases" and len(path) == 2 and path[1] != path[1].lower():
            yield path, "hosts are looked up in lower case; this alias is never found"
    if config.include_local and config.local_hosts == "allow":
        yield ("includeLocal",), "dead: localHosts: allow emits no host measure for local calls"


def _stages(config: Config) -> Iterator[Finding]:
    caps = [cap for cap in config.limits.values() if cap is not None]
    stages = {"warnAt": config.warn_at, "summarizeAt": config.summarize_at}
    if not caps:
        yield ("limits",), "no measure has a cap: neither track can ever fire"
        return
    for key, at in stages.items():
        if at is None:
            continue
        if at >= max(caps):
            yield (key,), f"dead: {at} is at or above every cap (highest: {max(caps):g})"
        elif at > config.window:
            yield (key,), _above_window(at, config.window)
    if config.warn_at is not None and config.warn_at == config.summarize_at:
        yield ("warnAt",), f"dead: summarizeAt is {config.summarize_at} too and speaks instead"
    if (
        config.fail_warn_at is not None
        and config.fail_limit is not None
        and config.fail_warn_at > config.fail_limit
    ):
        yield (
            ("failWarnAt",),
            f"dead: {config.fail_warn_at} is above failLimit ({config.fail_limit:g}); the gate "
            "stops the streak first",
        )


def _limits(config: Config) -> Iterator[Finding]:
    for measure, cap in config.limits.items():
        kind = measure.partition(":")[0]
        if kind not in MEASURES:
            yield (
                ("limits", measure),
                f"no such measure, the cap does nothing{did_you_mean(kind, MEASURES)}",
            )
        elif cap is not None and cap > config.window:
            yield ("limits", measure), _above_window(cap, config.window)


def _above_window(at: float, window: int) -> str:
    """A count is what stands in the window and the call itself."""
    if at > window + 1:
        return f"unreachable: {at:g} is above the window ({window})"
    return f"{at:g} is above the window ({window}): reached only when the whole window is alike"


def _shell_http(config: Config, layered: Layered) -> Iterator[Finding]:
    if not config.profile.has_shell_http_block or config.block_shell_http:
        return
    for key in ("blockLocalHttp", "shellHttpAllow"):
        if (key,) in layered.cells:
            yield (key,), "dead: blockShellHttp is false"
