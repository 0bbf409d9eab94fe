"""What the ``allowlist`` commands do once their options are known."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import cast

from rich.console import Console

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.coverage import Coverage
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.studies.allowlist_candidates import candidates, listed
from dsh_calibrate.studies.allowlist_coverage import block_coverage
from dsh_calibrate.studies.allowlist_json import (
    CANDIDATE_COLUMNS,
    FETCHER_COLUMNS,
    VERB_COLUMNS,
    candidate_rows,
    candidates_json,
    coverage_json,
    fetcher_rows,
    scan_json,
    verb_rows,
)
from dsh_calibrate.studies.allowlist_judging import Judge
from dsh_calibrate.studies.allowlist_scan import scan
from dsh_calibrate.studies.shell_calls import LogShellCalls, shell_calls
from dsh_calibrate_cli.allowlist_masking import Mask, document_mask
from dsh_calibrate_cli.allowlist_text import print_candidates, print_coverage, print_scan
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
from dsh_calibrate_cli.row_tables import Columns, csv_bytes, parquet_bytes
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings

FORMATS = ("text", "json", "csv", "parquet")


@dataclasses.dataclass(frozen=True, slots=True)
class _Corpus:
    """The shell calls of logs read whole, the judge, the head of every JSON document.

    ``mask`` shows a document or a row as ``--mask`` asks, ``coverage`` accounts for all logs.
    ``options`` are those an ``explain`` line needs.
    """

    logs: list[LogShellCalls]
    judge: Judge
    head: dict[str, object]
    mask: Mask
    coverage: Coverage
    options: str


def run_scan(
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    allow: str | None,
    examples: int,
) -> None:
    """``allowlist scan``."""
    read = _read(corpus, settings, content, output, allow)
    found = scan(read.logs, read.judge)
    masked = content.masks(for_people=True)
    _deliver(
        output,
        read,
        lambda console: print_scan(console, found, examples, masked=masked, options=read.options),
        scan_json(found),
        verb_rows(found),
        VERB_COLUMNS,
    )
    _finish(corpus, read, f"{found.shell_calls} shell calls, {found.remote_calls} remote")


def run_candidates(
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    allow: str | None,
    examples: int,
) -> None:
    """``allowlist candidates``."""
    read = _read(corpus, settings, content, output, allow)
    found = candidates(read.logs, read.judge)
    on_the_list = listed(read.logs, read.judge)
    masked = content.masks(for_people=True)
    _deliver(
        output,
        read,
        lambda console: print_candidates(
            console, found, on_the_list, examples, masked=masked, options=read.options
        ),
        {"allow": list(read.judge.allow), **candidates_json(found, on_the_list)},
        candidate_rows(found),
        CANDIDATE_COLUMNS,
    )
    _finish(corpus, read, f"{len(found)} verbs stand in refused calls and not on the list")


def run_coverage(
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    allow: str | None,
    examples: int,
) -> None:
    """``allowlist coverage``."""
    read = _read(corpus, settings, content, output, allow)
    found = block_coverage(read.logs, read.judge)
    masked = content.masks(for_people=True)
    _deliver(
        output,
        read,
        lambda console: print_coverage(
            console, found, examples, masked=masked, options=read.options
        ),
        {"allow": list(read.judge.allow), **coverage_json(found)},
        fetcher_rows(found),
        FETCHER_COLUMNS,
    )
    _finish(corpus, read, f"{found.fetching} calls fetch, {len(found.missed)} of them let through")


def _read(
    corpus: CorpusOptions,
    options: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    allow: str | None,
) -> _Corpus:
    require_formats(output, FORMATS)
    settings = resolve_settings(options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    if settings.rtb is None:
        raise UsageError("allowlist is about rtb's shell-HTTP block: name rtb with --guard")
    if not settings.rtb.profile.has_shell_http_block:
        raise UsageError(
            f"rtb {settings.rtb.profile.name} has no shell-HTTP block; leave --plugin-version away"
        )
    config = settings.rtb
    tried: tuple[str, ...] | None = None
    if allow is not None:
        tried = tuple(verb.strip() for verb in allow.split(",") if verb.strip())
        config = dataclasses.replace(config, shell_http_allow=tried)
    explained = explain_options(
        options, has_paths=bool(corpus.paths), salvage=corpus.salvage, allow=tried
    )
    found = find_logs(corpus)
    work = functools.partial(shell_calls, config, corpus.salvage)
    with progress(found, corpus) as on_done:
        logs = list(map_logs(work, found.logs, jobs=corpus.workers, on_done=on_done))
    coverage = corpus_coverage(found, [log.coverage for log in logs])
    report_coverage(coverage, [(log.log, log.coverage) for log in logs], corpus)
    head = envelope(
        plugin_versions=settings.plugin_versions,
        config=settings.as_json(),
        corpus_digest=corpus_digest((log.log, log.digest) for log in logs),
        coverage=coverage.as_json(),
    )
    measured = [log for log in logs if log.coverage.status == "read"]
    mask = document_mask((log.log for log in logs), masked=content.masks(for_people=False))
    return _Corpus(measured, Judge(config), head, mask, coverage, explained)


def _deliver(
    output: OutputOptions,
    read: _Corpus,
    show: Callable[[Console], None],
    document: dict[str, object],
    rows: list[dict[str, object]],
    columns: Columns,
) -> None:
    def shown_rows() -> list[dict[str, object]]:
        return cast("list[dict[str, object]]", read.mask(rows))

    def shown_document() -> bytes:
        return json_bytes({**read.head, **cast("dict[str, object]", read.mask(document))})

    deliver(
        output,
        {
            "text": lambda: rendered(show),
            "json": shown_document,
            "csv": lambda: csv_bytes(shown_rows(), columns),
            "parquet": lambda: parquet_bytes(shown_rows(), columns),
        },
    )


def _finish(corpus: CorpusOptions, read: _Corpus, line: str) -> None:
    note(f"{line}, in {len(read.logs)} logs read whole", quiet=corpus.quiet)
    require_coverage(read.coverage, corpus)
