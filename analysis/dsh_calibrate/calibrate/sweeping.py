"""Sweeps: what many sets of settings would have done in the same sessions.

::

    rows = {g: s.row for g, s in settings.guards.items()}        # replay.settings.Settings
    sets = grid([parse_axis("rtb.warnAt=3..9")], rows, settings.profile)   # candidates, ranges
    sets = from_file(Path("candidates.yaml"), rows, settings.profile)      # or from a file
    sets = [in_force(rows, settings.profile), *sets]
    with measure_for(logs, sets, ("rtb",), How(), cache=cache) as facts:   # one pass, or cached
        found = sweep(facts, logs, sets, ("rtb",), How())
    found.sessions                   # SessionInfo…: log, status, model, …, tracked[guard]
    found.outcome(1, "rtb", log)     # SessionOutcome(whole: Tally, exact: Tally, first: Spoken)
    found.of_set(1, log)             # {guard: SessionOutcome}, silent guards left out

- A **candidate** (:class:`~.candidates.CandidateSet`) is a name with four complete, validated
  configurations and ``settings``, what makes it different.
- A **session outcome** holds, for the upper bound (``whole``) and its exact part (``exact``)
  alike: advisories by stage, gates, blocked calls, asks, advisories and gates by measure.
  ``first`` says at which call it was caught (``first.lifecycle``, ``first.call``).
  ``tally.is_disturbed``: at least one advisory or gate.
- Sums, intervals, labels, slices: :mod:`.sweeping_figures`. Dead stages: :mod:`.reachability`.

How: thresholds that do not feed back are held against stored facts (:mod:`.feedback_free`);
logs that reach a gate, or whose recording may hold the advice itself, are replayed again, all
settings at once (:mod:`.sweeping_replays`); so is every log for settings that facts hang on
(``window``, grid, lengths, tool patterns, piece size). The result equals a replay of every log
under every set.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.calibrate.feedback_free import (
    BreakerFacts,
    CircuitFacts,
    Found,
    ReminderFacts,
)
from dsh_calibrate.calibrate.feedback_free_reasoning import ReasoningFacts
from dsh_calibrate.calibrate.sweeping_outcomes import SILENT, SessionOutcome
from dsh_calibrate.calibrate.sweeping_replays import GuardConfig, How, Job, replay_jobs
from dsh_calibrate.facts.cache import Cache
from dsh_calibrate.facts.collecting import collect
from dsh_calibrate.facts.limits import fingerprint_id
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.facts.settings import deciding, feeding
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.plan import Plan

__all__ = ["How", "SessionInfo", "Sweep", "measure_for", "sweep"]


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One log: who it is, and how much each guard had to look at (``tracked``)."""

    log: str
    session: str | None
    status: str
    format_version: int | None
    provider: str | None
    model: str | None
    project: str | None
    preset: str | None
    tracked: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Sweep:
    """Outcomes of every set in every session.

    ``by_config[guard, key]`` holds the outcomes by log under one configuration of a guard,
    silent logs left out; ``keys[k][guard]`` is the key of set ``k``: sets alike in a guard
    share its outcomes. ``replayed`` counts logs that were replayed again.
    """

    sets: tuple[CandidateSet, ...]
    guards: tuple[str, ...]
    sessions: tuple[SessionInfo, ...]
    keys: tuple[Mapping[str, str], ...]
    by_config: Mapping[tuple[str, str], Mapping[str, SessionOutcome]] = field(repr=False)
    replayed: int = 0

    def outcome(self, number: int, guard: str, log: str) -> SessionOutcome:
        """What set ``number`` did in one session, by one guard."""
        return self.by_config[guard, self.keys[number][guard]].get(log, SILENT)

    def of_set(self, number: int, log: str) -> dict[str, SessionOutcome]:
        """What set ``number`` did in one session, silent guards left out."""
        found = ((guard, self.outcome(number, guard, log)) for guard in self.guards)
        return {guard: outcome for guard, outcome in found if outcome is not SILENT}

    def counted(self) -> tuple[SessionInfo, ...]:
        """The sessions of every rate: read whole, with something for a guard to look at."""
        return tuple(
            s
            for s in self.sessions
            if s.status == "read" and any(s.tracked.get(guard) for guard in self.guards)
        )


def measure_for(
    logs: Sequence[Log],
    sets: Sequence[CandidateSet],
    guards: Sequence[str],
    how: How,
    *,
    jobs: Jobs = None,
    cache: Cache | None = None,
    on_done: Callable[[Log], None] | None = None,
    with_models: bool = False,
) -> Facts:
    """Measure the logs once, under what most of ``sets`` have in common.

    ``with_models`` reads reasoning in any case: only it tells which model was used.
    """
    plan = Plan(salvage=how.salvage)
    configs: dict[str, Any] = {guard: _commonest(sets, guard) for guard in guards}
    if with_models and "rlg" not in configs:
        configs["rlg"] = sets[0].rlg
    plan = Plan(**configs, salvage=how.salvage)
    return collect(logs, plan, jobs=jobs, cache=cache, decisions=False, on_done=on_done)


