"""What ``failures`` does once its options are known."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.studies.failure_json import LOG_COLUMNS, failures_json, log_row
from dsh_calibrate.studies.failure_logs import Counting, LogFailures, log_failures
from dsh_calibrate.studies.failure_study import FailureStudy, failure_study
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes, require_formats
from dsh_calibrate_cli.console import note, rendered
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.explain_options import explain_options
from dsh_calibrate_cli.failures_masking import masked_failures
from dsh_calibrate_cli.failures_text import print_failures
from dsh_calibrate_cli.labels_file import LabelsFile
from dsh_calibrate_cli.row_tables import csv_bytes, parquet_bytes
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings

FORMATS = ("text", "json", "csv", "parquet")


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
    require_formats(output, FORMATS)
    settings = resolve_settings(options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    if settings.rtb is None:
        raise UsageError("failures are read off by rtb: name rtb with --guard")
    explained = explain_options(options, has_paths=bool(corpus.paths), salvage=corpus.salvage)
    found = find_logs(corpus)
    healthy = None
    if labels is not None:
        if not labels.is_file():
            raise UsageError(f"{labels}: no such labels file")
        healthy = frozenset(LabelsFile(labels).labels(found).logs("healthy"))
    counting = Counting(settings.rtb, per_turn, all_measures, corpus.salvage)
    work = functools.partial(log_failures, counting)
    with progress(found, corpus) as on_done:
        logs = list(map_logs(work, found.logs, jobs=corpus.workers, on_done=on_done))
    coverage = corpus_coverage(found, [log.coverage for log in logs])
    report_coverage(coverage, [(log.log, log.coverage) for log in logs], corpus)
    read = [log for log in logs if log.coverage.status == "read" and log.calls]
    head = envelope(
        plugin_versions=settings.plugin_versions,
        config=settings.as_json(),
        corpus_digest=corpus_digest((log.log, log.digest) for log in logs),
        coverage=coverage.as_json(),
    )

    @functools.cache
    def study(*, for_people: bool) -> FailureStudy:
        shown: tuple[Sequence[LogFailures], frozenset[str] | None] = (read, healthy)
        if content.masks(for_people=for_people):
            shown = masked_failures(read, healthy)
        return failure_study(shown[0], sorted(set(thresholds)), shown[1])

    def rows() -> list[dict[str, object]]:
        return [log_row(log) for log in study(for_people=False).logs]

    deliver(
        output,
        {
            "text": lambda: rendered(
                lambda console: print_failures(console, study(for_people=True), examples, explained)
            ),
            "json": lambda: json_bytes({**head, **failures_json(study(for_people=False))}),
            "csv": lambda: csv_bytes(rows(), LOG_COLUMNS),
            "parquet": lambda: parquet_bytes(rows(), LOG_COLUMNS),
        },
    )
    failed, calls = study(for_people=False).failures, study(for_people=False).calls
    note(
        f"{failed} of {calls} calls failed, in {len(read)} logs read whole",
        quiet=corpus.quiet,
    )
    require_coverage(coverage, corpus)
