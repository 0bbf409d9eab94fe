"""Everything a report is made of, measured before the first word is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from dsh_calibrate.calibrate.blind_spots import BlindSpot
from dsh_calibrate.calibrate.deriving import Derivation
from dsh_calibrate.calibrate.reachability import Dead, Period
from dsh_calibrate.calibrate.reasoning_sweep import Closeness
from dsh_calibrate.calibrate.sweeping import Sweep
from dsh_calibrate.corpora.labels import Labels
from dsh_calibrate.logs.coverage import Coverage
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.settings import Settings
from dsh_calibrate.replay.summary import Summary
from dsh_calibrate.reports.sections.shown import Shown
from dsh_calibrate.studies.allowlist_candidates import VerbCandidate
from dsh_calibrate.studies.allowlist_scan import AllowlistScan
from dsh_calibrate.studies.failure_study import FailureStudy
from dsh_calibrate.studies.timeline import Timeline


@dataclass(frozen=True, slots=True)
class Answer:
    """A derivation in words: the answer, what would change it, the patch file."""

    derivation: Derivation
    line: str
    changing: tuple[str, ...]
    steps: tuple[str, ...]
    patch: str


@dataclass(frozen=True, slots=True)
class Material:
    """What was measured; ``None`` where a guard is not selected or labels are missing.

    ``grid`` sweeps ``warnAt`` (``warns``) against the tied caps (``caps``), set 0 being what
    is in force and set ``1 + k`` the ``k``-th pair in :attr:`pairs`. ``pieces`` sweeps piece
    sizes (``sizes``). ``peaks`` is the frame of :meth:`.Facts.peaks`, ``shares`` holds log,
    lifecycle, stream, at_utf16, line_share of judge points. ``reasoned`` says how far
    reasoning was read.
    """

    title: str
    settings: Settings
    plan: Plan
    summary: Summary
    coverage: Coverage
    corpus_digest: str
    head: Mapping[str, object]
    shown: Shown
    labels: Labels | None
    spots: tuple[BlindSpot, ...]
    spots_of: str
    sessions: int
    peaks: pl.DataFrame
    shares: pl.DataFrame
    grid: Sweep | None
    pairs: tuple[tuple[int, float], ...]
    dead: Mapping[int, tuple[Dead, ...]]
    periods: tuple[Period, ...]
    closeness: tuple[Closeness, ...]
    pieces: Sweep | None
    sizes: tuple[int, ...]
    failures: FailureStudy | None
    allowlist: AllowlistScan | None
    verbs: tuple[VerbCandidate, ...]
    timeline: Timeline | None
    answer: Answer | None
    no_answer: str

    def outcome(self, log: str) -> str:
        """The label of a log, ``unlabelled`` without one."""
        label = self.labels.get(log) if self.labels is not None else None
        return "unlabelled" if label is None else label.outcome
