"""The failures study as JSON (contract.md 5) and as one flat row a log."""

from __future__ import annotations

from collections.abc import Mapping

from dsh_calibrate.replay.figures import FAILURE_REASONS
from dsh_calibrate.replay.rates import rate
from dsh_calibrate.replay.summary import rate_json
from dsh_calibrate.studies.failure_logs import LogFailures
from dsh_calibrate.studies.failure_runs import DEFINITIONS
from dsh_calibrate.studies.failure_study import FailureStudy, MarkerShare, Reaching, ToolFailures

LOG_COLUMNS: dict[str, type] = {
    "log": str,
    "session": str,
    "calls": int,
    "failures": int,
    **dict.fromkeys(DEFINITIONS, int),
    "longest_fingerprint": str,
}

Row = dict[str, object]


def failures_json(study: FailureStudy) -> Row:
    """The subtrees of contract.md 5 that belong to ``failures`` alone.

    Leaves are counts; under ``rates`` they stand with their intervals: failures among the
    settled calls, and logs reaching a threshold among the logs with settled calls.
    """
    document: Row = {
        "logs_with_calls": len(study.logs),
        "calls": study.calls,
        "failures": study.failures,
        "by_reason": _reasons(study.by_reason),
        "by_tool": {tool: _tool(found) for tool, found in study.by_tool.items()},
        "exit_codes": dict(sorted(study.exits.items())),
        "exit_code_thresholds": {
            code: _thresholds(found) for code, found in sorted(study.exit_reaching.items())
        },
        "thresholds": _thresholds(study.reaching),
        "rates": {
            "failures": rate_json(study.rate),
            "by_reason": {
                reason: rate_json(rate(study.by_reason.get(reason, 0), study.calls))
                for reason in FAILURE_REASONS
            },
            "by_tool": {tool: rate_json(found.rate) for tool, found in study.by_tool.items()},
            "thresholds": _threshold_rates(study.reaching, len(study.logs)),
        },
        "markers": {name: _marker(found) for name, found in study.markers.items()},
        "logs": [log_row(log) for log in study.logs],
    }
    if study.healthy is not None:
        document["healthy"] = {
            "logs": study.healthy_logs,
            "thresholds": _thresholds(study.healthy),
            "rates": _threshold_rates(study.healthy, study.healthy_logs),
        }
    return document


def log_row(log: LogFailures) -> Row:
    """One log: settled calls, failures, the longest run of each definition."""
    return {
        "log": log.log,
        "session": log.session,
        "calls": sum(log.calls.values()),
        "failures": sum(log.failures.values()),
        **{name: log.runs[name].length for name in DEFINITIONS},
        "longest_fingerprint": log.runs["per_fingerprint"].fingerprint,
    }


def _reasons(counts: Mapping[str, int]) -> Row:
    return {reason: counts.get(reason, 0) for reason in FAILURE_REASONS}


def _tool(found: ToolFailures) -> Row:
    return {
        "calls": found.rate.of,
        "failures": found.rate.count,
        "by_reason": _reasons(found.by_reason),
    }


def _thresholds(found: Reaching) -> Row:
    return {str(threshold): dict(counts) for threshold, counts in found.items()}


def _threshold_rates(found: Reaching, logs: int) -> Row:
    return {
        str(threshold): {name: rate_json(rate(count, logs)) for name, count in counts.items()}
        for threshold, counts in found.items()
    }


def _marker(found: MarkerShare) -> Row:
    return {
        "becomes_success": found.lost,
        "becomes_failure": found.gained,
        "becomes": dict(sorted(found.renamed.items())),
        "thresholds": _thresholds(found.reaching),
    }
