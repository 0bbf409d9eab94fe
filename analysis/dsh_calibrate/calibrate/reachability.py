"""Stages and thresholds that can never be reached, each with the reason.

Seeds (README, "A stage above a cap can never speak"), cases.md C01: a window of W calls holds
at most ``floor(W / period)`` of one call that returns every ``period`` calls, so its count ends
at ``floor(W / period) + 1``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.wording import counted

MIN_RETURNS = 5
"""Occurrences at equal distance that make a period."""


@dataclass(frozen=True, slots=True)
class Dead:
    """A threshold that nothing, or nothing of some measures, can reach."""

    key: str
    value: float
    reason: str

    def __str__(self) -> str:
        return f"{self.key}={self.value:g}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Period:
    """Measures of kinds ``measures`` came back every ``period`` calls in ``sessions`` logs."""

    period: int
    sessions: int
    measures: tuple[str, ...]

    def ceiling(self, window: int) -> int:
        """The highest count that such a loop can show."""
        return window // self.period + 1


def dead(
    one: CandidateSet, guards: Sequence[str], periods: Sequence[Period] = ()
) -> tuple[Dead, ...]:
    """What is out of reach under one set, in a fixed order."""
    found: list[Dead] = []
    if "rtb" in guards:
        found += _breaker(one.rtb)
        found += _loops(one.rtb, periods)
    if "rlg" in guards:
        found += _reasoning(one.rlg)
    return tuple(found)


def _breaker(config: BreakerConfig) -> list[Dead]:
    caps = {kind: cap for kind, cap in config.limits.items() if cap is not None}
    most = config.window + 1
    above = f"above window + 1 ({most}), no count goes higher"
    found: list[Dead] = []
    for key, stage in (("warnAt", config.warn_at), ("summarizeAt", config.summarize_at)):
        if stage is None:
            continue
        name = f"rtb.{key}"
        if stage > most:
            found.append(Dead(name, stage, above))
            continue
        silent = _by_cap({kind: cap for kind, cap in caps.items() if stage >= cap})
        if silent:
            every = len([kind for kind in caps if stage < caps[kind]]) == 0
            what = "at or above every cap" if every else "at or above the lowest cap"
            found.append(Dead(name, stage, f"{what}, the gate comes first: {silent}"))
    if config.warn_at is not None and config.warn_at == config.summarize_at:
        found.append(Dead("rtb.warnAt", config.warn_at, "summarizeAt is the same and speaks"))
    found += [
        Dead(f"rtb.limits.{kind}", cap, above) for kind, cap in sorted(caps.items()) if cap > most
    ]
    limit, warn = config.fail_limit, config.fail_warn_at
    if warn is not None and limit is not None and warn > math.ceil(limit):
        reason = f"above failLimit ({limit:g}), only failures of parallel calls get there"
        found.append(Dead("rtb.failWarnAt", warn, reason))
    return found


def _by_cap(caps: Mapping[str, float]) -> str:
    groups: dict[float, list[str]] = {}
    for kind, cap in caps.items():
        groups.setdefault(cap, []).append(kind)
    return "; ".join(f"{', '.join(groups[cap])} at {cap:g}" for cap in sorted(groups))


def _loops(config: BreakerConfig, periods: Sequence[Period]) -> list[Dead]:
    found: list[Dead] = []
    named = [("rtb.warnAt", config.warn_at, None), ("rtb.summarizeAt", config.summarize_at, None)]
    thresholds: list[tuple[str, float | None, str | None]] = [
        *named,
        *((f"rtb.limits.{kind}", cap, kind) for kind, cap in sorted(config.limits.items())),
    ]
    for name, value, kind in thresholds:
        for period in periods:
            ceiling = period.ceiling(config.window)
            concerns = kind is None or kind.partition(":")[0] in period.measures
            if value is None or not concerns or not ceiling < value <= config.window + 1:
                continue
            found.append(
                Dead(
                    name,
                    value,
                    f"out of reach of loops with period {period.period}, seen in "
                    f"{counted(period.sessions, 'session')}: their count ends at "
                    f"floor({config.window}/"
                    f"{period.period})+1 = {ceiling}",
                )
            )
    return found


def _reasoning(config: ReasoningLoopConfig) -> list[Dead]:
    units = config.period_tail // config.min_period
    lines = config.window // config.line_min
    grams = config.window - config.kgram + 1
    rules = (
        ("minUnits", config.min_units, units, "periodTail / minPeriod"),
        ("lineCount", config.line_count, lines, "window / lineMin"),
        ("kgramThreshold", config.kgram_threshold, grams, "window - kgram + 1"),
        ("fillerRun", config.filler_run, config.window, "window"),
    )
    return [
        Dead(f"rlg.{key}", value, f"above {most}, the most that fits ({what})")
        for key, value, most, what in rules
        if value > most
    ]


def observed_periods(facts: Facts) -> tuple[Period, ...]:
    """Periods of 2 and more with which measures came back in the corpus, sorted.

    A period counts where one fingerprint stands at the same distance (in calls that push a
    record) :data:`MIN_RETURNS` times running, with no human message between.
    """
    place = ["log", "lifecycle", "resets"]
    calls = (
        facts.scan("calls")
        .filter(pl.col("rtb_tracked") & (pl.col("measures") > 0))
        .select("log", "lifecycle", "call", "resets")
        .with_columns(pl.int_range(pl.len()).over(place).alias("at"))
    )
    often = facts.scan("measures").filter(pl.col("next") >= 3).select("log", "fp").unique()
    rows = (
        facts.scan("measures")
        .select("log", "lifecycle", "call", "measure", "fp")
        .join(often, on=["log", "fp"], how="semi")
        .join(calls, on=["log", "lifecycle", "call"], how="inner")
        .sort(*place, "fp", "at")
        .with_columns(pl.col("at").diff().over([*place, "fp"]).alias("distance"))
        .filter(pl.col("distance").is_not_null())
        .group_by([*place, "fp", "measure"], maintain_order=True)
        .agg("distance")
        .collect()
    )
    logs: dict[int, set[str]] = {}
    kinds: dict[int, set[str]] = {}
    for log, measure, distances in rows.select("log", "measure", "distance").iter_rows():
        for period in _steady(distances):
            logs.setdefault(period, set()).add(log)
            kinds.setdefault(period, set()).add(measure)
    return tuple(
        Period(period, len(logs[period]), tuple(sorted(kinds[period])))
        for period in sorted(logs)
        if period > 1
    )


def _steady(distances: Sequence[int]) -> set[int]:
    found: set[int] = set()
    run, last = 0, 0
    for distance in distances:
        run = run + 1 if distance == last else 1
        last = distance
        if run >= MIN_RETURNS - 1:
            found.add(distance)
    return found
