"""What ``corpus label`` does once its options are known."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_calibrate.corpora.label_csv import read_label_csv
from dsh_calibrate.corpora.label_reading import entry_of
from dsh_calibrate.corpora.labels import OUTCOMES, Entry, Labels, apply_labels
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Discovery
from dsh_calibrate.studies.label_queue import QueueItem, label_queue, nearest_text
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.console import cell, note, rendered
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.corpus_stats_run import profile_logs
from dsh_calibrate_cli.label_walk import walk
from dsh_calibrate_cli.labels_file import LabelsFile, corpus_and_labels
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """The options that only ``corpus label`` has."""

    labels: Path | None = None
    outcome: str | None = None
    logs: tuple[str, ...] = ()
    split: str | None = None
    note: str = ""
    queue: bool = False
    import_csv: Path | None = None


def run_label(
    corpus: CorpusOptions,
    settings_options: SettingsOptions,
    output: OutputOptions,
    request: LabelRequest,
) -> None:
    """Set labels, import them, print the queue or walk it, as the request says."""
    _check(corpus, request)
    corpus, file = corpus_and_labels(corpus, request.labels)
    if request.outcome is not None:
        entries = _entries(corpus, request)
        # The ids are what is to be labelled; a selection by them would hide contradictions.
        _set(file, entries, find_logs(replace(corpus, session=[])), corpus)
        return
    if request.import_csv is not None:
        _set(file, read_label_csv(request.import_csv), find_logs(corpus), corpus)
        return
    settings = resolve_settings(settings_options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    found = find_logs(corpus)
    labels = file.labels(found)
    profiles = profile_logs(found, corpus, settings)
    coverage = corpus_coverage(found, [p.coverage for p in profiles])
    report_coverage(coverage, [(p.log, p.coverage) for p in profiles], corpus)
    require_coverage(coverage, corpus)
    waiting = label_queue(profiles, labels)
    note(tally(labels, found), quiet=corpus.quiet)
    if request.queue:
        deliver(
            output,
            {
                "text": lambda: rendered(lambda console: _print_queue(console, waiting, file)),
                "json": lambda: json_bytes({"queue": [_item_json(item) for item in waiting]}),
                "csv": lambda: _csv(waiting),
            },
        )
        return
    walk(waiting, file, found, split=request.split, remark=request.note)


def _check(corpus: CorpusOptions, request: LabelRequest) -> None:
    ways = {
        "--outcome": request.outcome is not None,
        "--queue": request.queue,
        "--import": request.import_csv is not None,
    }
    chosen = [name for name, given in ways.items() if given]
    if len(chosen) > 1:
        raise UsageError(f"{' and '.join(chosen)} do different things: give one of them")
    if request.logs and request.outcome is None:
        raise UsageError(f"--log says what to label: add --outcome, one of {', '.join(OUTCOMES)}")
    if request.outcome is not None and not request.logs and not corpus.session:
        raise UsageError("--outcome needs what to label: add --log GLOB or --session GLOB")
    if request.split is not None:
        entry_of({"log": "*", "outcome": "undecided", "split": request.split}, "--split")


def _entries(corpus: CorpusOptions, request: LabelRequest) -> list[Entry]:
    row = {"outcome": request.outcome}
    if request.split is not None:
        row["split"] = request.split
    if request.note:
        row["note"] = request.note
    globs = [("log", glob) for glob in request.logs]
    globs += [("session", glob) for glob in corpus.session]
    return [entry_of({key: glob, **row}, f"--{key} {glob}") for key, glob in globs]


def _set(
    file: LabelsFile, entries: Sequence[Entry], found: Discovery, corpus: CorpusOptions
) -> None:
    names = [
        (log.key, log.header.session if log.header is not None else None) for log in found.logs
    ]
    # Each must match something and contradict none beside it; it is named by option or line.
    reached = apply_labels(entries, names).by_log
    labels = file.add(entries, found)
    note(
        f"{file.path}: {len(reached)} of {counted(len(found.logs), 'log')} labelled; "
        f"{tally(labels, found)}",
        quiet=corpus.quiet,
    )


def tally(labels: Labels, found: Discovery) -> str:
    """How many logs have which label."""
    parts = [f"{len(labels.logs(outcome))} {outcome}" for outcome in OUTCOMES]
    return f"{', '.join(parts)}, {len(found.logs) - len(labels.by_log)} without a label"


def _print_queue(console: Console, waiting: Sequence[QueueItem], file: LabelsFile) -> None:
    import shlex

    from dsh_calibrate_cli.tables import plain_table

    if not waiting:
        console.print(cell("Every log that a guard looks at has a label."))
        return
    table = plain_table("Logs without a label, most informative first", "log", "nearest", "hints")
    for column in table.columns[1:]:
        column.justify = "left"
    for item in waiting:
        table.add_row(cell(item.log), cell(nearest_text(item.nearest)), cell("; ".join(item.hints)))
    console.print(table)
    console.print(cell("Label them one by one:", "dim"))
    path = shlex.quote(str(file.path))
    console.print(cell(f"  dsh-calibrate corpus label {path}"), soft_wrap=True)


def _item_json(item: QueueItem) -> dict[str, object]:
    nearest = item.nearest
    return {
        "log": item.log,
        "session": item.session,
        "calls": item.calls,
        "turns": item.turns,
        "streams": item.streams,
        "measure": nearest.measure if nearest is not None else None,
        "figure": nearest.figure if nearest is not None else None,
        "threshold": nearest.threshold if nearest is not None else None,
        "ratio": round(nearest.ratio, 6) if nearest is not None else None,
        "hints": list(item.hints),
    }


def _csv(waiting: Sequence[QueueItem]) -> bytes:
    """The columns an import takes come first, so that the table can be filled in."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["log", "outcome", "note"])
    for item in waiting:
        writer.writerow([item.log, "", "; ".join([nearest_text(item.nearest), *item.hints])])
    return text.getvalue().encode("utf-8", "backslashreplace")
