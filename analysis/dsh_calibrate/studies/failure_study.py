"""The failures of a corpus: rates, logs whose runs are that long, what the markers move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dsh_calibrate.replay.rates import Rate, rate
from dsh_calibrate.studies.failure_logs import Lengths, LogFailures
from dsh_calibrate.studies.failure_markers import MARKERS
from dsh_calibrate.studies.failure_runs import DEFINITIONS, Definition

Reaching = Mapping[int, Mapping[Definition, int]]
"""By threshold and definition: logs whose longest run reaches it."""


@dataclass(frozen=True, slots=True)
class ToolFailures:
    """One tool: the rate of failures among its settled calls, and their reasons."""

    rate: Rate
    by_reason: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class MarkerShare:
    """What dropping one marker moves.

    ``lost`` failures become successes, ``gained`` successes become failures, ``renamed``
    failures get another reason; ``reaching`` is what is left of the runs.
    """

    lost: int
    gained: int
    renamed: Mapping[str, int]
    reaching: Reaching


@dataclass(frozen=True, slots=True)
class FailureStudy:
    """The answer of ``failures`` over the logs that have settled calls.

    ``healthy`` counts the logs labelled healthy alone (``None`` without labels);
    ``exit_reaching[code]`` the logs with runs in which every failure has that exit code.
    """

    rate: Rate
    by_reason: Mapping[str, int]
    by_tool: Mapping[str, ToolFailures]
    exits: Mapping[str, int]
    exit_reaching: Mapping[str, Reaching]
    reaching: Reaching
    healthy: Reaching | None
    healthy_logs: int
    markers: Mapping[str, MarkerShare]
    logs: tuple[LogFailures, ...]

    @property
    def calls(self) -> int:
        """Settled calls."""
        return self.rate.of

    @property
    def failures(self) -> int:
        """Failed ones."""
        return self.rate.count


def failure_study(
    logs: Sequence[LogFailures], thresholds: Sequence[int], healthy: frozenset[str] | None
) -> FailureStudy:
    """Add up the logs; ``healthy`` are the keys of those labelled so."""
    calls: Counter[str] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    exits: Counter[str] = Counter()
    for log in logs:
        calls.update(log.calls)
        failures.update(log.failures)
        exits.update(log.exits)
    reasons: Counter[str] = Counter()
    for (_, reason), count in failures.items():
        reasons[reason] += count
    good = [log for log in logs if healthy is not None and log.log in healthy]
    return FailureStudy(
        rate=rate(failures.total(), calls.total()),
        by_reason=reasons,
        by_tool={tool: _tool(tool, calls[tool], failures) for tool in sorted(calls)},
        exits=exits,
        exit_reaching={
            code: _reaching((log.exit_runs.get(code, {}) for log in logs), thresholds)
            for code in exits
        },
        reaching=_reaching(map(_lengths, logs), thresholds),
        healthy=None if healthy is None else _reaching(map(_lengths, good), thresholds),
        healthy_logs=len(good),
        markers={name: _marker(name, logs, thresholds) for name in MARKERS},
        logs=tuple(logs),
    )


def _tool(tool: str, calls: int, failures: Mapping[tuple[str, str], int]) -> ToolFailures:
    reasons = {reason: count for (name, reason), count in failures.items() if name == tool}
    return ToolFailures(rate(sum(reasons.values()), calls), reasons)


def _marker(name: str, logs: Sequence[LogFailures], thresholds: Sequence[int]) -> MarkerShare:
    moved: Counter[tuple[str, str]] = Counter()
    for log in logs:
        moved.update(log.markers.get(name, {}))
    renamed: Counter[str] = Counter()
    for (before, after), count in moved.items():
        if before and after:
            renamed[after] += count
    return MarkerShare(
        lost=sum(count for (_, after), count in moved.items() if not after),
        gained=sum(count for (before, _), count in moved.items() if not before),
        renamed=renamed,
        reaching=_reaching((log.marker_runs.get(name, {}) for log in logs), thresholds),
    )


def _lengths(log: LogFailures) -> Lengths:
    return {name: run.length for name, run in log.runs.items()}


def _reaching(lengths: Iterable[Lengths], thresholds: Sequence[int]) -> Reaching:
    longest = list(lengths)
    return {
        threshold: {
            name: sum(found.get(name, 0) >= threshold for found in longest) for name in DEFINITIONS
        }
        for threshold in thresholds
    }
