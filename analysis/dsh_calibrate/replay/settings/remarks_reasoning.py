"""Settings of reasoning-loop-guard that are legal but dead or risky (its README)."""

from __future__ import annotations

from collections.abc import Iterator

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.replay.settings.layering import Layered
from dsh_calibrate.replay.settings.nodes import plain

RETRYABLE = ("EMPTY_RESPONSE", "RATE_LIMIT", "SERVER", "TIMEOUT", "TRANSPORT")
"""Failure codes that the harness retries by itself."""

GENERIC = "REASONING_LOOP"
"""The code of other plugins' loop detection, and of this one before 0.2.0."""

Finding = tuple[tuple[str, ...], str]


def reasoning_remarks(config: Config, layered: Layered) -> Iterator[Finding]:
    """Every finding about the settings in force."""
    yield from _failure_code(layered)
    enabled = layered.cells.get(("enabled",))
    if (
        enabled is not None
        and not isinstance(enabled.node.value, bool)
        and not enabled.node.run_time
    ):
        yield ("enabled",), "only an explicit false switches the guard off; this leaves it on"
    elif not config.enabled:
        yield ("enabled",), "the guard is switched off"
    yield from _unreachable(config)


def _failure_code(layered: Layered) -> Iterator[Finding]:
    cell = layered.cells.get(("failureCode",))
    code = plain(cell.node) if cell is not None else None
    if code in RETRYABLE:
        yield (
            ("failureCode",),
            f"{code} is retryable: the same prompt is sent again and loops again",
        )
    elif code == GENERIC:
        yield (
            ("failureCode",),
            f"{code} is generic: other plugins act on it as their own; keep it namespaced, "
            "for example REASONING_LOOP_GUARD",
        )


def _unreachable(config: Config) -> Iterator[Finding]:
    """Rules that no text can trip, because what they count does not fit their buffer."""
    window = f"window ({config.window})"
    if config.min_units * config.min_period > config.period_tail:
        yield (
            ("minUnits",),
            f"periodic-run is dead: {config.min_units} units of minPeriod ({config.min_period}) "
            f"do not fit into periodTail ({config.period_tail})",
        )
    if config.kgram_threshold > config.window - config.kgram + 1:
        yield (
            ("kgramThreshold",),
            f"kgram-repeat is dead: {config.kgram_threshold} occurrences of {config.kgram} "
            f"characters do not fit into {window}",
        )
    if config.line_count * config.line_min > config.window:
        yield (
            ("lineCount",),
            f"line-repeat is dead: {config.line_count} lines of lineMin ({config.line_min}) do "
            f"not fit into {window}",
        )
    if config.filler_run > config.window:
        yield ("fillerRun",), f"filler-run is dead: {config.filler_run} is longer than {window}"
    if config.every > config.window:
        yield (
            ("every",),
            f"{config.every} is longer than {window}: what lies between is never judged",
        )
