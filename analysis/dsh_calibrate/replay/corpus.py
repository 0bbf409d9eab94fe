"""Replays a whole corpus: many logs, several processes, one result in a fixed order."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.pool import map_logs


def replay_corpus(
    logs: Sequence[Log],
    plan: Plan,
    *,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> list[LogOutcome]:
    """Replay ``plan`` over ``logs``; outcomes come in the order of ``logs``.

    The result is the same for any number of ``jobs``.
    """
    work = functools.partial(_replay, plan)
    return list(map_logs(work, logs, jobs=jobs, on_done=on_done))


def _replay(plan: Plan, log: Log) -> LogOutcome:
    return replay_log(log, plan, Memo())
