"""What ``corpus stats`` does once its options are known."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Sequence

from dsh_calibrate.guards.reasoning_loop.verdict import RULES
from dsh_calibrate.logs.discovery import Discovery
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.replay.settings.model import Settings
from dsh_calibrate.reports.masked_profiles import masked_profiles
from dsh_calibrate.studies.corpus_stats import KINDS, corpus_stats
from dsh_calibrate.studies.corpus_stats_json import log_json, stats_json
from dsh_calibrate.studies.log_profile import LogProfile, Measuring, profile_log
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
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
from dsh_calibrate_cli.corpus_stats_text import print_stats
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings


def run_stats(
    corpus: CorpusOptions,
    settings_options: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    top: int,
) -> None:
    """Profile every log, report coverage, deliver the artefact."""
    settings = resolve_settings(settings_options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    found = find_logs(corpus)
    profiles = profile_logs(found, corpus, settings)
    coverage = corpus_coverage(found, [p.coverage for p in profiles])
    report_coverage(coverage, [(p.log, p.coverage) for p in profiles], corpus)

    def shown(*, for_people: bool) -> Sequence[LogProfile]:
        return masked_profiles(profiles) if content.masks(for_people=for_people) else profiles

    def document() -> bytes:
        chosen = shown(for_people=False)
        head = envelope(
            plugin_versions=settings.plugin_versions,
            config=settings.as_json(),
            corpus_digest=corpus_digest((p.log, p.digest) for p in profiles),
            coverage=coverage.as_json(),
        )
        return json_bytes({**head, **stats_json(corpus_stats(chosen), chosen)})

    def text() -> bytes:
        stats = corpus_stats(shown(for_people=True))
        return rendered(lambda console: print_stats(console, stats, settings, top))

    deliver(
        output,
        {"text": text, "json": document, "csv": lambda: _csv(shown(for_people=False))},
    )
    calls = sum(p.calls for p in profiles)
    note(f"{len(profiles)} logs, {calls} calls", quiet=corpus.quiet)
    require_coverage(coverage, corpus)


def profile_logs(found: Discovery, corpus: CorpusOptions, settings: Settings) -> list[LogProfile]:
    """The profile of every log, in their order."""
    measuring = Measuring(rtb=settings.rtb, rlg=settings.rlg, salvage=corpus.salvage)
    work = functools.partial(profile_log, measuring)
    with progress(found, corpus) as on_done:
        return list(map_logs(work, found.logs, jobs=corpus.workers, on_done=on_done))


def _csv(profiles: Sequence[LogProfile]) -> bytes:
    """One row a log: its counts, then the peak of every measure."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    head: list[str] | None = None
    for profile in profiles:
        row = log_json(profile)
        peaks = row.pop("peaks")
        row = {name: value for name, value in row.items() if not isinstance(value, dict)}
        assert isinstance(peaks, dict)
        for track, names in (("occurrences", KINDS), ("failures", KINDS), ("reasoning", RULES)):
            row |= {f"{track} {name}": peaks[track].get(name, 0) for name in names}
        if head is None:
            head = list(row)
            writer.writerow(head)
        writer.writerow([row[name] for name in head])
    return text.getvalue().encode("utf-8", "backslashreplace")
