"""Whether a replay of the same sessions fires where the live guard wrote that it did.

A journal line is matched by session, turn and step. Where the replay differs, the line's own
thresholds are tried on the same log: if they give the line's verdict, they are the reason.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.reasoning_loop.config import FIELDS, Config, configure
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Event, StreamOpen, StreamPieces
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.studies.journal import Fire

Verdict = Literal["agrees", "other_place", "other_rule", "not_replayed", "not_in_journal"]
Reason = Literal[
    "",
    "other_thresholds",
    "other_version",
    "session_not_found",
    "place_not_told",
    "stream_not_in_log",
    "log_incomplete",
    "no_pieces",
    "before_journal",
    "unexplained",
]
VERDICTS: tuple[Verdict, ...] = (
    "agrees",
    "other_place",
    "other_rule",
    "not_replayed",
    "not_in_journal",
)

_Step = tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class Agreement:
    """One journal line beside the replay (``fire`` is ``None``: the replay fires alone).

    ``differing`` are the thresholds of the line that the replay did not use.
    """

    verdict: Verdict
    reason: Reason
    fire: Fire | None
    decision: Decision | None
    path: str | None = None
    differing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _LogFires:
    """What one log gives: fires under the plan, and which steps hold reasoning in pieces."""

    log: Log
    coverage: LogCoverage
    session: str
    fires: tuple[Decision, ...]
    steps: dict[_Step, bool]
    digest: str


_Place = tuple[str, _Step]
_Replayed = tuple[_LogFires, Decision]


@dataclass(frozen=True, slots=True)
class Agreements:
    """All lines, in the order given, then the fires that the journal lacks.

    ``coverages`` and ``digests`` are keyed by log.
    """

    rows: tuple[Agreement, ...]
    coverages: tuple[tuple[str, LogCoverage], ...]
    digests: tuple[tuple[str, str], ...]


def agree(
    fires: Sequence[Fire],
    logs: Sequence[Log],
    plan: Plan,
    *,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> Agreements:
    """Match ``fires`` with a replay of ``plan`` (its ``rlg`` part) over ``logs``."""
    assert plan.rlg is not None
    plan = replace(plan, rtb=None, tfb=None, rtr=None)
    work = functools.partial(_fires_of, plan)
    found = list(map_logs(work, logs, jobs=jobs, on_done=on_done))
    by_session: dict[str, list[_LogFires]] = defaultdict(list)
    for log in found:
        by_session[log.session].append(log)
    waiting: dict[_Place, list[_Replayed]] = defaultdict(list)
    for log in found:
        for decision in log.fires:
            waiting[log.session, _step(decision)].append((log, decision))
    pairs = _paired(fires, waiting)
    rows = [
        _agreement(fire, pair, by_session.get(fire.session or "", []), plan)
        for fire, pair in zip(fires, pairs, strict=True)
    ]
    agreeing = {
        row.fire.version
        for row in rows
        if row.fire and (row.verdict == "agrees" or row.reason == "other_thresholds")
    }
    rows = [_without_version(row, agreeing) for row in rows]
    first = min((fire.at for fire in fires if fire.at is not None), default=None)
    told = {fire.session for fire in fires}
    for left in waiting.values():
        rows += [_alone(log, decision, first, told) for log, decision in left]
    return Agreements(
        tuple(rows),
        tuple((log.log.key, log.coverage) for log in found),
        tuple((log.log.key, log.digest) for log in found),
    )


def _paired(
    fires: Sequence[Fire], waiting: dict[_Place, list[_Replayed]]
) -> list[_Replayed | None]:
    """For each line the fire of the replay at its place, those that agree first.

    Takes them out of ``waiting``: what is left there no line tells of.
    """
    pairs: list[_Replayed | None] = [None] * len(fires)
    for is_strict in (True, False):
        for position, fire in enumerate(fires):
            same = waiting.get((fire.session or "", (fire.turn, fire.step)), [])
            if pairs[position] is None:
                fitting = (p for p in same if not is_strict or _verdict(fire, p[1]) == "agrees")
                pairs[position] = pair = next(fitting, None)
                if pair is not None:
                    same.remove(pair)
    return pairs


def _fires_of(plan: Plan, log: Log) -> _LogFires:
    steps = _Steps()
    outcome = replay_log(log, plan, also=(steps,))
    session = outcome.header.session if outcome.header is not None else ""
    return _LogFires(
        log, outcome.coverage, session, tuple(outcome.decisions), steps.granular, outcome.digest
    )


class _Steps:
    """Follows a log: which steps hold reasoning, and whether in recorded pieces."""

    def __init__(self) -> None:
        self.granular: dict[_Step, bool] = {}
        self._at: _Step = (None, None)

    def on(self, event: Event) -> None:
        if isinstance(event, StreamOpen):
            self._at = (event.turn, event.step)
            self.granular.setdefault(self._at, True)
        elif isinstance(event, StreamPieces) and not event.granular:
            self.granular[self._at] = False

    def finish(self) -> None:
        """Nothing is held back."""


def _step(decision: Decision) -> _Step:
    figures = decision.reasoning
    return (figures.turn, figures.step) if figures is not None else (None, None)


def _verdict(fire: Fire, decision: Decision) -> Verdict:
    if fire.rule != decision.stage:
        return "other_rule"
    figures = decision.reasoning
    at = figures.at_utf16 if figures is not None else None
    return "agrees" if fire.at_utf16 is None or fire.at_utf16 == at else "other_place"


def _agreement(
    fire: Fire,
    pair: _Replayed | None,
    candidates: Sequence[_LogFires],
    plan: Plan,
) -> Agreement:
    decision = pair[1] if pair is not None else None
    verdict: Verdict = _verdict(fire, decision) if decision is not None else "not_replayed"
    log = pair[0] if pair is not None else (candidates[0] if candidates else None)
    path = str(log.log.path) if log is not None else None
    if verdict == "agrees":
        return Agreement(verdict, "", fire, decision, path)
    differing = _differing(fire, plan.rlg)
    reason = _reason(fire, log, candidates, plan, differing)
    return Agreement(verdict, reason, fire, decision, path, differing)


def _differing(fire: Fire, config: Config | None) -> tuple[str, ...]:
    """The thresholds of the line that the replay holds other values for."""
    if config is None or fire.thresholds is None:
        return ()
    ours = config.thresholds()
    return tuple(
        key for key in FIELDS if key in fire.thresholds and fire.thresholds[key] != ours[key]
    )


def _reason(
    fire: Fire,
    log: _LogFires | None,
    candidates: Sequence[_LogFires],
    plan: Plan,
    differing: tuple[str, ...],
) -> Reason:
    if fire.session is None or fire.turn is None or fire.step is None:
        return "place_not_told"
    if log is None:
        return "session_not_found"
    step = (fire.turn, fire.step)
    holding = [found for found in candidates if step in found.steps]
    if not holding:
        whole = all(found.coverage.status in ("read", "no_calls") for found in candidates)
        return "stream_not_in_log" if whole else "log_incomplete"
    if differing and any(_fires_alike(fire, found.log, plan) for found in holding):
        return "other_thresholds"
    if not all(found.steps[step] for found in holding):
        return "no_pieces"
    return "other_version" if fire.version is not None else "unexplained"


def _without_version(row: Agreement, agreeing: set[str | None]) -> Agreement:
    """A version other lines of which agree is no reason."""
    if row.reason != "other_version" or row.fire is None or row.fire.version not in agreeing:
        return row
    return replace(row, reason="unexplained")


def _fires_alike(fire: Fire, log: Log, plan: Plan) -> bool:
    """Whether the line's own thresholds bring the line's verdict on this log."""
    try:
        config = configure({k: v for k, v in (fire.thresholds or {}).items() if k in FIELDS})
    except SettingsError:
        return False
    outcome = replay_log(log, replace(plan, rlg=config))
    return any(
        _step(d) == (fire.turn, fire.step) and _verdict(fire, d) == "agrees"
        for d in outcome.decisions
    )


def _alone(
    log: _LogFires, decision: Decision, first: int | None, told: set[str | None]
) -> Agreement:
    """A fire of the replay that no journal line tells of; ``told`` are the journal's sessions."""
    created = log.log.header.created_at if log.log.header is not None else None
    before = first is not None and created is not None and created < first
    is_new = log.session not in told and (before or first is None)
    reason: Reason = "before_journal" if is_new else "unexplained"
    return Agreement("not_in_journal", reason, None, decision, str(log.log.path))
