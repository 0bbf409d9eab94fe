"""What ``report`` does once its options are known."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from dsh_calibrate.calibrate import candidates
from dsh_calibrate.calibrate.blind_spots import blind_spots
from dsh_calibrate.calibrate.blind_spots_seen import seen_in
from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.calibrate.deriving import Bound, Derivation, Ladders, derive
from dsh_calibrate.calibrate.patch_row import patch_rows, patch_text
from dsh_calibrate.calibrate.ranges import Axis, parse_axis
from dsh_calibrate.calibrate.reachability import Dead, dead, observed_periods
from dsh_calibrate.calibrate.reasoning_sweep import closeness
from dsh_calibrate.calibrate.sweeping import How, Sweep, measure_for, sweep
from dsh_calibrate.corpora.labels import Labels
from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.logs.discovery import Discovery
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.replay.settings import Settings
from dsh_calibrate.replay.summary import summarise
from dsh_calibrate.reports.building import build
from dsh_calibrate.reports.charts.drawing import drawn
from dsh_calibrate.reports.html import html
from dsh_calibrate.reports.markdown import markdown
from dsh_calibrate.reports.model import Report, charts, tables
from dsh_calibrate.reports.sections.fires import counts
from dsh_calibrate.reports.sections.material import Answer, Material
from dsh_calibrate.reports.sections.shown import Shown
from dsh_calibrate.reports.tables_out import csv_bytes, parquet_bytes, report_json
from dsh_calibrate.reports.terminal import terminal
from dsh_calibrate.studies.allowlist_candidates import VerbCandidate
from dsh_calibrate.studies.allowlist_candidates import candidates as verb_candidates
from dsh_calibrate.studies.allowlist_judging import Judge
from dsh_calibrate.studies.allowlist_scan import scan
from dsh_calibrate.studies.failure_logs import Counting, log_failures
from dsh_calibrate.studies.failure_study import failure_study
from dsh_calibrate.studies.shell_calls import shell_calls
from dsh_calibrate.studies.timeline import Timeline, timeline
from dsh_calibrate_cli.cache_options import CacheOptions, cache_of
from dsh_calibrate_cli.console import note, write_stdout, write_whole
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    dsh_home,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.derive_text import answer, changing, row_comments
from dsh_calibrate_cli.labels_file import LabelsFile
from dsh_calibrate_cli.plans import plan_for
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings

if TYPE_CHECKING:
    from dsh_calibrate_cli.commands.report import ReportOptions

SIZES = (16, 256)
"""Piece sizes (UTF-16 units) that reasoning is cut into, beside the recorded ones."""

_RUNS = (3, 5)
_NO_LABELS = "no labels were given; name a labels.toml with --labels."


def run_report(
    corpus: CorpusOptions,
    what: ReportOptions,
    settings_options: SettingsOptions,
    how: ReplayOptions,
    cache: CacheOptions,
) -> None:
    """Measure, build the report, write or print it; options are checked before a log is read."""
    settings = resolve_settings(settings_options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    _require_place(what.out)
    found = find_logs(corpus)
    labels = _labels(corpus, what.labels, found)
    plan = plan_for(settings, how, salvage=corpus.salvage)
    with progress(found, corpus) as on_done:
        outcomes = replay_corpus(found.logs, plan, jobs=corpus.workers, on_done=on_done)
    coverage = corpus_coverage(found, [o.coverage for o in outcomes])
    report_coverage(coverage, [(o.log, o.coverage) for o in outcomes], corpus)
    material = _measured(corpus, what, settings, how, cache, found, labels, plan, outcomes)
    report = build(material)
    if what.out is None:
        write_stdout(terminal(report))
    else:
        written = write_folder(what.out, report)
        note(f"{what.out}: {written} files; open {what.out / 'report.html'}", quiet=corpus.quiet)
    require_coverage(coverage, corpus)


def write_folder(folder: Path, report: Report) -> int:
    """Write the report in every format; the number of files."""
    drawings = {chart.id: drawn(chart) for chart in charts(report)}
    files = {
        "report.html": html(report, drawings).encode(),
        "report.md": markdown(report).encode(),
        "report.json": report_json(report),
    }
    files |= {f"charts/{name}.svg": svg.encode() for name, svg in drawings.items()}
    for table in tables(report):
        files[f"tables/{table.id}.csv"] = csv_bytes(table)
        files[f"tables/{table.id}.parquet"] = parquet_bytes(table)
    for name in ("charts", "tables"):
        try:
            (folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot write {folder}: {error.strerror or error}") from None
    for name, content in files.items():
        write_whole(folder / name, content)
    return len(files)


def _require_place(folder: Path | None) -> None:
    recorded = (dsh_home() / "sessions").resolve()
    if folder is None:
        return
    if recorded == folder.resolve() or recorded in folder.resolve().parents:
        raise UsageError(
            f"{folder} lies where sessions are recorded, and nothing is written there: name "
            "another folder with -o"
        )
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: name a folder with -o")


def _labels(corpus: CorpusOptions, named: Path | None, found: Discovery) -> Labels | None:
    path = named
    if path is None and len(corpus.paths) == 1 and corpus.paths[0].is_dir():
        beside = corpus.paths[0] / "labels.toml"
        path = beside if beside.is_file() else None
    if path is None:
        return None
    if not path.is_file():
        raise UsageError(f"--labels {path}: no such file")
    return LabelsFile(path).labels(found)


def _measured(
    corpus: CorpusOptions,
    what: ReportOptions,
    settings: Settings,
    how_options: ReplayOptions,
    cache_options: CacheOptions,
    found: Discovery,
    labels: Labels | None,
    plan: Plan,
    outcomes: list[LogOutcome],
) -> Material:
    how = How(how_options.operator.value, how_options.shell_http.value, corpus.salvage)
    rows = {guard: part.row for guard, part in settings.guards.items()}
    now = candidates.in_force(rows, settings.profile)
    guards = plan.guards
    axes, pairs = _axes(settings)
    grid_sets = [now, *candidates.grid(axes, rows, settings.profile)] if axes else []
    piece_sets = [now, *candidates.with_pieces([now], SIZES)]
    tried = Ladders(rows, settings.profile, guards)
    derived, no_answer = None, _NO_LABELS
    read = [o.log for o in outcomes if o.coverage.status == "read"]
    with measure_for(
        found.logs, tried.sets(), guards, how, jobs=corpus.workers, cache=cache_of(cache_options)
    ) as facts:
        grid: Sweep | None = None
        if grid_sets:
            grid = sweep(facts, found.logs, grid_sets, ("rtb",), how, jobs=corpus.workers)
        pieces: Sweep | None = None
        if plan.rlg is not None and facts.count("streams"):
            pieces = sweep(facts, found.logs, piece_sets, ("rlg",), how, jobs=corpus.workers)
        if labels is not None:
            try:
                derived = derive(
                    facts, found.logs, labels, tried, Bound(), how, jobs=corpus.workers
                )
            except CalibrateError as error:
                no_answer = f"{error}."
        periods = observed_periods(facts) if plan.rtb is not None else ()
        close = closeness(facts, now.rlg, read, labels) if plan.rlg is not None else ()
        peaks = facts.peaks()
        shares = (
            facts.scan("judgements")
            .filter(pl.col("log").is_in(read))
            .select("log", "lifecycle", "stream", "at_utf16", "line_share")
            .collect()
        )
    dying: dict[int, tuple[Dead, ...]] = {0: dead(now, guards, periods)}
    if derived is not None:
        dying |= {one.number: dead(one.candidate, guards, periods) for one in derived.tested}
    spots_logs, spots_of = _looked_at(labels, read)
    wanted = {log for logs in spots_logs for log in logs}
    seen = seen_in([log for log in found.logs if log.key in wanted], jobs=corpus.workers)
    keys = [o.log for o in outcomes]
    digest = corpus_digest((o.log, o.digest) for o in outcomes)
    coverage = corpus_coverage(found, [o.coverage for o in outcomes])
    counting = Counting(settings.rtb, salvage=corpus.salvage) if settings.rtb else None
    failed = shell = None
    verbs: tuple[VerbCandidate, ...] = ()
    if counting is not None and settings.rtb is not None:
        work = functools.partial(log_failures, counting)
        each = list(map_logs(work, found.logs, jobs=corpus.workers))
        whole = [log for log in each if log.coverage.status == "read" and log.calls]
        healthy = frozenset(labels.logs("healthy")) if labels is not None else None
        failed = failure_study(whole, _RUNS, healthy)
        collect = functools.partial(shell_calls, settings.rtb, corpus.salvage)
        judge = Judge(settings.rtb)
        spoken = list(map_logs(collect, found.logs, jobs=corpus.workers))
        spoken = [log for log in spoken if log.coverage.status == "read"]
        shell, verbs = scan(spoken, judge), verb_candidates(spoken, judge)
    return Material(
        title=what.title,
        settings=settings,
        plan=plan,
        summary=summarise(outcomes, guards),
        coverage=coverage,
        corpus_digest=digest,
        head=envelope(
            plugin_versions=settings.plugin_versions,
            config=settings.as_json(),
            corpus_digest=digest,
            coverage=coverage.as_json(),
        ),
        shown=Shown.of(keys, masked=not what.show_content),
        labels=labels,
        spots=tuple(blind_spots(seen, spots_logs, guards)),
        spots_of=spots_of,
        sessions=len(read),
        peaks=peaks,
        shares=shares,
        grid=grid,
        pairs=pairs,
        dead=dying,
        periods=periods,
        closeness=close,
        pieces=pieces,
        sizes=SIZES,
        failures=failed,
        allowlist=shell,
        verbs=verbs,
        timeline=_noisiest(found, plan, outcomes),
        answer=_answer(derived, settings, guards),
        no_answer=no_answer,
    )


def _axes(settings: Settings) -> tuple[list[Axis], tuple[tuple[int, float], ...]]:
    """Values of warnAt, and the tied caps, up to some steps above what is in force."""
    config = settings.rtb
    if config is None:
        return [], ()
    tied = [k for k in ("exact", "cmd", "net", "sink") if config.limits.get(k) is not None]
    if not tied:
        return [], ()
    centre = int(min(config.limits[k] or 0 for k in tied))
    caps = list(range(max(2, centre - 4), centre + 5, 2))
    warns = list(range(max(2, (config.warn_at or 5) - 3), (config.warn_at or 5) + 4))
    axes = [
        parse_axis(f"rtb.warnAt=[{','.join(map(str, warns))}]"),
        parse_axis(f"rtb.limits.{{{','.join(tied)}}}=[{','.join(map(str, caps))}]"),
    ]
    return axes, tuple((w, float(c)) for w in warns for c in caps)


def _looked_at(labels: Labels | None, read: list[str]) -> tuple[list[list[str]], str]:
    if labels is None:
        return [[log] for log in read], "all logs read whole, since no label says which are healthy"
    healthy = set(labels.logs("healthy"))
    return [[log] for log in read if log in healthy], "the logs labelled healthy"


def _noisiest(found: Discovery, plan: Plan, outcomes: list[LogOutcome]) -> Timeline | None:
    """The timeline of the log with the most interventions, the first of several."""
    loud = {
        o.log: sum(counts(plan, d) for d in o.decisions)
        for o in outcomes
        if o.coverage.status == "read"
    }
    if not loud or not max(loud.values()):
        return None
    most = max(loud, key=lambda log: (loud[log], [-ord(c) for c in log]))
    log = next(log for log in found.logs if log.key == most)
    return timeline(log, plan, text_limit=0)


def _answer(
    derived: Derivation | None, settings: Settings, guards: tuple[str, ...]
) -> Answer | None:
    if derived is None:
        return None
    patch = ""
    if derived.chosen is not None:
        changed: CandidateSet = derived.chosen.candidate
        rows = patch_rows(changed, settings.guards, settings.profile, selected=guards)
        patch = patch_text(rows, row_comments(derived, settings, rows))
    return Answer(derived, answer(derived), tuple(changing(derived)), derived.steps, patch)
