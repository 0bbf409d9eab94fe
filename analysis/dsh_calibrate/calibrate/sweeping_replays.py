"""One log replayed under many configurations of a guard at once: one reading, many trackers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import msgspec

from dsh_calibrate.calibrate.sweeping_outcomes import SessionOutcome, outcome_of, spoken_of
from dsh_calibrate.calibrate.sweeping_pieces import Recut
from dsh_calibrate.calibrate.sweeping_stages import StagesTracker
from dsh_calibrate.facts.settings import RTB_FEEDING
from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import as_json
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo, Prepared, with_thresholds
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.circuit_breaker import CircuitBreakerTracker
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.log import Follower, Tracker, replay_log
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
    jobs: Jobs = None,
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
    """Read ``log`` once; the outcome of every job, in order.

    Jobs of the breaker with one gate share a replay (:mod:`.sweeping_stages`) where the
    recording holds no advice of it; where it does, the log is read once more.
    """
    gates: dict[str, list[Job]] = {}
    for job in jobs:
        gates.setdefault(_gate(job), []).append(job)
    session = log.header.session if log.header is not None else ""
    shared: _Shared = {}
    trackers: dict[str, Tracker] = {}
    followers: list[Follower] = []
    for gate, alike in gates.items():
        place = Place(log.key, session, alike[0].guard)
        tracker = _tracker(alike, place, how, shared)
        trackers[gate] = tracker
        pieces = alike[0].pieces
        followers.append(tracker if pieces is None else Recut(tracker, pieces))
    reasoning = any(job.guard == "rlg" for job in jobs)
    replay_log(log, Plan(salvage=how.salvage), also=followers, reasoning=reasoning)
    again = [
        job
        for gate, alike in gates.items()
        for job in alike
        if isinstance(tracker := trackers[gate], StagesTracker) and tracker.has_notices
    ]
    full = dict(zip(again, _replayed_fully(log, again, session, how), strict=True))
    return [full[job] if job in full else _outcome(trackers[_gate(job)], job) for job in jobs]


def _replayed_fully(log: Log, jobs: Sequence[Job], session: str, how: How) -> list[SessionOutcome]:
    """Every job with a tracker of its own."""
    shared: _Shared = {}
    trackers = [_tracker([job], Place(log.key, session, job.guard), how, shared) for job in jobs]
    if trackers:
        replay_log(log, Plan(salvage=how.salvage), also=trackers, reasoning=False)
    return [_outcome(tracker, job) for tracker, job in zip(trackers, jobs, strict=True)]


def _outcome(tracker: Tracker, job: Job) -> SessionOutcome:
    if isinstance(tracker, StagesTracker):
        assert isinstance(job.config, BreakerConfig)
        return outcome_of(tracker.spoken(job.config))
    return outcome_of(spoken_of(tracker.place.settled))


def _gate(job: Job) -> str:
    """What jobs have in common that one replay serves."""
    if not isinstance(job.config, BreakerConfig):
        return f"{job.guard} {job.key}"
    return repr([job.config.profile.name, as_json(_without_stages(job.config))])


def _without_stages(config: BreakerConfig) -> BreakerConfig:
    return replace(config, warn_at=None, summarize_at=None, fail_warn_at=None)


def _tracker(alike: Sequence[Job], place: Place, how: How, shared: _Shared) -> Tracker:
    """What follows one job, or several with one gate, through a log."""
    config = alike[0].config
    if isinstance(config, BreakerConfig):
        known = as_json(config)
        shape = repr([config.profile.name, *(known.get(key) for key in RTB_FEEDING)])
        memo = SharedMemo(*shared.setdefault(shape, (Memo(), config)))
        # What the block would refuse is no outcome of a sweep: measuring it would cost time.
        block: ShellHttp = "enforce" if how.shell_http == "enforce" else "off"
        if len(alike) == 1:
            return BreakerTracker(place, config, operator=how.operator, shell_http=block, memo=memo)
        gate = _without_stages(config)
        tracker = StagesTracker(place, gate, operator=how.operator, shell_http=block, memo=memo)
        tracker.watch([job.config for job in alike if isinstance(job.config, BreakerConfig)])
        return tracker
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
