"""How long failures last in a row, under three definitions, and what makes them failures.

``global``: any calls in a row; ``per_fingerprint``: each fingerprint's own streak;
``per_target``: the same for ``host:`` and ``net:`` alone. Streaks are the engine's
(:mod:`dsh_calibrate.guards.repeat_tool_breaker.ungated`), no call is stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import Config, cap_of
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.repeat_tool_breaker.ungated import UngatedBreaker
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Call, Gap, Human, LifecycleStart, Result
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.envelope import file_digest
from dsh_calibrate.studies.failure_markers import Evidence, moves

Definition = Literal["global", "per_fingerprint", "per_target"]
DEFINITIONS: tuple[Definition, ...] = ("global", "per_fingerprint", "per_target")
_TARGETS = ("host:", "net:")


@dataclass(frozen=True, slots=True)
class Counting:
    """How runs are counted: the configuration, and what cuts or widens them.

    ``per_turn`` cuts runs at messages of the user; ``all_measures`` counts the streaks of
    measures without a cap too.
    """

    config: Config
    per_turn: bool = False
    all_measures: bool = False
    salvage: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """The longest run of one kind: its length in calls, where it ended, whose it was."""

    length: int = 0
    lifecycle: int = 0
    seq: int = 0
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class LogFailures:
    """One log: settled calls and failures by tool, reasons, exit codes, longest runs, markers.

    ``markers[name][reason]`` counts the failures that would be of another ``reason`` (empty:
    a success) without the marker.
    """

    log: str
    path: str
    session: str
    coverage: LogCoverage
    digest: str
    calls: Mapping[str, int] = field(default_factory=dict)
    failures: Mapping[tuple[str, str], int] = field(default_factory=dict)
    exits: Mapping[str, int] = field(default_factory=dict)
    runs: Mapping[Definition, Run] = field(default_factory=dict)
    markers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def log_failures(counting: Counting, log: Log) -> LogFailures:
    """Measure one log; no call is stopped, own recorded denials settle nothing."""
    pass_ = _Pass(counting)
    reading = read_log(log, salvage=counting.salvage, reasoning=False)
    for event in reading:
        if isinstance(event, Call):
            if event.dispatched:
                pass_.call(event)
        elif isinstance(event, Result):
            pass_.result(event)
        elif isinstance(event, Human):
            pass_.human()
        elif isinstance(event, LifecycleStart | Gap):
            pass_.begin(getattr(event, "number", pass_.lifecycle))
    return LogFailures(
        log=log.key,
        path=str(log.path),
        session=reading.header.session if reading.header is not None else "",
        coverage=reading.coverage,
        digest=file_digest(log.path),
        calls=dict(pass_.calls),
        failures=dict(pass_.failures),
        exits=dict(pass_.exits),
        runs=dict(pass_.runs),
        markers={name: dict(counts) for name, counts in pass_.markers.items()},
    )


class _Pass:
    """The pass over one log."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting
        self._memo = Memo()
        self.calls: Counter[str] = Counter()
        self.failures: Counter[tuple[str, str]] = Counter()
        self.exits: Counter[str] = Counter()
        self.markers: dict[str, Counter[str]] = {}
        self.runs: dict[Definition, Run] = {name: Run() for name in DEFINITIONS}
        self.begin(0)

    def begin(self, lifecycle: int) -> None:
        self.lifecycle = lifecycle
        self._breaker = UngatedBreaker(self._counting.config, memo=self._memo)
        self._commands: dict[int, str] = {}
        self._in_a_row = 0

    def human(self) -> None:
        if self._counting.per_turn:
            self._breaker.human()
            self._in_a_row = 0

    def call(self, call: Call) -> None:
        if self._breaker.call(call.index, call.tool, call.arguments) is not None:
            config = self._counting.config
            prepared = self._memo.prepared(call.tool, call.arguments, config)
            self._commands[call.index] = prepared.command

    def result(self, result: Result) -> None:
        if result.call is None or result.call not in self._commands:
            return
        outcome = Outcome(
            text=result.text,
            is_error=result.is_error,
            error_name=result.error_name,
            error_code=result.error_code,
            status_code=result.status_code,
            synthetic=result.synthetic,
        )
        settled = self._breaker.result(result.call, outcome)
        if settled is None:
            return
        command = self._commands.pop(result.call)
        self.calls[result.tool] += 1
        if settled.failure is None:
            self._in_a_row = 0
            return
        self._in_a_row += 1
        self.failures[result.tool, settled.failure.reason] += 1
        if settled.failure.reason == "exit":
            self.exits[settled.failure.detail] += 1
        self._file_markers(result, command, settled.failure.reason)
        self._lengthen("global", self._in_a_row, result.seq, None)
        for fingerprint, streak in zip(settled.fingerprints, settled.streaks, strict=True):
            if self._counts(fingerprint):
                self._lengthen("per_fingerprint", streak, result.seq, fingerprint)
                if fingerprint.startswith(_TARGETS):
                    self._lengthen("per_target", streak, result.seq, fingerprint)

    def _counts(self, fingerprint: str) -> bool:
        limits = self._counting.config.limits
        return self._counting.all_measures or cap_of(limits, fingerprint) is not None

    def _lengthen(self, name: Definition, length: int, seq: int, fingerprint: str | None) -> None:
        if length > self.runs[name].length:
            self.runs[name] = Run(length, self.lifecycle, seq, fingerprint)

    def _file_markers(self, result: Result, command: str, reason: str) -> None:
        evidence = Evidence(
            result.tool,
            result.text,
            result.is_error,
            result.error_name,
            result.error_code,
            result.status_code,
            command,
        )
        for name, becomes in moves(evidence, reason, self._counting.config.profile).items():
            self.markers.setdefault(name, Counter())[becomes] += 1


