"""From PATH… to outcomes: discovery, progress, coverage on stderr, the exit code it asks for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dsh_calibrate.errors import CoverageError, UsageError
from dsh_calibrate.logs.coverage import Coverage, LogCoverage, merge
from dsh_calibrate.logs.discovery import Discovery, Log, discover
from dsh_calibrate.logs.selection import Criteria, select
from dsh_calibrate.logs.sharding import Shard, take
from dsh_calibrate_cli.console import note, printable, warn
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.selection_options import criteria_of

_SHOWN_WARNINGS = 5


def dsh_home() -> Path:
    """``$DSH_HOME``, or ``~/.dsh``."""
    return Path(os.environ.get("DSH_HOME") or Path.home() / ".dsh")


def find_logs(options: CorpusOptions) -> Discovery:
    """Find the logs that the options name.

    Raises :class:`UsageError` for a path that is missing, a file that is no DSH log, and
    when there is no log at all or none that the selection means.
    """
    criteria = criteria_of(options)
    if options.shard is not None:
        Shard.parse(options.shard)
    paths = options.paths or [dsh_home() / "sessions"]
    if not options.paths and not paths[0].is_dir():
        raise UsageError(
            f"{paths[0]}: no such folder; name the logs to read, or set DSH_HOME to the folder "
            "that holds sessions/"
        )
    found = discover(paths, generation=options.generation.value)
    if found.not_logs:
        raise UsageError(found.not_logs[0])
    if not found.logs:
        raise UsageError(
            f"{', '.join(map(str, paths))}: no DSH session log in there (*.jsonl, *.jsonl.zst, "
            "*.jsonl.zstd with a session header)"
        )
    for text in found.warnings[:_SHOWN_WARNINGS]:
        warn(text)
    if len(found.warnings) > _SHOWN_WARNINGS:
        warn(f"and {len(found.warnings) - _SHOWN_WARNINGS} more about the files found")
    return _sharded(_selected(found, criteria, options), options)


def _selected(found: Discovery, criteria: Criteria, options: CorpusOptions) -> Discovery:
    """Narrow what was found to what is meant, and say on stderr what that leaves out."""
    chosen = select(found.logs, criteria)
    if not chosen.left_out:
        return found
    failed = ", ".join(f"{name} {count}" for name, count in chosen.reasons.items())
    if not chosen.logs:
        raise UsageError(
            f"none of the {len(found.logs)} logs found is selected (left out by {failed}): "
            "widen the selection"
        )
    note(
        f"{len(chosen.logs)} of {len(found.logs)} logs selected; left out by {failed}",
        quiet=options.quiet,
    )
    return replace(found, logs=chosen.logs, left_out=chosen.left_out)


def _sharded(found: Discovery, options: CorpusOptions) -> Discovery:
    """Keep one shard of what is meant, which may be empty, and say so on stderr."""
    if options.shard is None:
        return found
    part = take(found, Shard.parse(options.shard))
    note(
        f"shard {part.shard}: {len(part.logs)} of the {len(found.logs)} logs; the others belong "
        "to the other shards",
        quiet=options.quiet,
    )
    return part


def corpus_coverage(found: Discovery, logs: Sequence[LogCoverage]) -> Coverage:
    """The account of the whole corpus."""
    return merge(
        logs,
        superseded=len(found.superseded),
        duplicates=len(found.duplicates),
        ignored=len(found.ignored),
        shard=found.shard,
        other_shards=found.other_shards,
    )


@contextmanager
def progress(found: Discovery, options: CorpusOptions) -> Iterator[Callable[[Log], None] | None]:
    """A progress bar on stderr while logs are read; only on a terminal, never with ``-q``."""
    if options.quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("reading logs"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task("", total=sum(log.size for log in found.logs))
        yield lambda log: bar.advance(task, log.size)


def report_coverage(
    coverage: Coverage, logs: Sequence[tuple[str, LogCoverage]], options: CorpusOptions
) -> None:
    """Say on stderr what could not be read, log by log, and what was passed over."""
    parts = [
        f"{getattr(coverage, name)} {words}"
        for name, words in (
            ("read", "read"),
            ("damaged", "damaged"),
            ("empty", "empty"),
            ("no_calls", "with nothing a guard looks at"),
            ("not_understood", "not understood"),
            ("unreadable", "unreadable"),
        )
        if getattr(coverage, name)
    ]
    note(f"{coverage.found} logs found: {', '.join(parts) or 'none'}", quiet=options.quiet)
    apart = [
        f"{getattr(coverage, name)} {words}"
        for name, words in (
            ("superseded", "older generations"),
            ("duplicates", "copies"),
            ("ignored", "files ignored"),
        )
        if getattr(coverage, name)
    ]
    if apart:
        note(f"beside them: {', '.join(apart)}", quiet=options.quiet)
    bad = [(key, c) for key, c in logs if c.status in ("damaged", "unreadable", "not_understood")]
    for key, log in bad[:_SHOWN_WARNINGS]:
        place = f" at {log.where}" if log.where else ""
        warn(f"{printable(key)}: {log.status}{place}: {log.reason or 'no reason known'}")
    if len(bad) > _SHOWN_WARNINGS:
        warn(f"and {len(bad) - _SHOWN_WARNINGS} more logs that could not be read whole")
    warned = [(key, text) for key, log in logs for text in log.warnings]
    for key, text in warned[:_SHOWN_WARNINGS]:
        note(f"{key}: {text}", quiet=options.quiet)
    if len(warned) > _SHOWN_WARNINGS:
        note(f"and {len(warned) - _SHOWN_WARNINGS} more remarks on logs", quiet=options.quiet)


def require_coverage(coverage: Coverage, options: CorpusOptions) -> None:
    """Raise :class:`CoverageError` when fewer logs could be read than ``--min-coverage``.

    What counts as read is every log read whole, also an empty one or one without calls:
    nothing in it went unseen.
    """
    if options.min_coverage is None or not coverage.found:
        return
    fraction = options.min_coverage <= 1
    wanted = options.min_coverage * 100 if fraction else options.min_coverage
    whole = coverage.read + coverage.no_calls + coverage.empty
    share = 100 * whole / coverage.found
    if share < wanted:
        raise CoverageError(
            f"only {whole} of {coverage.found} logs ({share:.1f}%) could be read whole, less than "
            f"--min-coverage {wanted:g}%; see the warnings above"
        )
