"""What ``facts export`` and ``facts merge`` do once their options are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dsh_calibrate.facts import Facts, collect
from dsh_calibrate.facts.folder import require_free
from dsh_calibrate.facts.merging import merge
from dsh_calibrate_cli.cache_options import CacheOptions, cache_of
from dsh_calibrate_cli.console import note
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
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings


def run_export(
    corpus: CorpusOptions,
    settings_options: SettingsOptions,
    how: ReplayOptions,
    cache_options: CacheOptions,
    out: Path,
    *,
    mask: bool,
) -> None:
    """Measure, write the tables, say on stderr what could be read, set the exit code."""
    settings = resolve_settings(settings_options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    plan = plan_for(settings, how, salvage=corpus.salvage)
    require_free(out)
    found = find_logs(corpus)
    with progress(found, corpus) as on_done:
        facts = collect(
            found.logs,
            plan,
            jobs=corpus.workers,
            cache=cache_of(cache_options),
            on_done=on_done,
            folder=out,
            masked=mask,
        )
    coverages = facts.coverages()
    coverage = corpus_coverage(found, list(coverages.values()))
    report_coverage(coverage, list(coverages.items()), corpus)
    _say(facts, quiet=corpus.quiet)
    require_coverage(coverage, corpus)


def run_merge(folders: Sequence[Path], out: Path, *, quiet: bool) -> None:
    """Join folders of facts."""
    _say(merge(folders, out), quiet=quiet)


def _say(facts: Facts, *, quiet: bool) -> None:
    counts = {name: facts.count(name) for name in ("logs", "calls", "streams", "decisions")}
    parts = ", ".join(f"{count} {name}" for name, count in counts.items())
    note(f"{facts.folder}: {parts}", quiet=quiet)
