"""A whole run: a package, logs and made-up sessions, settings; what it found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsh_calibrate.conformance.drift_files import DriftFiles
from dsh_calibrate.conformance.generated_sessions import generated_sessions
from dsh_calibrate.conformance.plugin_comparison import (
    FIRST,
    PluginComparison,
    open_plugin,
    plugin_row,
)
from dsh_calibrate.conformance.plugin_engine import Config
from dsh_calibrate.conformance.plugin_outcome import PluginDifference, PluginOutcome, Tally
from dsh_calibrate.conformance.plugin_package import PluginPackage
from dsh_calibrate.conformance.plugin_traces import LogTrace
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.plan import Operator


@dataclass(frozen=True, slots=True)
class PluginRun:
    """What to run beside the plugin.

    ``row`` is what the user's layers say about the guard, ``config`` the same resolved.
    ``generated`` made-up sessions of ``seed`` follow the logs; for rtb all but the first few
    bring settings of their own. ``save`` is a folder for vectors.
    """

    package: PluginPackage
    row: Mapping[str, Any]
    config: Config
    logs: Sequence[Log] = ()
    operator: Operator = "decline"
    salvage: bool = False
    generated: int = 0
    seed: int = 1
    first: int = FIRST
    save: Path | None = None
    coverage: list[tuple[str, LogCoverage]] = field(default_factory=list)


def run_plugin(run: PluginRun, *, on_done: Callable[[Log], None] | None = None) -> PluginOutcome:
    """Run the plugin and the engine over the same traces. Runs foreign code.

    ``run.coverage`` is filled with what could be read of each log. Raises
    :class:`UsageError` without Node, when the plugin does not load, hangs or ends.
    """
    guard = run.package.guard
    if run.generated and guard == "rlg":
        raise UsageError("--generated: there are made-up calls only, none of reasoning")
    saved = DriftFiles(run.package) if run.save is not None else None
    total = Tally()
    differences: list[PluginDifference] = []

    def add(part: PluginComparison) -> None:
        for name in Tally.__slots__:
            setattr(total, name, getattr(total, name) + getattr(part.tally, name))
        differences.extend(part.differences[: run.first - len(differences)])

    with open_plugin(run.package, run.row) as process:
        loaded = process.loaded
        assert loaded is not None
        comparison = PluginComparison(process, guard, run.config, first=run.first)
        for log in run.logs:
            trace = LogTrace(log, guard, run.operator, salvage=run.salvage)
            if saved is not None:
                saved.session(dict(run.row))
            comparison.run(log.key, trace, saved.told if saved is not None else None)
            run.coverage.append((log.key, trace.reading.coverage))
            if on_done is not None:
                on_done(log)
        add(comparison)
        for made, traces in generated_sessions(run.seed, run.generated):
            config, row = run.config, run.row
            if isinstance(config, BreakerConfig) and made:
                config, row = configure(made, config.profile), made
            process.configure(plugin_row(guard, row))
            comparison = PluginComparison(process, guard, config, first=run.first)
            for name, events in traces:
                if saved is not None:
                    saved.session(dict(row))
                comparison.run(name, events, saved.told if saved is not None else None)
            add(comparison)
    if saved is not None and run.save is not None:
        saved.write(run.save)
    return PluginOutcome(run.package, loaded, total, tuple(differences))
