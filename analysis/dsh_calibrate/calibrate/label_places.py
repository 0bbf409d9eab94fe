"""Places that labels point at and their logs do not have: a typo must not look healthy."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from dsh_calibrate.corpora.labels import Labels, Point
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.wording import counted

_TABLES = {"call": "calls", "stream": "streams"}


def missing_places(facts: Facts, labels: Labels, guards: tuple[str, ...]) -> list[str]:
    """One line for every ``[[label.at]]`` whose call or stream its log does not have.

    Only what was measured for ``guards`` is looked up: calls for the tool guards, streams
    for rlg; and only logs that were read whole, since others may hold it further on.
    """
    whole = {log for log, seen in facts.coverages().items() if seen.status in ("read", "no_calls")}
    asked = [
        (log, point)
        for log, label in sorted(labels.by_log.items())
        if log in whole
        for point in label.points
        if point.guard in guards
    ]
    return list(_missing(facts, asked)) if asked else []


def _missing(facts: Facts, asked: list[tuple[str, Point]]) -> Iterator[str]:
    logs = sorted({log for log, _ in asked})
    counts: dict[str, dict[tuple[str, int], int]] = {}
    for kind in sorted({point.kind for _, point in asked}):
        rows = (
            facts.scan(_TABLES[kind])
            .filter(pl.col("log").is_in(logs))
            .group_by("log", "lifecycle")
            .agg((pl.col(kind).max() + 1).alias("count"))
            .collect()
        )
        counts[kind] = {(log, cycle): count for log, cycle, count in rows.iter_rows()}
    for log, point in asked:
        has = counts[point.kind].get((log, point.lifecycle), 0)
        if point.ordinal >= has:
            yield (
                f"{log}: label.at {point.guard}: there is no {point.kind} {point.ordinal} in "
                f"lifecycle {point.lifecycle}, which has {counted(has, point.kind)} (from 0): "
                "correct the label"
            )
