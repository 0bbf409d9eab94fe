"""What ``compare`` does once its options are known."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import typer

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.settings import Settings, describe_in_force, resolve
from dsh_calibrate.studies.comparing import Side, comparing
from dsh_calibrate.studies.comparing_json import (
    CHANGE_COLUMNS,
    change_json,
    change_row,
    totals_json,
)
from dsh_calibrate.studies.comparing_specs import Spec, read_spec
from dsh_calibrate.studies.comparing_totals import totals
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.compare_text import print_comparison
from dsh_calibrate_cli.console import note, rendered, warn
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.content_view import view_for
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.plans import plan_for
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.row_tables import csv_bytes, parquet_bytes
from dsh_calibrate_cli.settings_options import SettingsOptions, inputs_of


def run_compare(
    corpus: CorpusOptions,
    settings_options: SettingsOptions,
    how: ReplayOptions,
    content: ContentOptions,
    output: OutputOptions,
    a: list[str],
    b: list[str],
    top: int,
    *,
    fail_on_change: bool,
) -> None:
    """Compare, report coverage, deliver the artefact, set the exit code."""
    if not a and not b:
        raise UsageError("nothing to compare: name a side with --a SPEC or --b SPEC")
    base = inputs_of(settings_options, has_paths=bool(corpus.paths))
    specs = read_spec("--a", a, base), read_spec("--b", b, base)
    chosen = resolve(specs[0].inputs), resolve(specs[1].inputs)
    sides = tuple(
        _side(spec, settings, how, corpus) for spec, settings in zip(specs, chosen, strict=True)
    )
    for letter, settings in zip("ab", chosen, strict=True):
        note(f"{letter}: {describe_in_force(settings)}", quiet=corpus.quiet)
        for remark in settings.remarks:
            if remark.guard in settings.selected:
                warn(f"{letter}: {remark.text}")
    logs = find_logs(corpus)
    with progress(logs, corpus) as on_done:
        found = comparing(logs.logs, sides[0], sides[1], jobs=corpus.workers, on_done=on_done)
    coverage = corpus_coverage(logs, [c.coverage for c in found])
    report_coverage(coverage, [(c.log, c.coverage) for c in found], corpus)
    summed = totals(found)
    full, view = view_for(content, for_people=False), view_for(content, for_people=True)
    changes = [(change, c.coverage.status == "damaged") for c in found for change in c.changes]

    def document() -> bytes:
        head = envelope(
            plugin_versions=chosen[0].plugin_versions,
            config=chosen[0].as_json(),
            corpus_digest=corpus_digest((c.log, c.digest) for c in found),
            coverage=coverage.as_json(),
        )
        return json_bytes(
            {
                **head,
                "a": _side_json(sides[0], chosen[0]),
                "b": _side_json(sides[1], chosen[1]),
                "totals": totals_json(summed),
                "changed": [change_json(c, full, damaged=damaged) for c, damaged in changes],
            }
        )

    rows = [change_row(c, full, damaged=damaged) for c, damaged in changes]
    deliver(
        output,
        {
            "text": lambda: rendered(
                lambda console: print_comparison(
                    console, sides, summed, [c for c, _ in changes], specs, view, top
                )
            ),
            "json": document,
            "csv": lambda: csv_bytes(rows, CHANGE_COLUMNS),
            "parquet": lambda: parquet_bytes(rows, CHANGE_COLUMNS),
        },
    )
    logs_changed = len({c.log for c, _ in changes})
    note(f"{len(changes)} decisions differ, in {logs_changed} logs", quiet=corpus.quiet)
    require_coverage(coverage, corpus)
    if fail_on_change and changes:
        _fail(len(changes))


def _fail(count: int) -> NoReturn:
    warn(f"--fail-on-change: {count} decisions differ")
    raise typer.Exit(1)


def _side(spec: Spec, settings: Settings, how: ReplayOptions, corpus: CorpusOptions) -> Side:
    plan: Plan = plan_for(settings, how, salvage=corpus.salvage)
    if spec.policy == "denylist":
        if settings.rtb is None:
            raise UsageError("policy=denylist: rtb is not among the guards selected")
        if plan.shell_http == "enforce":
            raise UsageError(
                "policy=denylist is measured, not enforced: leave --shell-http enforce out"
            )
        plan = replace(plan, shell_http="off")
    return Side(spec.label, plan, spec.policy)


def _side_json(side: Side, settings: Settings) -> dict[str, object]:
    return {
        "spec": side.label,
        "plugin_versions": settings.plugin_versions,
        "policy": side.policy,
        "config": settings.as_json(),
    }
