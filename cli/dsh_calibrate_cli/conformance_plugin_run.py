"""``conformance plugin``: options to a run, its outcome to text or JSON and an exit code."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from dsh_calibrate.conformance.comparison import ABSENT
from dsh_calibrate.conformance.plugin_outcome import PluginDifference, PluginOutcome
from dsh_calibrate.conformance.plugin_package import PluginPackage, read_package
from dsh_calibrate.conformance.plugin_run import PluginRun, run_plugin
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.protecting import refuse_recorded
from dsh_calibrate.replay.plan import GUARDS, Operator
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.console import cell, note, rendered, shortened, warn
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings
from dsh_calibrate_cli.tables import bare_table
from dsh_calibrate_cli.worker_options import refuse_cluster

_PLACES = 6
_VALUE_WIDTH = 300


@dataclass(frozen=True, slots=True)
class PluginOptions:
    """The command's own options; see their help."""

    package: Path
    operator: Operator
    generated: int
    seed: int
    first: int
    save: Path | None
    run_in_ci: bool


def run_conformance_plugin(
    corpus: CorpusOptions,
    settings_options: SettingsOptions,
    output: OutputOptions,
    options: PluginOptions,
) -> None:
    """Run the plugin beside the engine, deliver the outcome, exit 1 on a difference."""
    refuse_cluster(corpus.executor, "conformance plugin")
    if os.environ.get("CI") and not options.run_in_ci:
        raise UsageError(
            "conformance plugin runs the package's code, which is off where CI is set; add "
            "--run-in-ci if you trust the package"
        )
    if len(settings_options.guard) > 1 or "," in "".join(settings_options.guard):
        raise UsageError("--guard: a package is one guard; name one of rtb, tfb, rtr, rlg")
    guard = settings_options.guard[0] if settings_options.guard else None
    if guard is not None and guard not in GUARDS:
        raise UsageError(f"--guard {guard}: unknown; known: {', '.join(GUARDS)}")
    if options.save is not None:
        refuse_recorded(options.save)
    package = read_package(options.package, guard=guard)
    made_up_only = bool(options.generated) and not corpus.paths
    chosen = settings_options
    if package.guard == "rtb" and not chosen.plugin_version:
        chosen = replace(chosen, plugin_version=[f"rtb={package.profile}"])
    chosen = replace(chosen, guard=[package.guard])
    settings = resolve_settings(
        chosen, has_paths=bool(corpus.paths) or made_up_only, quiet=corpus.quiet
    )
    package = replace(package, profile=settings.profile)
    config = getattr(settings, package.guard)
    found = None if made_up_only else find_logs(corpus)
    _warn_of(package)
    run = PluginRun(
        package=package,
        row=settings.guards[package.guard].row,
        config=config,
        logs=found.logs if found is not None else (),
        operator=options.operator,
        salvage=corpus.salvage,
        generated=options.generated,
        seed=options.seed,
        first=options.first,
        save=options.save,
    )
    if found is None:
        outcome = run_plugin(run)
    else:
        with progress(found, corpus) as on_done:
            outcome = run_plugin(run, on_done=on_done)
        coverage = corpus_coverage(found, [log for _, log in run.coverage])
        report_coverage(coverage, run.coverage, corpus)
    deliver(
        output,
        {
            "text": lambda: rendered(lambda console: print_text(console, outcome)),
            "json": lambda: json_bytes(as_json(outcome)),
        },
    )
    if options.save is not None:
        note(f"vectors with session content in full: {options.save}", quiet=corpus.quiet)
    if not outcome.tally.answers:
        raise UsageError("there was no call (no reasoning) to compare: name logs that hold some")
    if found is not None:
        require_coverage(coverage, corpus)
    if not outcome.all_agree:
        raise typer.Exit(1)


