"""``check``: whether a corpus still behaves as its committed baseline and labels say.

:func:`load_corpus` reads the files of a corpus, :func:`check_corpus` replays it and compares;
:func:`updated` and :func:`accepted` give the baseline to write. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dsh_calibrate import __version__
from dsh_calibrate.corpora.baseline import Baseline, Row, make_baseline
from dsh_calibrate.corpora.baseline_changes import Change, accept, compare
from dsh_calibrate.corpora.baseline_file import read_baseline
from dsh_calibrate.corpora.expectations import Judged, Spot, find_spots, judge
from dsh_calibrate.corpora.label_reading import read_labels
from dsh_calibrate.corpora.labels import Labels, apply_labels
from dsh_calibrate.corpora.manifest import (
    BASELINE,
    LABELS,
    MANIFEST,
    Manifest,
    ManifestError,
    read_manifest,
)
from dsh_calibrate.corpora.manifest_logs import CorpusLogs, corpus_logs, joined
from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.logs.coverage import Coverage, merge
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.envelope import corpus_digest
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.settings import Inputs, Settings, resolve

if TYPE_CHECKING:
    from dsh_calibrate.logs.discovery import Log


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus whose files are sound: manifest, settings, logs and labels."""

    folder: Path
    manifest: Manifest
    settings: Settings
    logs: CorpusLogs
    labels: Labels


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What a check found.

    ``remarks`` say what lies behind changes (another engine version, other settings,
    another set of logs) and fail nothing; ``coverage_fell`` says where less could be read.
    ``seqs`` tell the seq of the places that ``changes`` are about, by change id. ``current``
    is the baseline of this replay, ``baseline`` the committed one.
    """

    corpus: Corpus
    baseline: Baseline
    current: Baseline
    coverage: Coverage
    changes: tuple[Change, ...]
    expectations: tuple[Judged, ...]
    coverage_fell: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    seqs: dict[str, int] = field(default_factory=dict)

    @property
    def failed_expectations(self) -> tuple[Judged, ...]:
        """Expectations that a guard does not meet."""
        return tuple(judged for judged in self.expectations if judged.fails)

    @property
    def exit_code(self) -> int:
        """0 as agreed, 1 something changed or an expectation failed, 3 coverage fell."""
        if self.coverage_fell:
            return 3
        return 1 if self.changes or self.failed_expectations else 0

    @property
    def ok(self) -> bool:
        """Whether everything is as agreed."""
        return self.exit_code == 0

    def of_kind(self, kind: str) -> tuple[Change, ...]:
        """The changes that are ``new``, ``vanished`` or ``changed``."""
        return tuple(change for change in self.changes if change.kind == kind)


def load_corpus(folder: Path) -> Corpus:
    """Read ``corpus.toml``, the settings it names, and ``labels.toml``; look for the logs.

    Raises :class:`CalibrateError` for the first thing that is wrong: a file, a listed log
    that is missing or has other bytes, a label that matches nothing.
    """
    manifest = read_manifest(folder)
    settings = corpus_settings(folder, manifest)
    logs = corpus_logs(folder, manifest)
    if logs.problems:
        raise ManifestError(joined(logs.problems))
    if not logs.logs:
        raise ManifestError(
            f"{folder / MANIFEST}: lists no log: add some with `dsh-calibrate corpus add`"
        )
    return Corpus(folder, manifest, settings, logs, corpus_labels(folder, logs.logs))


def corpus_settings(folder: Path, manifest: Manifest) -> Settings:
    """The settings that ``corpus.toml`` names. Raises :class:`CalibrateError`."""
    if manifest.config is not None and not (folder / manifest.config).is_file():
        raise ManifestError(f"{folder / MANIFEST}: config: {manifest.config!r} is no file here")
    versions = manifest.plugin_versions or {}
    try:
        return resolve(
            Inputs(
                config=[] if manifest.config is None else [str(folder / manifest.config)],
                plugin_versions=[f"{guard}={version}" for guard, version in versions.items()],
            )
        )
    except CalibrateError as wrong:
        raise ManifestError(f"{folder / MANIFEST}: {wrong}") from None


def corpus_labels(folder: Path, logs: Sequence[Log]) -> Labels:
    """The labels of a corpus; none when it has no ``labels.toml``."""
    path = folder / LABELS
    if not path.exists():
        return Labels({})
    names = [(log.key, log.header.session if log.header is not None else None) for log in logs]
    return apply_labels(read_labels(path), names)


def check_corpus(
    folder: Path | str,
    *,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> CheckReport:
    """Replay a corpus and compare it with its baseline and labels.

    Raises :class:`CalibrateError` (exit code 2) when the corpus or its baseline is wrong.
    """
    corpus = load_corpus(Path(folder))
    return check_loaded(corpus, read_baseline(corpus.folder / BASELINE), jobs, on_done)


def check_loaded(
    corpus: Corpus,
    baseline: Baseline | None,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> CheckReport:
    """Check a corpus that is loaded; without a baseline everything is new."""
    logs, settings = corpus.logs.logs, corpus.settings
    plan = check_plan(settings)
    outcomes = replay_corpus(logs, plan, jobs=jobs, on_done=on_done)
    coverage = merge([outcome.coverage for outcome in outcomes])
    current = make_baseline(
        outcomes,
        plugin_versions=settings.plugin_versions,
        settings=settings.as_json(),
        corpus=corpus_digest((entry.path, entry.digest) for entry in corpus.manifest.logs),
        coverage=coverage,
    )
    if baseline is None:
        baseline = replace(current, rows=())
    decisions = [decision for outcome in outcomes for decision in outcome.decisions]
    changes = compare(baseline.rows, current.rows)
    spots = _spots(corpus, changes)
    return CheckReport(
        corpus=corpus,
        baseline=baseline,
        current=current,
        coverage=coverage,
        changes=tuple(changes),
        expectations=tuple(judge(corpus.labels, decisions, spots, plan.guards)),
        coverage_fell=tuple(_coverage_fell(corpus.manifest, baseline, current)),
        remarks=tuple(_remarks(baseline, current)),
        seqs=_seqs(changes, decisions, spots),
    )


def check_plan(settings: Settings) -> Plan:
    """How a corpus is always replayed: questions declined, the shell-HTTP block measured."""
    rtb, rlg = settings.rtb, settings.rlg
    return Plan(
        rtb=rtb,
        tfb=settings.tfb,
        rtr=settings.rtr,
        rlg=rlg if rlg is not None and rlg.enabled else None,
        shell_http="measure" if rtb is not None and rtb.block_shell_http else "off",
    )


def updated(report: CheckReport) -> CheckReport:
    """The report as it is once the baseline is what this replay gives."""
    return replace(
        report,
        baseline=report.current,
        changes=(),
        coverage_fell=tuple(_below_minimum(report.corpus.manifest, report.current)),
        remarks=(),
    )


def accepted(report: CheckReport, ids: Iterable[str]) -> CheckReport:
    """The report once the changes named are taken over; the others stay.

    When none is left, the whole baseline is this replay's, engine and settings included.
    Raises :class:`UsageError` for an id that no change has.
    """
    taken = set(ids)
    rows: tuple[Row, ...] = accept(report.baseline, report.changes, sorted(taken))
    left = tuple(change for change in report.changes if change.id not in taken)
    if not left and not report.coverage_fell:
        return updated(report)
    return replace(report, baseline=replace(report.baseline, rows=rows), changes=left)


def _spots(corpus: Corpus, changes: Iterable[Change]) -> dict[str, dict[Spot, int]]:
    """The places of every log that has expectations or from which a decision vanished."""
    wanted = {log for log, label in corpus.labels.by_log.items() if label.points}
    wanted |= {change.row.log for change in changes if change.after is None}
    return {log.key: find_spots(log) for log in corpus.logs.logs if log.key in wanted}


def _seqs(
    changes: Iterable[Change],
    decisions: Iterable[Decision],
    spots: dict[str, dict[Spot, int]],
) -> dict[str, int]:
    spoken = {
        (d.log, d.lifecycle, d.guard, d.call if d.stream is None else d.stream): d.seq
        for d in decisions
    }
    found: dict[str, int] = {}
    for change in changes:
        row = change.row
        seq = spoken.get((row.log, row.lifecycle, row.guard, row.ordinal))
        if seq is None:
            seq = spots.get(row.log, {}).get((row.lifecycle, row.kind, row.ordinal))
        if seq is not None:
            found[change.id] = seq
    return found


def _coverage_fell(manifest: Manifest, before: Baseline, now: Baseline) -> list[str]:
    """Where less could be read than the baseline says, or than ``min_coverage`` asks for."""
    fell = _below_minimum(manifest, now)
    then, here = before.coverage, now.coverage
    if here.whole * then.found < then.whole * here.found:
        fell.append(
            f"{here.whole} of {here.found} logs were read whole, {then.whole} of {then.found} "
            "when the baseline was written"
        )
    if before.corpus == now.corpus:
        if here.lines < then.lines:
            fell.append(f"{here.lines} lines were read, {then.lines} then")
        if here.skipped_lines > then.skipped_lines:
            fell.append(f"{here.skipped_lines} lines were not known, {then.skipped_lines} then")
    return fell


def _below_minimum(manifest: Manifest, now: Baseline) -> list[str]:
    minimum, here = manifest.min_coverage, now.coverage
    if minimum is None or 100 * here.whole >= minimum * here.found:
        return []
    return [
        f"{here.whole} of {here.found} logs were read whole, less than the {minimum:g}% of "
        "min_coverage"
    ]


def _remarks(before: Baseline, now: Baseline) -> list[str]:
    remarks: list[str] = []
    if before.engine != __version__:
        remarks.append(
            f"the baseline was written by dsh-calibrate {before.engine}, this is {__version__}"
        )
    if dict(before.plugin_versions) != dict(now.plugin_versions):
        remarks.append(
            f"plugin versions are {_pairs(now)}, the baseline was written with {_pairs(before)}"
        )
    other = [g for g, digest in now.settings.items() if before.settings.get(g) != digest]
    if other:
        remarks.append(f"settings of {', '.join(other)} are not those of the baseline")
    if before.corpus != now.corpus:
        remarks.append("the logs listed are not those of the baseline")
    return remarks


def _pairs(baseline: Baseline) -> str:
    return ", ".join(f"{guard}={version}" for guard, version in baseline.plugin_versions.items())