def sweep(
    facts: Facts,
    logs: Sequence[Log],
    sets: Sequence[CandidateSet],
    guards: Sequence[str],
    how: How,
    *,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> Sweep:
    """Every set in every session; ``facts`` are those of :func:`measure_for`."""
    by_config: dict[tuple[str, str], dict[str, SessionOutcome]] = {}
    keys: list[dict[str, str]] = [{} for _ in sets]
    wanted: dict[str, dict[Job, list[tuple[str, str]]]] = {}
    for guard in guards:
        distinct: dict[str, Job] = {}
        for number, one in enumerate(sets):
            job = _job(guard, one)
            distinct.setdefault(job.key, job)
            keys[number][guard] = job.key
        measured = [j for j in distinct.values() if _is_measured(facts, guard, j, how)]
        alike = _Alike(facts) if guard == "rtb" and measured else None
        found = dict(zip((j.key for j in measured), _held(facts, measured, how), strict=True))
        for key, job in distinct.items():
            outcomes = found.get(key)
            again = [log.key for log in logs] if outcomes is None else []
            if outcomes is not None:
                again = [log for log, outcome in outcomes.items() if outcome is None]
            by_config[guard, key] = {
                log: outcome for log, outcome in (outcomes or {}).items() if outcome is not None
            }
            for log in again:
                same = job if alike is None or outcomes is None else alike.first(log, job)
                wanted.setdefault(log, {}).setdefault(same, []).append((guard, key))
    order = {log: tuple(jobs_) for log, jobs_ in wanted.items()}
    for (log, guard, key), outcome in replay_jobs(
        logs, order, how, jobs=jobs, on_done=on_done
    ).items():
        if outcome == SILENT:
            continue
        for job, askers in wanted[log].items():
            if job.guard == guard and job.key == key:
                for asker in askers:
                    by_config[asker][log] = outcome
    return Sweep(
        sets=tuple(sets),
        guards=tuple(guards),
        sessions=sessions_of(facts),
        keys=tuple(keys),
        by_config=by_config,
        replayed=len(wanted),
    )


def sessions_of(facts: Facts) -> tuple[SessionInfo, ...]:
    """All measured logs, in order."""
    rows = facts.frame("logs").iter_rows(named=True)
    return tuple(
        SessionInfo(
            log=row["log"],
            session=row["session"],
            status=row["status"],
            format_version=row["version"],
            provider=row["provider"],
            model=row["model"],
            project=row["project"],
            preset=row["agent_preset"],
            tracked={
                "rtb": row["rtb_tracked"] or 0,
                "tfb": row["tfb_tracked"] or 0,
                "rtr": row["rtr_tracked"] or 0,
                "rlg": row["streams"] or 0,
            },
        )
        for row in rows
    )


def _held(facts: Facts, jobs: Sequence[Job], how: How) -> list[Found]:
    """The outcomes of configurations of one guard that share the measured facts."""
    if not jobs:
        return []
    configs: Any = [job.config for job in jobs]
    held: Any
    match jobs[0].guard:
        case "rtb":
            held = BreakerFacts(facts, configs, enforce=how.shell_http == "enforce")
        case "tfb":
            held = CircuitFacts(facts)
        case "rtr":
            held = ReminderFacts(facts, configs)
        case _:
            held = ReasoningFacts(facts, configs)
    return [held.outcomes(config) for config in configs]


def _config(one: CandidateSet, guard: str) -> GuardConfig:
    config: GuardConfig = getattr(one, guard)
    return config


def _job(guard: str, one: CandidateSet) -> Job:
    config: Any = _config(one, guard)
    pieces = one.pieces if guard == "rlg" else None
    key = json.dumps([deciding(Plan(**{guard: config}))[guard], pieces], sort_keys=True)
    return Job(guard, key, config, pieces)


def _shape(guard: str, config: Any) -> Any:
    return feeding(Plan(**{guard: config}))[guard]


def _commonest(sets: Sequence[CandidateSet], guard: str) -> GuardConfig:
    """A configuration of the shape that most sets have; of equals the first."""
    shapes = [json.dumps(_shape(guard, _config(one, guard)), sort_keys=True) for one in sets]
    counts = Counter(shapes)
    best = max(counts, key=lambda shape: counts[shape])
    return _config(sets[shapes.index(best)], guard)


def _is_measured(facts: Facts, guard: str, job: Job, how: How) -> bool:
    if job.pieces is not None or facts.manifest.feeding["salvage"] != how.salvage:
        return False
    return bool(facts.manifest.feeding[guard] == _shape(guard, job.config))


class _Alike:
    """Which configurations of the breaker cannot differ in a log: it is replayed once.

    A cap on a kind that the log does not hold decides nothing there; without a failure
    nor do the thresholds on failures.
    """

    def __init__(self, facts: Facts) -> None:
        kinds = facts.scan("measures").group_by("log").agg(pl.col("measure").unique()).collect()
        self._kinds: dict[str, set[str]] = {log: set(found) for log, found in kinds.iter_rows()}
        failed = facts.scan("results").filter(pl.col("failure").is_not_null())
        self._failed = set(failed.select("log").unique().collect()["log"])
        prints = facts.scan("fingerprints").filter(pl.col("measure").is_in(["family", "verb"]))
        self._whole = set(prints.select("log", "fp").collect().iter_rows())
        self._first: dict[tuple[Any, ...], Job] = {}

    def first(self, log: str, job: Job) -> Job:
        """The first job met that does the same in ``log`` as ``job``."""
        config = job.config
        assert isinstance(config, BreakerConfig)
        kinds = self._kinds.get(log, set())
        caps = tuple(
            (key, cap)
            for key, cap in sorted(config.limits.items())
            if (key in kinds if ":" not in key else self._holds(log, key))
        )
        fails = (config.fail_warn_at, config.fail_limit) if log in self._failed else None
        same = (log, config.on_limit, config.warn_at, config.summarize_at, fails, caps)
        return self._first.setdefault(same, job)

    def _holds(self, log: str, key: str) -> bool:
        kind = key.partition(":")[0]
        if kind not in ("family", "verb"):
            return True
        return (log, fingerprint_id(key)) in self._whole
