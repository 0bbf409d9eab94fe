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

    ``lowest_positive`` is the lowest peak ÷ threshold (1 and more: it holds) of reasoning
    that ought to fire and comes closest to this very rule; ``highest_negative`` the highest
    of reasoning that ought not; ``None`` without such labels.
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
    keys = list(THRESHOLDS)
    thresholds = {key: float(getattr(config, FIELDS[key])) for key in keys}
    curves = frame.with_columns(pl.col(key).cast(pl.Float64) for key in keys)
    frame = curves.with_columns(pl.col(key).fill_null(0) for key in keys)
    positives, negatives = _units(frame, labels)
    lowest = _lowest_positives(positives, thresholds)
    return tuple(
        Closeness(
            key=key,
            rule=rule,
            threshold=thresholds[key],
            peak=max(frame[key], default=0.0),
            lowest_positive=lowest.get(key),
            highest_negative=max(
                (_ratio(unit[key], thresholds[key]) for unit in negatives), default=None
            ),
            curve=_curve(curves.select("log", key).drop_nulls(key), key, thresholds[key]),
        )
        for key, rule in THRESHOLDS.items()
    )


Unit = Mapping[str, float]
"""Peaks of one stream, or of all streams of a log, by threshold."""


def _units(frame: pl.DataFrame, labels: Labels | None) -> tuple[list[Unit], list[Unit]]:
    """What ought to fire and what ought not.

    Streams that a label points at are judged one by one; beside them a healthy session as
    a whole, and a stuck one where no label points at any stream of the corpus.
    """
    if labels is None:
        return [], []
    pointed: dict[tuple[str, int, int], bool] = {
        (log, point.lifecycle, point.ordinal): point.expect in ("expect", "known-miss")
        for log, label in labels.by_log.items()
        for point in label.points
        if point.guard == "rlg"
    }
    positives: list[Unit] = []
    negatives: list[Unit] = []
    whole: dict[str, dict[str, float]] = {}
    for row in frame.iter_rows(named=True):
        peaks = {key: row[key] for key in THRESHOLDS}
        is_positive = pointed.get((row["log"], row["lifecycle"], row["stream"]))
        if is_positive is not None:
            (positives if is_positive else negatives).append(peaks)
            continue
        top = whole.setdefault(row["log"], peaks)
        top.update({key: max(top[key], peak) for key, peak in peaks.items()})
    for log, top in whole.items():
        label = labels.get(log)
        if label is not None and label.outcome == "healthy":
            negatives.append(top)
        elif label is not None and label.outcome == "stuck" and not any(pointed.values()):
            positives.append(top)
    return positives, negatives


def _lowest_positives(units: Sequence[Unit], thresholds: Mapping[str, float]) -> dict[str, float]:
    """Per threshold the lowest ratio of those units for which its rule comes closest."""
    found: dict[str, float] = {}
    for unit in units:
        ratios = {key: _ratio(unit[key], thresholds[key]) for key in THRESHOLDS}
        by_rule: dict[str, float] = {}
        for key, rule in THRESHOLDS.items():
            by_rule[rule] = min(by_rule.get(rule, ratios[key]), ratios[key])
        closest = max(by_rule.values())
        for key, rule in THRESHOLDS.items():
            if by_rule[rule] == closest:
                found[key] = min(found.get(key, ratios[key]), ratios[key])
    return found


def _ratio(peak: float, threshold: float) -> float:
    return peak / threshold if threshold else 0.0


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
