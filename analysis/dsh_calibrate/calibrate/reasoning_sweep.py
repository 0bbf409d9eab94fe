"""How close reasoning comes to each rule: peaks, margins, and fires against each threshold.

Read off stored judgements, so past a first fire too. Each rule is looked at alone: what a
curve counts are streams in which that rule would hold at the threshold, whatever the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from dsh_calibrate.corpora.labels import Labels
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.guards.reasoning_loop.config import FIELDS, Config

THRESHOLDS: Mapping[str, str] = {
    "minUnits": "periodic-run",
    "blockCount": "block-repeat",
    "lineCount": "line-repeat",
    "lineShare": "line-repeat",
    "kgramThreshold": "kgram-repeat",
    "fillerRun": "filler-run",
}
"""Thresholds that do not feed back, each with its rule."""

_MOST_POINTS = 40


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """At threshold ``value`` the rule would hold in ``streams`` streams of ``sessions`` logs."""

    value: float
    streams: int
    sessions: int


@dataclass(frozen=True, slots=True)
class Closeness:
    """One threshold: the highest figure of the corpus, margins, the curve.

    ``lowest_positive`` is the lowest peak of a stuck session ÷ threshold (1 and more: it
    holds), ``highest_negative`` the highest of a healthy one; ``None`` without such labels.
    """

    key: str
    rule: str
    threshold: float
    peak: float
    lowest_positive: float | None
    highest_negative: float | None
    curve: tuple[CurvePoint, ...]


def closeness(
    facts: Facts, config: Config, logs: Sequence[str], labels: Labels | None
) -> tuple[Closeness, ...]:
    """Every threshold over the streams of ``logs``; ``config`` is what was measured."""
    frame = (
        facts.scan("judgements")
        .filter(pl.col("log").is_in(list(logs)))
        .group_by("log", "lifecycle", "stream")
        .agg(**_figures(config))
        .sort("log", "lifecycle", "stream")
        .collect()
    )
    outcomes = {log: label.outcome for log, label in labels.by_log.items()} if labels else {}
    found = []
    for key, rule in THRESHOLDS.items():
        threshold = float(getattr(config, FIELDS[key]))
        peaks = frame.select("log", pl.col(key).fill_null(0).cast(pl.Float64))
        by_log = dict(peaks.group_by("log", maintain_order=True).max().iter_rows())
        ratios = {log: peak / threshold if threshold else 0.0 for log, peak in by_log.items()}
        positive = [r for log, r in ratios.items() if outcomes.get(log) == "stuck"]
        negative = [r for log, r in ratios.items() if outcomes.get(log) == "healthy"]
        found.append(
            Closeness(
                key=key,
                rule=rule,
                threshold=threshold,
                peak=max(by_log.values(), default=0.0),
                lowest_positive=min(positive, default=None),
                highest_negative=max(negative, default=None),
                curve=_curve(peaks, key, threshold),
            )
        )
    return tuple(found)


def _figures(config: Config) -> dict[str, pl.Expr]:
    """Per stream the highest threshold under which each rule would hold, by README key."""
    enough = pl.col("stripped_utf16") // config.block_min
    shared = pl.col("line_share") >= config.line_share
    counted = pl.col("line_count") >= config.line_count
    return {
        "minUnits": pl.col("units").max(),
        "blockCount": pl.min_horizontal("block_count", enough).max(),
        "lineCount": pl.col("line_count").filter(shared).max(),
        "lineShare": pl.col("line_share").filter(counted).max(),
        "kgramThreshold": pl.col("kgram_count").max(),
        "fillerRun": pl.col("filler_run").max(),
    }


def _curve(peaks: pl.DataFrame, key: str, threshold: float) -> tuple[CurvePoint, ...]:
    least = 0.0 if key == "lineShare" else 2.0
    values = sorted({v for v in peaks[key] if v >= least} | {threshold})
    if len(values) > _MOST_POINTS:
        step = len(values) / _MOST_POINTS
        values = sorted({values[int(k * step)] for k in range(_MOST_POINTS)} | {threshold})
    points = []
    for value in values:
        holding = peaks.filter(pl.col(key) >= value)
        points.append(CurvePoint(value, holding.height, holding["log"].n_unique()))
    return tuple(points)
