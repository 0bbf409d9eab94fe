"""One log replayed under many configurations of a guard at once: one reading, many trackers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from dsh_calibrate.calibrate.sweeping_outcomes import SessionOutcome, outcome_of, spoken_of
from dsh_calibrate.calibrate.sweeping_pieces import Recut
from dsh_calibrate.facts.settings import RTB_FEEDING
from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import as_json
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo, Prepared, with_thresholds
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.circuit_breaker import CircuitBreakerTracker
from dsh_calibrate.replay.log import Tracker, replay_log
from dsh_calibrate.replay.place import Place
from dsh_calibrate.replay.plan import Operator, Plan, ShellHttp
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.replay.reasoning_loop import ReasoningTracker
from dsh_calibrate.replay.repeat_reminder import ReminderTracker
from dsh_calibrate.replay.repeat_tool_breaker import BreakerTracker

GuardConfig: TypeAlias = BreakerConfig | CircuitBreakerConfig | ReminderConfig | ReasoningLoopConfig
_Shared: TypeAlias = dict[str, tuple[Memo, BreakerConfig]]


class Job(msgspec.Struct, frozen=True):
    """One guard under one configuration; ``key`` names it, ``pieces`` cuts reasoning anew."""

    guard: str
    key: str
    config: GuardConfig
    pieces: int | None = None


class How(msgspec.Struct, frozen=True):
    """How logs are replayed, whatever the thresholds."""

    operator: Operator = "decline"
    shell_http: ShellHttp = "measure"
    salvage: bool = False


def replay_jobs(
    logs: Sequence[Log],
    wanted: Mapping[str, Sequence[Job]],
    how: How,
    *,
    jobs: int | None = None,
    on_done: Callable[[Log], None] | None = None,
) -> dict[tuple[str, str, str], SessionOutcome]:
    """Replay each log under its own jobs: (log, guard, key of the job) → outcome."""
    chosen = [log for log in logs if wanted.get(log.key)]
    found: dict[tuple[str, str, str], SessionOutcome] = {}
    if not chosen:
        return found
    work = functools.partial(_replay, {log.key: tuple(wanted[log.key]) for log in chosen}, how)
    results = map_logs(work, chosen, jobs=jobs, on_done=on_done)
    for log, outcomes in zip(chosen, results, strict=True):
        for job, outcome in zip(wanted[log.key], outcomes, strict=True):
            found[log.key, job.guard, job.key] = outcome
    return found


def _replay(wanted: Mapping[str, tuple[Job, ...]], how: How, log: Log) -> list[SessionOutcome]:
    return replay_log_under(log, wanted[log.key], how)


def replay_log_under(log: Log, jobs: Sequence[Job], how: How) -> list[SessionOutcome]:
    """Read ``log`` once; the outcome of every job, in order."""
    session = log.header.session if log.header is not None else ""
    fingerprints: _Shared = {}
    trackers: list[Tracker] = []
    for job in jobs:
        trackers.append(_tracker(job, Place(log.key, session, job.guard), how, fingerprints))
    followers = [
        tracker if job.pieces is None else Recut(tracker, job.pieces)
        for job, tracker in zip(jobs, trackers, strict=True)
    ]
    reasoning = any(job.guard == "rlg" for job in jobs)
    replay_log(log, Plan(salvage=how.salvage), also=followers, reasoning=reasoning)
    return [outcome_of(spoken_of(tracker.place.settled)) for tracker in trackers]


def _tracker(job: Job, place: Place, how: How, shared: _Shared) -> Tracker:
    config = job.config
    if isinstance(config, BreakerConfig):
        known = as_json(config)
        shape = repr([config.profile.name, *(known.get(key) for key in RTB_FEEDING)])
        memo = SharedMemo(*shared.setdefault(shape, (Memo(), config)))
        # What the block would refuse is no outcome of a sweep: measuring it would cost time.
        block: ShellHttp = "enforce" if how.shell_http == "enforce" else "off"
        return BreakerTracker(place, config, operator=how.operator, shell_http=block, memo=memo)
    if isinstance(config, CircuitBreakerConfig):
        return CircuitBreakerTracker(place, config)
    if isinstance(config, ReminderConfig):
        return ReminderTracker(place, config)
    return ReasoningTracker(place, config)


class SharedMemo(Memo):
    """The memo of one configuration that takes fingerprints from one that others share.

    ``shared`` may only be shared by configurations alike in all that shapes fingerprints
    and the shell-HTTP block; ``first`` is the one it is asked under.
    """

    __slots__ = ("_first", "_shared")

    def __init__(self, shared: Memo, first: BreakerConfig) -> None:
        super().__init__()
        self._shared = shared
        self._first = first

    def prepared(self, tool: str, arguments: str, config: BreakerConfig) -> Prepared:
        """Return what is fixed about a call; always asked under one configuration."""
        key = (tool, arguments)
        known = self._prepared.get(key)
        if known is None:
            common = self._shared.prepared(tool, arguments, self._first)
            known = with_thresholds(common.all, common.command, common.is_refused, config)
            self._make_room(len(arguments))
            self._prepared[key] = known
        return known
