"""``baseline.jsonl``: what the guards did on a corpus when somebody last looked and agreed.

One line a decision (contract.md 6), without clock, seq or any text of a log: a fingerprint
stands there as 16 hex digits of its BLAKE2b. The first line says under which engine and
settings the rest was made, and vouches for it (:mod:`~dsh_calibrate.corpora.baseline_file`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from dsh_calibrate import __version__
from dsh_calibrate.logs.coverage import Coverage
from dsh_calibrate.replay.decision import Decision, ReasoningFigures
from dsh_calibrate.replay.outcome import LogOutcome

SCHEMA = 1
"""Raised when a key changes its meaning; a baseline of another schema is refused."""

Kind = Literal["call", "stream"]
PlaceKey = tuple[str, int, Kind, int, str]
"""Where a decision is: log, lifecycle, call or stream, its ordinal, guard."""


class Row(msgspec.Struct, frozen=True):
    """One decision as the baseline keeps it.

    ``kind`` and ``ordinal`` say which call or stream of the lifecycle; ``measure`` is the
    credited measure (of a refusal of the shell-HTTP block: its kind); ``fp`` stands for
    the fingerprint, or for the figures of a reasoning verdict; ``count`` and ``threshold``
    are in calls (rlg: in what the rule counts).
    """

    log: str
    lifecycle: int
    kind: Kind
    ordinal: int
    guard: str
    verdict: str
    stage: str
    measure: str | None = None
    fp: str | None = None
    count: int | None = None
    threshold: int | float | None = None

    @property
    def place(self) -> PlaceKey:
        """What two rows about the same thing share."""
        return self.log, self.lifecycle, self.kind, self.ordinal, self.guard

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Rows are sorted by place, then by what was said."""
        said = (self.verdict, self.stage, self.measure or "", self.fp or "")
        return *self.place, *said, self.count or 0, self.threshold or 0


@dataclass(frozen=True, slots=True)
class BaselineCoverage:
    """How much of the corpus was read: logs found, logs read whole, lines, skipped lines."""

    found: int = 0
    whole: int = 0
    lines: int = 0
    skipped_lines: int = 0


@dataclass(frozen=True, slots=True)
class Baseline:
    """The decisions of a corpus and what they were made with.

    ``engine`` is the version of dsh-calibrate, ``settings`` one digest a guard of the
    settings in force, ``corpus`` the digest of the logs. ``rows`` are sorted.
    """

    engine: str
    plugin_versions: Mapping[str, str]
    settings: Mapping[str, str]
    corpus: str
    coverage: BaselineCoverage
    rows: tuple[Row, ...] = ()


def short_digest(text: str) -> str:
    """16 hex digits of the BLAKE2b of ``text``."""
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=8).hexdigest()


def make_baseline(
    outcomes: Sequence[LogOutcome],
    *,
    plugin_versions: Mapping[str, str],
    settings: Mapping[str, object],
    corpus: str,
    coverage: Coverage,
) -> Baseline:
    """The baseline of a replay; ``settings`` is ``Settings.as_json()``."""
    return Baseline(
        engine=__version__,
        plugin_versions=dict(plugin_versions),
        settings={g: short_digest(json.dumps(s, sort_keys=True)) for g, s in settings.items()},
        corpus=corpus,
        coverage=BaselineCoverage(
            found=coverage.found,
            whole=coverage.read + coverage.no_calls + coverage.empty,
            lines=coverage.lines,
            skipped_lines=coverage.skipped_lines,
        ),
        rows=sorted_rows(row_of(d) for outcome in outcomes for d in outcome.decisions),
    )


def sorted_rows(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Rows in the order of the file."""
    return tuple(sorted(rows, key=lambda row: row.sort_key))


def row_of(decision: Decision) -> Row:
    """A decision as the baseline keeps it: no seq, no time, no text."""
    kind: Kind = "call" if decision.stream is None else "stream"
    ordinal = decision.call if decision.stream is None else decision.stream
    assert ordinal is not None
    measure, fp, count, threshold = _figures(decision)
    return Row(
        log=decision.log,
        lifecycle=decision.lifecycle,
        kind=kind,
        ordinal=ordinal,
        guard=decision.guard,
        verdict=decision.verdict,
        stage=decision.stage,
        measure=measure,
        fp=fp,
        count=count,
        threshold=threshold,
    )


def _figures(
    decision: Decision,
) -> tuple[str | None, str | None, int | None, int | float | None]:
    if decision.reasoning is not None:
        return _reasoning(decision.reasoning)
    if not decision.hits:
        return decision.shell_http, None, None, None
    hit = decision.hits[0]
    whole = hit.threshold == int(hit.threshold)
    return (
        hit.measure,
        short_digest(hit.fingerprint),
        hit.count,
        int(hit.threshold) if whole else hit.threshold,
    )


def _reasoning(
    figures: ReasoningFigures,
) -> tuple[str | None, str | None, int | None, int | float | None]:
    """A verdict about reasoning: its figures are hashed, the preview is nowhere."""
    names = ("at_utf16", "units", "period", "count", "block_len", "line_len", "share")
    parts = [f"{name}={getattr(figures, name)}" for name in names]
    count = figures.units if figures.count is None else figures.count
    return None, short_digest(" ".join(parts)), count, None
