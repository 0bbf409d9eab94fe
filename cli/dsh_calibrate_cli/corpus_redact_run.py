"""What ``corpus redact`` does once its options are known."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer

from dsh_calibrate import __version__
from dsh_calibrate.corpora.redaction.corpus import RedactionReport, redact_corpus
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Discovery, Log
from dsh_calibrate.reports.masking import mask_log_keys
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.artefact import json_bytes
from dsh_calibrate_cli.console import note, printable, write_stdout, write_whole
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import find_logs
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings
from dsh_calibrate_cli.worker_options import refuse_cluster

SETTINGS_FILE = "settings.json"
SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class RedactRequest:
    """The command's own options."""

    out: Path
    shift_times: bool
    key_env: str | None
    form: str


def run_redact(corpus: CorpusOptions, settings: SettingsOptions, request: RedactRequest) -> None:
    """Redact, report, and exit 1 when a log was not written."""
    if request.form not in ("text", "json"):
        raise UsageError(f"--format {request.form}: unknown here; known formats: text, json")
    if corpus.salvage:
        raise UsageError("--salvage: a damaged log is copied up to its damage; leave it out")
    refuse_cluster(corpus.executor, "corpus redact")
    key = _key(request.key_env)
    in_force = resolve_settings(settings, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    found = find_logs(corpus)
    _check_apart(request.out, found.logs)
    with _progress(found, corpus.quiet) as on_done:
        report = redact_corpus(
            found.logs,
            request.out,
            key=key,
            shift_times=request.shift_times,
            rows={name: in_force.guards[name].row for name in in_force.selected},
            profile=in_force.profile,
            on_done=on_done,
        )
    if any(report.rows.values()) and report.written:
        text = json.dumps(report.rows, ensure_ascii=False, indent=2) + "\n"
        write_whole(request.out / SETTINGS_FILE, text.encode("utf-8", "backslashreplace"))
    if request.form == "json":
        write_stdout(json_bytes(_document(report)).decode("utf-8"))
    else:
        write_stdout(_text(report))
    note(
        f"{report.written} of {counted(len(report.logs), 'log')} written to "
        f"{printable(str(request.out))}; "
        f"each agrees with its original under {counted(len(report.settings), 'set')} of settings",
        quiet=corpus.quiet,
    )
    if report.written < len(report.logs):
        raise typer.Exit(1)


def _key(name: str | None) -> bytes | None:
    if name is None:
        return None
    value = os.environ.get(name, "")
    if not value:
        raise UsageError(f"--key-env {name}: no such environment variable, or it is empty")
    return value.encode("utf-8", "surrogateescape")


def _check_apart(out: Path, logs: Sequence[Log]) -> None:
    """Nothing is ever written under a folder that logs are read from."""
    target = out.resolve()
    for root in {log.root.resolve() for log in logs}:
        if target == root or root in target.parents:
            raise UsageError(f"{out}: lies inside {root}, which is read; name a folder outside")


def _text(report: RedactionReport) -> str:
    """One line a log; names of the originals masked."""
    shown = mask_log_keys(log.log for log in report.logs)
    rows = []
    for log in report.logs:
        if log.path is None:
            rows.append(f"not written  {shown[log.log]}: {log.why}")
        else:
            cut = f" (up to its damage: {log.cut})" if log.cut else ""
            rows.append(f"written      {log.path}{cut}")
    return "".join(f"{printable(row)}\n" for row in rows)


def _document(report: RedactionReport) -> dict[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "dsh-calibrate", "version": __version__},
        "totals": {
            "logs": len(report.logs),
            "written": report.written,
            "words_replaced": report.words,
        },
        "settings": list(report.settings),
        "logs": [
            {
                "log": log.log,
                "path": log.path,
                "why": log.why,
                "cut": log.cut,
                "lines": log.lines,
                "leak_check": None
                if log.leaks is None
                else {
                    "strings": log.leaks.leaves,
                    "words": log.leaks.words,
                    "secrets": log.leaks.secrets,
                    "lookalikes": log.leaks.lookalikes,
                },
            }
            for log in report.logs
        ],
    }


@contextmanager
def _progress(found: Discovery, quiet: bool) -> Iterator[Callable[[Log], None] | None]:
    """A bar on stderr over both passes; only on a terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("redacting logs"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=2 * sum(log.size for log in found.logs))
        yield lambda log: bar.advance(task, log.size)
