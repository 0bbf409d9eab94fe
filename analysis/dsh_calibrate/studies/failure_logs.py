"""The failures of one log: by tool and reason, their runs, and what each marker moves.

What is a failure, and which results settle nothing, is the engine's answer
(:mod:`dsh_calibrate.guards.repeat_tool_breaker.ungated`); no call is stopped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import Config, cap_of
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.repeat_tool_breaker.ungated import UngatedBreaker
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Call, Gap, Human, LifecycleStart, Result
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.envelope import file_digest
from dsh_calibrate.studies.failure_markers import MARKERS, Evidence, moves
from dsh_calibrate.studies.failure_runs import FAILED, Definition, Run, Runs


@dataclass(frozen=True, slots=True)
class Counting:
    """How runs are counted: the configuration, and what cuts or widens them.

    ``per_turn`` cuts runs at messages of the user; ``all_measures`` counts the runs of
    measures without a cap too.
    """

    config: Config
    per_turn: bool = False
    all_measures: bool = False
    salvage: bool = False


Lengths = Mapping[Definition, int]
"""The longest run of each definition, in calls."""


@dataclass(frozen=True, slots=True)
class LogFailures:
    """One log: settled calls and failures by tool, exit codes, longest runs, markers.

    ``failures[tool, reason]`` and ``exits[code]`` are counts. ``exit_runs[code]`` are the
    longest runs in which every failure has that exit code. ``markers[name][before, after]``
    counts the results whose reason changes without the marker (empty: a success), and
    ``marker_runs[name]`` are the longest runs without it.
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
    exit_runs: Mapping[str, Lengths] = field(default_factory=dict)
    markers: Mapping[str, Mapping[tuple[str, str], int]] = field(default_factory=dict)
    marker_runs: Mapping[str, Lengths] = field(default_factory=dict)


def log_failures(counting: Counting, log: Log) -> LogFailures:
    """Measure one log; denials that the plugin itself had recorded settle nothing."""
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
        elif isinstance(event, LifecycleStart):
            pass_.begin(event.number)
        elif isinstance(event, Gap):
            pass_.begin(pass_.lifecycle)
    return LogFailures(
        log=log.key,
        path=str(log.path),
        session=reading.header.session if reading.header is not None else "",
        coverage=reading.coverage,
        digest=file_digest(log.path),
        calls=dict(pass_.calls),
        failures=dict(pass_.failures),
        exits=dict(pass_.exits),
        runs=pass_.runs.of(FAILED),
        exit_runs={code: _lengths(pass_.exit_runs, code) for code in pass_.exits},
        markers={name: dict(counts) for name, counts in pass_.markers.items()},
        marker_runs={name: _lengths(runs, FAILED) for name, runs in pass_.without.items()},
    )


def _lengths(runs: Runs, kind: str) -> Lengths:
    return {name: run.length for name, run in runs.of(kind).items()}


class _Pass:
    """The pass over one log."""

    def __init__(self, counting: Counting) -> None:
        self._counting = counting
        self._memo = Memo()
        self.calls: Counter[str] = Counter()
        self.failures: Counter[tuple[str, str]] = Counter()
        self.exits: Counter[str] = Counter()
        self.markers: dict[str, Counter[tuple[str, str]]] = {}
        self.runs = Runs()
        self.exit_runs = Runs()
        self.without = {name: Runs() for name in MARKERS}
        self._all_runs = (self.runs, self.exit_runs, *self.without.values())
        self.begin(0)

    def begin(self, lifecycle: int) -> None:
        self.lifecycle = lifecycle
        self._breaker = UngatedBreaker(self._counting.config, memo=self._memo)
        self._commands: dict[int, str] = {}
        for runs in self._all_runs:
            runs.begin(lifecycle)

    def human(self) -> None:
        if self._counting.per_turn:
            for runs in self._all_runs:
                runs.cut()

    def call(self, call: Call) -> None:
        if self._breaker.call(call.index, call.tool, call.arguments) is not None:
            prepared = self._memo.prepared(call.tool, call.arguments, self._counting.config)
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
        fingerprints = [f for f in settled.fingerprints if self._counts(f)]
        failure = settled.failure
        code = failure.detail if failure is not None and failure.reason == "exit" else None
        if failure is not None:
            self.failures[result.tool, failure.reason] += 1
        if code is not None:
            self.exits[code] += 1
        self.runs.settle(result.seq, fingerprints, None if failure is None else FAILED)
        self.exit_runs.settle(result.seq, fingerprints, code)
        self._drop_markers(result, command, "" if failure is None else failure.reason, fingerprints)

    def _counts(self, fingerprint: str) -> bool:
        limits = self._counting.config.limits
        return self._counting.all_measures or cap_of(limits, fingerprint) is not None

    def _drop_markers(
        self, result: Result, command: str, reason: str, fingerprints: list[str]
    ) -> None:
        moved: Mapping[str, str] = {}
        if reason or result.is_error or result.status_code is not None:
            # Elsewhere there is nothing to drop: taking a mark out of a text that is no
            # failure leaves it none.
            evidence = Evidence(
                result.tool,
                result.text,
                result.is_error,
                result.error_name,
                result.error_code,
                result.status_code,
                command,
            )
            moved = moves(evidence, reason, self._counting.config.profile)
        for name, runs in self.without.items():
            becomes = moved.get(name, reason)
            if becomes != reason:
                self.markers.setdefault(name, Counter())[reason, becomes] += 1
            runs.settle(result.seq, fingerprints, FAILED if becomes else None)
