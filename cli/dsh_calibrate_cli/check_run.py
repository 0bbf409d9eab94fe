"""What ``check`` does once its options are known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import typer

from dsh_calibrate.corpora.baseline_file import read_baseline, render_baseline
from dsh_calibrate.corpora.manifest import BASELINE
from dsh_calibrate.corpora.manifest_writing import save_text
from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.reports.github import check_annotations, check_summary
from dsh_calibrate.reports.junit import check_junit
from dsh_calibrate.reports.sarif import check_sarif
from dsh_calibrate.studies.check import CheckReport, accepted, check_loaded, load_corpus, updated
from dsh_calibrate.studies.check_json import check_document
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.check_text import check_text, one_line
from dsh_calibrate_cli.console import note, warn
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import progress

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The options of ``check``."""

    corpus: Path = Path()
    update: bool = False
    accept: tuple[str, ...] = ()
    diff: bool = False
    jobs: Jobs = None
    quiet: bool = False


def run_check(request: CheckRequest, output: OutputOptions) -> None:
    """Check, write what was asked for, deliver the artefact, set the exit code."""
    if sum((request.update, bool(request.accept), request.diff)) > 1:
        raise UsageError("--update, --accept and --diff cannot be used together: choose one")
    report = _checked(request)
    _warn(report)
    shown = after = report
    path = report.corpus.folder / BASELINE
    if request.update:
        after = updated(report)
        # What was reviewed is shown; what is left decides the exit code.
        shown = report
    elif request.accept:
        shown = after = accepted(report, request.accept)
    deliver(
        output,
        {
            "text": lambda: check_text(shown),
            "json": lambda: json_bytes(check_document(shown)),
            "junit": lambda: check_junit(shown),
            "sarif": lambda: json_bytes(check_sarif(shown)),
            "github": lambda: check_annotations(shown).encode("utf-8"),
            "summary": lambda: check_summary(shown).encode("utf-8"),
        },
    )
    if request.update or request.accept:
        save_text(path, render_baseline(after.baseline))
        note(f"{path}: {len(after.baseline.rows)} decisions written", quiet=request.quiet)
    # The text ends in this line already, unless it went elsewhere or the outcome is another now.
    if after is not shown or (output.format, output.out) != ("text", None):
        note(one_line(after), quiet=request.quiet)
    if after.exit_code and not request.diff:
        raise typer.Exit(after.exit_code)


def _checked(request: CheckRequest) -> CheckReport:
    corpus = load_corpus(request.corpus)
    path = corpus.folder / BASELINE
    missing = request.update and not path.exists()
    baseline = None if missing else read_baseline(path)
    options = CorpusOptions(quiet=request.quiet)
    with progress(replace(corpus.logs.found, logs=corpus.logs.logs), options) as on_done:
        return check_loaded(corpus, baseline, request.jobs, on_done)


def _warn(report: CheckReport) -> None:
    for remark in report.remarks:
        warn(remark)
    unlisted = report.corpus.logs.unlisted
    for key in unlisted[:_SHOWN]:
        warn(f"{key}: lies in the corpus and is not listed; it is left out")
    if len(unlisted) > _SHOWN:
        warn(f"and {len(unlisted) - _SHOWN} more logs that are not listed")
