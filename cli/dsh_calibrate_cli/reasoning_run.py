"""What ``reasoning`` does once its options are known, and its tables for people."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.reasoning_loop.verdict import RULES
from dsh_calibrate.logs.discovery import Discovery, discover
from dsh_calibrate.replay.envelope import corpus_digest, envelope, file_digest
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.studies.reasoning_files import Range, ReasoningStudy, study
from dsh_calibrate.studies.reasoning_logs import recorded_streams
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.console import cell, rendered
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings
from dsh_calibrate_cli.tables import plain_table

if TYPE_CHECKING:
    from rich.console import Console


def run_reasoning(
    corpus: CorpusOptions, pieces: str, options: SettingsOptions, output: OutputOptions
) -> None:
    """Study the files and logs and deliver the artefact."""
    sizes = _sizes(pieces)
    settings = resolve_settings(options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    if settings.rlg is None:
        raise UsageError("reasoning studies rlg: leave --guard away or name rlg")
    texts = [
        path
        for path in corpus.paths
        if isinstance(path, Path) and path.is_file() and not discover([path]).logs
    ]
    rest = [path for path in corpus.paths if path not in texts]
    found = Discovery()
    if rest or not texts:
        found = find_logs(dataclasses.replace(corpus, paths=rest))
    work = functools.partial(recorded_streams, salvage=corpus.salvage)
    with progress(found, corpus) as on_done:
        logs = list(map_logs(work, found.logs, jobs=corpus.workers, on_done=on_done))
    coverage = corpus_coverage(found, [log.coverage for log in logs])
    if found.logs:
        report_coverage(coverage, [(log.name, log.coverage) for log in logs], corpus)
    result = study(texts, sizes, settings.rlg, [log for log in logs if log.streams])
    digests = [(str(p), file_digest(p)) for p in texts]
    digests += [(log.key, file_digest(log.path)) for log in found.logs]
    head = envelope(
        plugin_versions=settings.plugin_versions,
        config=settings.as_json(),
        corpus_digest=corpus_digest(digests),
        coverage=coverage.as_json(),
    )
    deliver(
        output,
        {
            "text": lambda: rendered(lambda console: _print(console, result)),
            "json": lambda: json_bytes({**head, **msgspec.to_builtins(result)}),
        },
    )

    require_coverage(coverage, corpus)


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise UsageError(
            f"--pieces {text}: expected whole numbers separated by commas, such as 1,8,40"
        ) from None


def _print(console: Console, result: ReasoningStudy) -> None:
    names = _short_names([row.file for row in result.pieces])
    table = plain_table(
        "Fires by piece size (UTF-16 units)",
        "file",
        "piece",
        "fires",
        "of",
        "first fire at",
        "rules",
    )
    for row in result.pieces:
        rules = ", ".join(f"{rule} {row.by_rule[rule]}" for rule in RULES if row.by_rule[rule])
        table.add_row(
            cell(names[row.file]),
            cell(row.piece),
            cell(row.fires),
            cell(row.streams),
            cell(_range(row.first_utf16)) if row.first_utf16 is not None else "",
            cell(rules),
        )
    console.print(table)
    peaks = plain_table(
        "Peaks over all judge points and sizes, lowest to highest stream",
        "file",
        "rule",
        "figure",
        "% of its threshold",
        "share",
    )
    for file, by_rule in result.peaks.items():
        for rule, peak in by_rule.items():
            share = peak.share_e4
            peaks.add_row(
                cell(names[file]),
                cell(rule),
                cell(_range(peak.figure)),
                cell(_range(peak.percent)),
                "" if share is None else cell(f"{share.min / 100:g}% to {share.max / 100:g}%"),
            )
    console.print(peaks)
    console.print(cell("100% of its threshold and more: the rule holds there.", "dim"))


def _range(found: Range) -> str:
    return f"{found.min:,}" if found.min == found.max else f"{found.min:,} to {found.max:,}"


def _short_names(files: Sequence[str]) -> dict[str, str]:
    """Each file by its last part, or in full where several end alike."""
    last = {file: file.rpartition("/")[2] for file in files}
    ends = list(last.values())
    return {file: end if ends.count(end) == 1 else file for file, end in last.items()}