def _warn_of(package: PluginPackage) -> None:
    warn(f"this runs code of the package {package.name} {package.version}, which nobody checked")
    if not package.known:
        warn(
            f"version {package.version} is not known here: it is compared with profile "
            f"{package.profile}"
        )
    if package.guard in ("tfb", "rlg"):
        warn(
            f"{package.name} is on no registry: the host was tested against a stand-in of its "
            "interface only; a difference may lie in the host"
        )


def as_json(outcome: PluginOutcome) -> dict[str, Any]:
    """The outcome as one JSON document."""
    package, loaded, tally = outcome.package, outcome.loaded, outcome.tally
    return {
        "schema_version": 1,
        "plugin": {
            "name": package.name,
            "version": package.version,
            "guard": package.guard,
            "profile": package.profile if package.guard == "rtb" else None,
            "known": package.known,
        },
        "host": {
            "node": loaded.node,
            "seams": loaded.seams,
            "stood_in_for": loaded.stubs,
            "probed": loaded.probed,
        },
        **{name: getattr(tally, name) for name in tally.__slots__},
        "differing": tally.differing,
        "differences": [_difference(one) for one in outcome.differences],
    }


def _difference(one: PluginDifference) -> dict[str, Any]:
    return {
        "log": one.log,
        "line": one.site.line,
        "lifecycle": one.site.lifecycle,
        "ordinal": one.site.ordinal,
        "tool": one.site.tool,
        "event": one.event,
        "keys": [place.key for place in one.places],
        "plugin": one.plugin,
        "engine": one.engine,
    }


def print_text(console: Console, outcome: PluginOutcome) -> None:
    """Print what was run, the first differences side by side, and the verdict."""
    package, loaded, tally = outcome.package, outcome.loaded, outcome.tally
    against = f"profile {package.profile}" if package.guard == "rtb" else f"the {package.guard}"
    console.print(
        cell(f"{package.name} {package.version} under Node {loaded.node} beside {against}")
    )
    if loaded.stubs:
        console.print(cell(f"stood in for, not installed: {', '.join(loaded.stubs)}"))
    for difference in outcome.differences:
        _print_difference(console, difference)
    hidden = tally.differing_lifecycles - len(outcome.differences)
    if hidden > 0:
        console.print()
        console.print(cell(f"{hidden:,} more lifecycles differ (--first N shows more)"))
    console.print()
    console.print(
        cell(
            f"{tally.traces:,} sessions, {tally.calls:,} calls, {tally.results:,} results, "
            f"{tally.streams:,} streams; the plugin spoke or stopped {tally.spoken:,} times"
        )
    )
    if tally.quiet:
        console.print(
            cell(f"{tally.quiet:,} recorded denials of the same guard: they settle nothing")
        )
    if tally.unread:
        console.print(
            cell(f"{tally.unread:,} parts of answers that this version words in another way")
        )
    if not tally.answers:
        console.print(cell("nothing was compared"))
        return
    verdict = "all agree" if outcome.all_agree else "the engine and the plugin DIFFER"
    console.print(cell(f"{tally.agreed:,} of {tally.answers:,} answers agree: {verdict}"))


def _print_difference(console: Console, one: PluginDifference) -> None:
    place = f"{one.log}:{one.site.line}: {one.event}"
    if one.site.ordinal is not None:
        place += f" {one.site.ordinal} of lifecycle {one.site.lifecycle}"
    console.print()
    console.print(cell(f"{place} {shortened(one.site.tool or '', 40)}"))
    sides = bare_table("  where", "plugin", "engine")
    for found in one.places[:_PLACES]:
        key = shortened(found.key, 60) or "(all)"
        sides.add_row(cell(f"  {key}"), cell(_value(found.expected)), cell(_value(found.got)))
    console.print(sides)
    if len(one.places) > _PLACES:
        console.print(cell(f"  and {len(one.places) - _PLACES} more places"))


def _value(value: object) -> str:
    if value is ABSENT:
        return "(absent)"
    return shortened(json.dumps(value, ensure_ascii=False), _VALUE_WIDTH)
