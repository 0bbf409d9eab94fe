"""A corpus recorded under guards: what it holds beside what the replay decides."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dsh_calibrate.conformance.recorded_evidence import PARTS, Evidence, Part, Recorded
from dsh_calibrate.conformance.recorded_matching import LogMatch, Mismatch, PartRecord, match_log
from dsh_calibrate.conformance.recorded_settings import Inferred, enforcing, infer, under
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.pool import map_logs

FAILURE_CODE = "REASONING_LOOP_GUARD"
"""The failure code that marks a fire where the reasoning guard is not replayed."""


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One log: what it records, what its replay decided, how much of it could be read."""

    log: str
    found: tuple[Recorded, ...]
    decisions: tuple[Decision, ...]
    coverage: LogCoverage


@dataclass(frozen=True, slots=True)
class Matching:
    """The matching of a corpus under one plan."""

    parts: dict[Part, PartRecord]
    mismatches: tuple[Mismatch, ...]

    @property
    def all_agree(self) -> bool:
        """Whether both sides hold the same interventions wherever a guard shows itself."""
        return not any(record.missed or record.extra for record in self.parts.values())


@dataclass(frozen=True, slots=True)
class RecordedOutcome:
    """What was found.

    ``as_given`` is the matching under the settings given; ``as_inferred`` under those that
    the recording shows, ``None`` when they are the same. ``coverage`` is by log key.
    """

    logs: int
    interventions: int
    inferred: tuple[Inferred, ...]
    as_given: Matching
    as_inferred: Matching | None
    coverage: tuple[tuple[str, LogCoverage], ...]

    @property
    def best(self) -> Matching:
        """The matching under the settings that were in force, as far as is known."""
        return self.as_inferred if self.as_inferred is not None else self.as_given


def match_corpus(
    logs: Sequence[Log],
    plan: Plan,
    *,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> RecordedOutcome:
    """Replay ``plan`` over logs and match it with what they record.

    Where the recording shows other settings, the logs are replayed once more under those.
    """
    records = list(_records(logs, plan, jobs, on_done))
    found = [one for record in records for one in record.found]
    inferred = tuple(infer(found, plan))
    better = enforcing(under(plan, inferred), found)
    is_other = better != plan
    given = _matching(records, plan, inferred)
    matched = None
    if is_other:
        matched = _matching(list(_records(logs, better, jobs, None)), better, ())
    return RecordedOutcome(
        logs=len(records),
        interventions=len(found),
        inferred=inferred,
        as_given=given,
        as_inferred=matched,
        coverage=tuple((record.log, record.coverage) for record in records),
    )


def _records(
    logs: Sequence[Log], plan: Plan, jobs: Jobs, on_done: Callable[[Log], None] | None
) -> Iterator[LogRecord]:
    yield from map_logs(functools.partial(_record, plan), logs, jobs=jobs, on_done=on_done)


def _record(plan: Plan, log: Log) -> LogRecord:
    code = plan.rlg.failure_code if plan.rlg is not None else FAILURE_CODE
    evidence = Evidence(plan.rtb, code)
    outcome = replay_log(log, plan, also=(evidence,))
    return LogRecord(log.key, tuple(evidence.found), tuple(outcome.decisions), outcome.coverage)


def parts_of(plan: Plan) -> tuple[Part, ...]:
    """The parts that a plan replays, in table order."""
    has_block = plan.rtb is not None and plan.shell_http != "off"
    return tuple(
        part for part in PARTS if (has_block if part == "shell_http" else part in plan.guards)
    )


def _matching(records: Sequence[LogRecord], plan: Plan, inferred: Sequence[Inferred]) -> Matching:
    parts: dict[Part, PartRecord] = {part: PartRecord() for part in parts_of(plan)}
    mismatches: list[Mismatch] = []
    for record in records:
        matched: LogMatch = match_log(
            record.log, record.found, record.decisions, tuple(parts), inferred
        )
        mismatches += matched.mismatches
        for part, one in matched.parts.items():
            total = parts[part]
            for name in ("logs", "agreed", "missed", "extra", "silent", "other_figures"):
                setattr(total, name, getattr(total, name) + getattr(one, name))
            total.reasons.update(one.reasons)
    return Matching(parts, tuple(mismatches))
