"""Settings that name private things (aliases of hosts, caps of single addresses), rewritten.

A redacted corpus is replayed under rewritten settings, or the aliases would no longer meet
their hosts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.corpora.redaction.rewriting import Rewriter
from dsh_calibrate.guards.circuit_breaker import config as tfb
from dsh_calibrate.guards.reasoning_loop import config as rlg
from dsh_calibrate.guards.repeat_reminder import config as rtr
from dsh_calibrate.guards.repeat_tool_breaker import config as rtb
from dsh_calibrate.guards.repeat_tool_breaker.profiles import Profile
from dsh_calibrate.replay.plan import Plan

Rows = Mapping[str, Mapping[str, object]]
"""Short name of a guard -> its row, under README keys."""

_NAMES = frozenset({"failureCode"})
"""Keys of scalars that hold a name; all other scalars are switches of the plugin."""


def rewritten_rows(rows: Rows, rewriter: Rewriter) -> dict[str, dict[str, Any]]:
    """The rows with every name in lists and tables replaced; keys of the guard itself stay."""
    return {
        guard: {key: _value(value, rewriter, key in _NAMES) for key, value in row.items()}
        for guard, row in rows.items()
    }


def _value(value: object, rewriter: Rewriter, is_name: bool) -> Any:
    if isinstance(value, str):
        return rewriter.text(value) if is_name else value
    if isinstance(value, Mapping):
        return {rewriter.text(str(k)): _value(v, rewriter, True) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_value(item, rewriter, True) for item in value]
    return value


def plan_of(rows: Rows, profile: Profile) -> Plan:
    """All four guards under the rows; absent rows are defaults."""
    return Plan(
        rtb=rtb.configure(rows.get("rtb", {}), profile),
        tfb=tfb.configure(rows.get("tfb", {})),
        rtr=rtr.configure(rows.get("rtr", {})),
        rlg=rlg.configure(rows.get("rlg", {})),
        operator="decline",
        shell_http="measure",
    )
