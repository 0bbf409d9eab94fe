"""Outcomes read off stored facts, wherever no threshold feeds back (design.md, principle 5).

For every configuration of a guard, a log is either decided by its facts alone, through the
very function that the guard calls, or it is named: a call reaches a gate there (what is
stopped no longer counts), or the recording may hold the same advice (only the replay knows).
Those logs are replayed again, and only those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from dsh_calibrate.calibrate.sweeping_outcomes import SessionOutcome, Spoken, outcome_of
from dsh_calibrate.facts.limits import HashedLimits, fingerprint_id
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.guards.call_identity import MEASURE
from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.guards.repeat_tool_breaker.stages import (
    Thresholds,
    failure_advisory,
    rank_of,
    reached,
)

Found = dict[str, "SessionOutcome | None"]
"""Outcomes by log; ``None``: replay it. Logs in which nothing happens are left out."""

Windows = Mapping[tuple[str, int], Sequence[tuple[int, int]]]
"""Per log and lifecycle: the lines (after, before) between which recorded advice belongs."""


def notice_windows(facts: Facts, guard: str) -> Windows:
    """Where the recording holds advice of ``guard``."""
    found: dict[tuple[str, int], list[tuple[int, int]]] = {}
    rows = facts.scan("notices").filter(pl.col("guard") == guard)
    for log, lifecycle, since, line in (
        rows.select("log", "lifecycle", "since_line", "line").collect().iter_rows()
    ):
        found.setdefault((log, lifecycle), []).append((since, line))
    return found


class BreakerFacts:
    """repeat-tool-breaker: calls that reach anything under any of ``configs``.

    The configurations are alike in all that facts hang on. ``enforce``: the shell-HTTP
    block stops calls, so a log with a refused call is replayed.
    """

    def __init__(self, facts: Facts, configs: Sequence[BreakerConfig], *, enforce: bool) -> None:
        self._windows = notice_windows(facts, "rtb")
        self._refused: set[str] = set()
        if enforce:
            refused = facts.scan("calls").filter(pl.col("refused") & pl.col("dispatched"))
            self._refused = set(refused.select("log").unique().collect()["log"])
        whole = {key for config in configs for key in config.limits if ":" in key}
        self._whole = {fingerprint_id(key) for key in whole}
        self._vectors: dict[tuple[Any, ...], int] = {}
        self._rows: dict[str, list[tuple[int, int, int, int | None, bool]]] = {}
        for row in _interesting(facts, configs).iter_rows():
            log, lifecycle, call, line, sub, measures, fps, nexts, streaks, after = row
            named = tuple(fp if fp in self._whole else "" for fp in fps)
            vector = (tuple(measures), named, tuple(nexts), tuple(streaks), tuple(after))
            number = self._vectors.setdefault(vector, len(self._vectors))
            self._rows.setdefault(log, []).append((number, lifecycle, call, line, sub))

    def outcomes(self, config: BreakerConfig) -> Found:
        """What ``config`` makes of every log that is not silent under it."""
        judge = _judge(config)
        verdicts = [judge(vector) for vector in self._vectors]
        found: Found = dict.fromkeys(self._refused)
        for log, rows in self._rows.items():
            if log in found:
                continue
            spoken: list[tuple[int, int, int, str, str, int]] = []
            for number, lifecycle, call, line, sub in rows:
                stops, advice = verdicts[number]
                if stops:
                    found[log] = None
                    break
                if line is not None and not sub:
                    for order, (stage, measure) in advice:
                        spoken.append((line, order, call, stage, measure, lifecycle))
            else:
                if spoken:
                    found[log] = _advised(log, spoken, self._windows)
        return found


def _interesting(facts: Facts, configs: Sequence[BreakerConfig]) -> pl.DataFrame:
    """Calls of which some measure reaches the lowest threshold of all, with their vectors."""
    lowest = [t for c in configs for t in (c.warn_at, c.summarize_at) if t is not None]
    lowest_cap = [cap for c in configs for cap in c.limits.values() if cap is not None]
    fail_limits = [c.fail_limit for c in configs if c.fail_limit is not None]
    fail_warns = [c.fail_warn_at for c in configs if c.fail_warn_at is not None]
    reaches = pl.lit(False)
    for column, least in (
        ("next", [*lowest, *lowest_cap]),
        ("streak", fail_limits),
        ("streak_after", fail_warns),
    ):
        if least:
            reaches = reaches | (pl.col(column) >= min(least)).fill_null(False)
    key = ["log", "lifecycle", "call"]
    measures = facts.scan("measures")
    kinds = sorted({k for c in configs for k, cap in c.limits.items() if cap is not None})
    capped = pl.col("measure").is_in(sorted({kind.partition(":")[0] for kind in kinds}))
    calls = measures.filter(capped & reaches).select(key).unique()
    lists = (
        measures.filter(capped)
        .join(calls, on=key, how="semi", maintain_order="left")
        .group_by(key, maintain_order=True)
        .agg("measure", "fp", "next", "streak", "streak_after")
    )
    where = facts.scan("calls").select(*key, "result_line", "sub")
    return (
        lists.join(where, on=key, how="inner", maintain_order="left")
        .select(*key, "result_line", "sub", "measure", "fp", "next", "streak", "streak_after")
        .collect()
    )


Advice = tuple[tuple[int, tuple[str, str]], ...]


def _judge(config: BreakerConfig) -> Callable[[tuple[Any, ...]], tuple[bool, Advice]]:
    """The decision about one vector: whether it is stopped, and what its result says."""
    limits = HashedLimits(config.limits)
    thresholds = Thresholds(
        warn_at=config.warn_at,
        summarize_at=config.summarize_at,
        fail_warn_at=config.fail_warn_at,
        fail_limit=config.fail_limit,
    )

    def judged(vector: tuple[Any, ...]) -> tuple[bool, Advice]:
        measures, fps, nexts, streaks, after = vector
        caps = [limits.cap(m, fp) for m, fp in zip(measures, fps, strict=True)]
        ranks = [rank_of(measure) for measure in measures]
        found = reached(nexts, streaks, caps, ranks, thresholds)
        if found.hits:
            return True, ()
        advice: list[tuple[int, tuple[str, str]]] = []
        settled = [streak or 0 for streak in after]
        named = failure_advisory(settled, caps, ranks, config.fail_warn_at)
        if named is not None:
            advice.append((0, ("failure", measures[named])))
        if found.advisory is not None:
            stage, position = found.advisory
            advice.append((1, (stage, measures[position])))
        return False, tuple(advice)

    return judged


class CircuitFacts:
    """tool-failure-circuit-breaker: silent below ``maxFailures``, else replayed."""

    def __init__(self, facts: Facts) -> None:
        chains = facts.scan("calls").group_by("log").agg(pl.max("tfb_chain")).collect()
        self._longest = {log: chain or 0 for log, chain in chains.iter_rows()}

    def outcomes(self, config: CircuitBreakerConfig) -> Found:
        """The logs in which a call is denied."""
        return {
            log: None for log, longest in self._longest.items() if longest >= config.max_failures
        }


class ReminderFacts:
    """repeat-tool-reminder: nothing feeds back."""

    def __init__(self, facts: Facts, configs: Sequence[ReminderConfig]) -> None:
        self._windows = notice_windows(facts, "rtr")
        wanted = sorted({n for config in configs for n in config.thresholds})
        rows = (
            facts.scan("calls")
            .filter(pl.col("rtr_run").is_in(wanted) & ~pl.col("sub"))
            .select("log", "lifecycle", "call", "result_line", "rtr_run")
            .collect()
        )
        self._rows: dict[str, list[tuple[int, int, int, int]]] = {}
        for log, lifecycle, call, line, run in rows.iter_rows():
            self._rows.setdefault(log, []).append((lifecycle, call, line, run))

    def outcomes(self, config: ReminderConfig) -> Found:
        """What ``config`` makes of every log in which it reminds."""
        found: Found = {}
        for log, rows in self._rows.items():
            spoken = [
                (line, 1, call, str(run), MEASURE, lifecycle)
                for lifecycle, call, line, run in rows
                if run in config.thresholds
            ]
            if spoken:
                found[log] = _advised(log, spoken, self._windows)
        return found


def _advised(
    log: str, spoken: list[tuple[int, int, int, str, str, int]], windows: Windows
) -> SessionOutcome | None:
    """Advice in the order of its lines; ``None`` when the recording may hold some of it.

    Without a match the first advice of a lifecycle is exact and nothing behind it.
    """
    spoken.sort(key=lambda one: (one[5], one[0], one[1], one[2]))
    heard: list[Spoken] = []
    last = -1
    for line, _, call, stage, measure, lifecycle in spoken:
        for since, before in windows.get((log, lifecycle), ()):
            if since < line < before:
                return None
        heard.append(
            Spoken(line, lifecycle, call, "advise", stage, measure, True, lifecycle != last)
        )
        last = lifecycle
    return outcome_of(heard)
