"""``failures`` without what log keys, sessions, tools and fingerprints contain."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence

from dsh_calibrate.reports.masking import (
    mask_fingerprint,
    mask_log_key,
    mask_log_keys,
    mask_tool,
)
from dsh_calibrate.studies.failure_logs import LogFailures


def masked_failures(
    logs: Sequence[LogFailures], healthy: frozenset[str] | None
) -> tuple[list[LogFailures], frozenset[str] | None]:
    """The logs and the keys of healthy ones, masked alike; counts stay as they are.

    Only ``path`` stays: without it no ``explain`` line would work.
    """
    keys = mask_log_keys(log.log for log in logs)
    shown = [_masked(log, keys[log.log]) for log in logs]
    return shown, None if healthy is None else frozenset(keys[k] for k in healthy if k in keys)


def _masked(log: LogFailures, key: str) -> LogFailures:
    calls: Counter[str] = Counter()
    for tool, count in log.calls.items():
        calls[mask_tool(tool)] += count
    failures: Counter[tuple[str, str]] = Counter()
    for (tool, reason), count in log.failures.items():
        failures[mask_tool(tool), reason] += count
    runs = {
        name: run
        if run.fingerprint is None
        else dataclasses.replace(run, fingerprint=mask_fingerprint(run.fingerprint))
        for name, run in log.runs.items()
    }
    return dataclasses.replace(
        log,
        log=key,
        session=mask_log_key(log.session),
        calls=calls,
        failures=failures,
        runs=runs,
    )
