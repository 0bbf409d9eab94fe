"""What ``sweep`` does once its options are known."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_calibrate.calibrate import candidates
from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.calibrate.label_places import missing_places
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.calibrate.reachability import dead, observed_periods
from dsh_calibrate.calibrate.reasoning_sweep import closeness
from dsh_calibrate.calibrate.sweeping import How, measure_for, sweep
from dsh_calibrate.calibrate.sweeping_figures import SLICES
from dsh_calibrate.corpora.label_reading import read_labels
from dsh_calibrate.corpora.labels import Labels, Outcome, apply_labels
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Discovery
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.plan import GUARDS
from dsh_calibrate.replay.settings import Settings
from dsh_calibrate.replay.settings.catalogue import did_you_mean
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.cache_options import CacheOptions, cache_of
from dsh_calibrate_cli.console import note, rendered, warn
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings
from dsh_calibrate_cli.sweep_document import (
    SweepReport,
    csv_bytes,
    report_of,
    sweep_json,
    write_parquet,
)
from dsh_calibrate_cli.sweep_text import print_sweep

if TYPE_CHECKING:
    from dsh_calibrate_cli.commands.sweep import SweepOptions


def run_sweep(
    corpus: CorpusOptions,
    what: SweepOptions,
    settings_options: SettingsOptions,
    how_options: ReplayOptions,
    cache_options: CacheOptions,
    output: OutputOptions,
) -> None:
    """Measure, sweep, deliver; options are checked before a log is read."""
    by = checked_slice(what.by)
    settings = resolve_settings(settings_options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    sets = sets_of(what, settings)
    guards = guards_of(sets, settings, is_named=bool(settings_options.guard))
    how = How(how_options.operator.value, how_options.shell_http.value, corpus.salvage)
    found = find_logs(corpus)
    labels = labels_of(what.labels, found)
    with (
        progress(found, corpus) as on_done,
        measure_for(
            found.logs,
            sets,
            guards,
            how,
            jobs=corpus.workers,
            cache=cache_of(cache_options),
            on_done=on_done,
            with_models=by in ("model", "provider"),
        ) as facts,
    ):
        swept = sweep(facts, found.logs, sets, guards, how, jobs=corpus.workers)
        coverages = facts.coverages()
        digests = dict(facts.frame("logs").select("log", "digest").iter_rows())
        periods = observed_periods(facts) if "rtb" in guards else ()
        in_rates = [session.log for session in swept.counted()]
        vain = [] if labels is None else missing_places(facts, labels, guards)
        close = closeness(facts, sets[0].rlg, in_rates, labels) if "rlg" in guards else ()
    coverage = corpus_coverage(found, list(coverages.values()))
    report_coverage(coverage, list(coverages.items()), corpus)
    dying = [dead(one, guards, periods) for one in sets]
    report = report_of(swept, labels, by, dying, periods, close)

    def document() -> bytes:
        head = envelope(
            plugin_versions=settings.plugin_versions,
            config=settings.as_json(),
            corpus_digest=corpus_digest(digests.items()),
            coverage=coverage.as_json(),
        )
        return json_bytes({**head, **sweep_json(report)})

    deliver(
        output,
        {
            "text": lambda: rendered(lambda console: print_sweep(console, report)),
            "json": document,
            "csv": lambda: csv_bytes(report),
        },
        folders={"parquet": lambda folder: _parquet(report, folder)},
    )
    if labels is not None:
        _warn_of_missing(labels, in_rates)
        for text in vain:
            warn(text)
    note(
        f"{counted(len(report.sets), 'set')} over {counted(len(report.sessions), 'log')}; "
        f"{counted(swept.replayed, 'log')} replayed again",
        quiet=corpus.quiet,
    )
    require_coverage(coverage, corpus)


def sets_of(what: SweepOptions, settings: Settings) -> list[CandidateSet]:
    """What is in force, then the sets that the options ask for.

    Raises :class:`UsageError` when they ask for none or for two of one name.
    """
    if not what.over and what.candidates is None and not what.pieces:
        raise UsageError(
            "sweep what? name thresholds with --over (rtb.warnAt=5..9) or a --candidates FILE"
        )
    rows = {guard: part.row for guard, part in settings.guards.items()}
    base = candidates.in_force(rows, settings.profile)
    sets: list[CandidateSet] = []
    if what.over:
        sets += candidates.grid([parse_axis(text) for text in what.over], rows, settings.profile)
    if what.candidates is not None:
        sets += candidates.from_file(what.candidates, rows, settings.profile)
    if what.pieces:
        if len(set(what.pieces)) != len(what.pieces):
            raise UsageError("--pieces: one size stands there twice")
        sets = candidates.with_pieces(sets or [base], what.pieces)
    candidates.require_few(len(sets))
    names = [one.name for one in sets]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise UsageError(f"two sets are called {name}: rename one in {what.candidates}")
    if base.name in names:
        raise UsageError(
            f"{what.candidates}: {base.name}: that is what the settings in force are called; "
            "rename it"
        )
    return [base, *sets]


def guards_of(sets: list[CandidateSet], settings: Settings, *, is_named: bool) -> tuple[str, ...]:
    """The guards that are swept: those the sets speak of, or those ``--guard`` names.

    Raises :class:`UsageError` when a set changes a guard that ``--guard`` leaves out.
    """
    spoken = {guard for one in sets for guard in one.guards}
    if not is_named:
        return tuple(guard for guard in GUARDS if guard in spoken)
    for guard in GUARDS:
        if guard in spoken and guard not in settings.selected:
            raise UsageError(f"--guard leaves {guard} out, but the sweep changes it; add it")
    return settings.selected


def labels_of(path: Path | None, found: Discovery) -> Labels | None:
    """The labels of the logs found; one that matches no log is refused."""
    if path is None:
        return None
    logs = [(log.key, log.header.session if log.header else None) for log in found.logs]
    out = [(log.key, log.header.session if log.header else None) for log in found.left_out]
    return apply_labels(read_labels(path), logs, [*logs, *out])


def _warn_of_missing(labels: Labels, in_rates: Iterable[str]) -> None:
    """Say so when no session that counts is stuck, or none healthy: 0 of 0 tells nothing."""
    logs = set(in_rates)
    shown: tuple[tuple[Outcome, str], ...] = (("stuck", "caught"), ("healthy", "disturbed"))
    for outcome, figure in shown:
        if not logs.intersection(labels.logs(outcome)):
            warn(f"no session that counts is labelled {outcome}: {figure} says nothing")


def checked_slice(by: str | None) -> str | None:
    """Refuse an unknown ``--by``."""
    if by is not None and by not in SLICES:
        hint = did_you_mean(by, SLICES)
        raise UsageError(f"--by {by}: unknown; known: {', '.join(SLICES)}{hint}")
    return by


def _parquet(report: SweepReport, folder: Path) -> None:
    try:
        write_parquet(report, folder)
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror or error}") from None
