"""What ``failures`` does once its options are known, and its tables for people."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.figures import FAILURE_REASONS
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.reports.masking import mask_fingerprint, mask_tool
from dsh_calibrate.studies.failure_markers import MARKERS
from dsh_calibrate.studies.failure_runs import (
    DEFINITIONS,
    Counting,
    FailureStudy,
    LogFailures,
    failure_study,
    log_failures,
)
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.console import cell, note, rendered, shortened
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.labels_file import LabelsFile
from dsh_calibrate_cli.row_tables import csv_bytes, parquet_bytes
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings
from dsh_calibrate_cli.tables import plain_table

_COLUMNS: dict[str, type] = {
    "log": str,
    "session": str,
    "calls": int,
    "failures": int,
    **dict.fromkeys(DEFINITIONS, int),
    "longest_fingerprint": str,
}
_WORDS = {"global": "any calls", "per_fingerprint": "one fingerprint", "per_target": "one target"}


def run_failures(
    corpus: CorpusOptions,
    options: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    *,
    thresholds: Sequence[int],
    per_turn: bool,
    all_measures: bool,
    labels: Path | None,
    examples: int,
) -> None:
    """Measure every log, report coverage, deliver the artefact."""
    settings = resolve_settings(options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    if settings.rtb is None:
        raise UsageError("failures are read off by rtb: name rtb with --guard")
    found = find_logs(corpus)
    healthy = None
    if labels is not None:
        if not labels.is_file():
            raise UsageError(f"{labels}: no such labels file")
        healthy = frozenset(LabelsFile(labels).labels(found).logs("healthy"))
    counting = Counting(settings.rtb, per_turn, all_measures, corpus.salvage)
    work = functools.partial(log_failures, counting)
    with progress(found, corpus) as on_done:
        logs = list(map_logs(work, found.logs, jobs=corpus.jobs, on_done=on_done))
    coverage = corpus_coverage(found, [log.coverage for log in logs])
    report_coverage(coverage, [(log.log, log.coverage) for log in logs], corpus)
    read = [log for log in logs if log.coverage.status == "read" and log.calls]
    study = failure_study(read, sorted(set(thresholds)), healthy)
    head = envelope(
        plugin_versions=settings.plugin_versions,
        config=settings.as_json(),
        corpus_digest=corpus_digest((log.log, log.digest) for log in logs),
        coverage=coverage.as_json(),
    )
    rows = [_row(log) for log in read]
    masked = content.masks(for_people=True)
    deliver(
        output,
        {
            "text": lambda: rendered(lambda c: _print(c, study, examples, masked=masked)),
            "json": lambda: json_bytes({**head, **failures_json(study)}),
            "csv": lambda: csv_bytes(rows, _COLUMNS),
            "parquet": lambda: parquet_bytes(rows, _COLUMNS),
        },
    )
    note(
        f"{study.failures} of {study.calls} calls failed, in {len(read)} logs read whole",
        quiet=corpus.quiet,
    )
    require_coverage(coverage, corpus)


def failures_json(study: FailureStudy) -> dict[str, object]:
    """The subtrees of contract.md 5 that belong to ``failures`` alone."""
    document: dict[str, object] = {
        "logs_with_calls": len(study.logs),
        "calls": study.calls,
        "failures": study.failures,
        "by_reason": {reason: study.by_reason.get(reason, 0) for reason in FAILURE_REASONS},
        "by_tool": {
            tool: {"calls": calls, "failures": failed}
            for tool, (failed, calls) in study.by_tool.items()
        },
        "exit_codes": dict(sorted(study.exits.items())),
        "thresholds": {str(n): dict(counts) for n, counts in study.reaching.items()},
        "markers": {
            name: {
                "becomes_success": study.markers.get(name, {}).get("", 0),
                "becomes": {r: n for r, n in sorted(study.markers.get(name, {}).items()) if r},
            }
            for name in MARKERS
        },
        "logs": [_row(log) for log in study.logs],
    }
    if study.healthy is not None:
        document["healthy"] = {
            "logs": study.healthy_logs,
            "thresholds": {str(n): dict(counts) for n, counts in study.healthy.items()},
        }
    return document


def _row(log: LogFailures) -> dict[str, object]:
    return {
        "log": log.log,
        "session": log.session,
        "calls": sum(log.calls.values()),
        "failures": sum(log.failures.values()),
        **{name: log.runs[name].length for name in DEFINITIONS},
        "longest_fingerprint": log.runs["per_fingerprint"].fingerprint,
    }


def _print(console: Console, study: FailureStudy, examples: int, *, masked: bool) -> None:
    share = f" ({study.failures / study.calls:.1%})" if study.calls else ""
    console.print(cell(f"{study.failures} of {study.calls} calls failed{share}", "bold"))
    reasons = [(r, study.by_reason[r]) for r in FAILURE_REASONS if study.by_reason.get(r)]
    if reasons:
        console.print(cell("by reason: " + ", ".join(f"{r} {n}" for r, n in reasons)))
    if study.exits:
        codes = sorted(study.exits.items(), key=lambda item: (-item[1], item[0]))
        console.print(cell("exit codes: " + ", ".join(f"{code} × {n}" for code, n in codes[:12])))
    table = plain_table("By tool", "tool", "calls", "failed", "share")
    for tool, (failed, calls) in study.by_tool.items():
        name = mask_tool(tool) if masked else tool
        table.add_row(cell(name), cell(calls), cell(failed), cell(f"{failed / calls:.1%}"))
    console.print(table)
    _print_runs(console, study)
    moved = {name: counts for name, counts in study.markers.items() if counts}
    if moved:
        table = plain_table(
            "What each marker contributes (dropped, the failures that depend on it…)",
            "marker",
            "become successes",
            "get another reason",
        )
        for name in MARKERS:
            if name in moved:
                lost = moved[name].get("", 0)
                other = sum(moved[name].values()) - lost
                table.add_row(cell(name), cell(lost), cell(other))
        console.print(table)
    _print_longest(console, study, examples, masked)


def _print_runs(console: Console, study: FailureStudy) -> None:
    columns = [f"≥ {n} in a row" for n in study.reaching]
    good = [f"healthy ≥ {n}" for n in study.healthy or ()]
    table = plain_table(
        f"Logs whose longest run of failures is that long (of {len(study.logs)} with calls)",
        "failures of",
        *columns,
        *good,
    )
    for name in DEFINITIONS:
        table.add_row(
            cell(_WORDS[name]),
            *(cell(counts[name]) for counts in study.reaching.values()),
            *(cell(counts[name]) for counts in (study.healthy or {}).values()),
        )
    console.print(table)


def _print_longest(console: Console, study: FailureStudy, most: int, masked: bool) -> None:
    ordered = sorted(study.logs, key=lambda log: (-log.runs["per_fingerprint"].length, log.log))
    shown = [log for log in ordered if log.runs["per_fingerprint"].length > 1][:most]
    if shown:
        console.print(cell("Longest runs of one fingerprint", "bold"))
    for log in shown:
        run = log.runs["per_fingerprint"]
        name = run.fingerprint or ""
        text = mask_fingerprint(name) if masked else name
        console.print(cell(f"  {run.length} × {shortened(text, 80)}"), soft_wrap=True)
        explained = f"dsh-calibrate explain {shlex.quote(log.path)} --seq {run.seq}"
        console.print(cell(f"      {explained}", "dim"), soft_wrap=True)