@dataclass(frozen=True, slots=True)
class FailureStudy:
    """The answer of ``failures`` over a corpus.

    ``reaching[threshold][definition]`` counts the logs whose longest run is that long,
    ``healthy`` the same over logs labelled healthy (``None`` without labels).
    """

    calls: int
    failures: int
    by_reason: Mapping[str, int]
    by_tool: Mapping[str, tuple[int, int]]
    exits: Mapping[str, int]
    reaching: Mapping[int, Mapping[Definition, int]]
    healthy: Mapping[int, Mapping[Definition, int]] | None
    healthy_logs: int
    markers: Mapping[str, Mapping[str, int]]
    logs: tuple[LogFailures, ...]


def failure_study(
    logs: Sequence[LogFailures], thresholds: Sequence[int], healthy: frozenset[str] | None
) -> FailureStudy:
    """Add up the logs that have calls; ``healthy`` are the keys of logs labelled so."""
    reasons: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    exits: Counter[str] = Counter()
    markers: dict[str, Counter[str]] = {}
    for log in logs:
        calls.update(log.calls)
        exits.update(log.exits)
        for (tool, reason), count in log.failures.items():
            failed[tool] += count
            reasons[reason] += count
        for name, counts in log.markers.items():
            markers.setdefault(name, Counter()).update(counts)
    good = [log for log in logs if healthy is not None and log.log in healthy]
    return FailureStudy(
        calls=sum(calls.values()),
        failures=sum(reasons.values()),
        by_reason=reasons,
        by_tool={tool: (failed[tool], calls[tool]) for tool in sorted(calls)},
        exits=exits,
        reaching=_reaching(logs, thresholds),
        healthy=None if healthy is None else _reaching(good, thresholds),
        healthy_logs=len(good),
        markers=markers,
        logs=tuple(logs),
    )


def _reaching(
    logs: Sequence[LogFailures], thresholds: Sequence[int]
) -> dict[int, dict[Definition, int]]:
    return {
        threshold: {
            name: sum(log.runs[name].length >= threshold for log in logs) for name in DEFINITIONS
        }
        for threshold in thresholds
    }
