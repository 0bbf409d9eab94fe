"""The settings under which a redacted log must decide as its original did.

Beside the defaults they are as different as the switches allow: both profiles, every
operator, every mode of the block, low limits and long windows, local calls either way, and
reasoning rules that fire early.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from dsh_calibrate.guards.circuit_breaker import config as tfb
from dsh_calibrate.guards.reasoning_loop import config as rlg
from dsh_calibrate.guards.repeat_reminder import config as rtr
from dsh_calibrate.guards.repeat_tool_breaker import config as rtb
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.replay.plan import Operator, Plan, ShellHttp

_STRICT = {
    "window": 8,
    "warnAt": 2,
    "summarizeAt": 3,
    "failWarnAt": 2,
    "failLimit": 3,
    "limits": {
        "exact": 3,
        "cmd": 3,
        "net": 3,
        "sink": 3,
        "host": 4,
        "site": 5,
        "verb": 6,
        "family:http-fetch": 6,
        "verb:curl": 5,
    },
}
_RELAXED = {
    "localHosts": "allow",
    "onLimit": "deny",
    "shellHttpAllow": [],
    "window": 48,
    "limits": {"exact": 6, "cmd": 6, "net": 5, "sink": 5, "host": 8, "site": 8, "verb": 10},
}
_LOCAL = {
    "includeLocal": True,
    "blockLocalHttp": True,
    "warnAt": 3,
    "summarizeAt": 5,
    "limits": {"exact": 7, "cmd": 7, "net": 6, "sink": 6, "host": 6, "site": 7},
}
_EARLY = {
    "minChars": 200,
    "every": 50,
    "window": 2048,
    "kgram": 48,
    "kgramThreshold": 5,
    "blockMin": 60,
    "blockCount": 3,
    "lineMin": 6,
    "lineCount": 2,
    "lineShare": 0.05,
    "fillerRun": 60,
    "minUnits": 3,
}
_LINES = {"lineCount": 2, "lineShare": 0.02, "minUnits": 30, "blockCount": 20, "every": 100}
_GRAMS = {"kgramThreshold": 4, "minUnits": 100, "blockCount": 30, "lineCount": 200, "every": 64}


@cache
def spread() -> dict[str, Plan]:
    """The plans by name."""
    return {
        "defaults": _plan("0.8", {}, 2, [3, 5, 8], {}),
        "defaults of 0.5.2, approved": _plan("0.5.2", {}, 1, [2, 3], _LINES, "approve", "enforce"),
        "low limits, operator as recorded, block enforced": _plan(
            "0.8", _STRICT, 1, [2, 4, 6], _EARLY, "recorded", "enforce"
        ),
        "low limits of 0.5.2": _plan("0.5.2", _STRICT, 3, [2, 10], _GRAMS),
        "local calls relaxed, limits deny": _plan("0.8", _RELAXED, 4, [4], _LINES, "approve"),
        "local calls counted and blocked": _plan(
            "0.8", _LOCAL, 2, [3, 4, 5], _GRAMS, "approve", "enforce"
        ),
    }


def _plan(
    profile: str,
    breaker: Mapping[str, object],
    max_failures: int,
    thresholds: list[int],
    reasoning: Mapping[str, object],
    operator: Operator = "decline",
    shell_http: ShellHttp = "measure",
) -> Plan:
    known = PROFILES[profile]
    return Plan(
        rtb=rtb.configure(_known(breaker, profile), known),
        tfb=tfb.configure({"maxFailures": max_failures}),
        rtr=rtr.configure({"thresholds": thresholds}),
        rlg=rlg.configure(reasoning),
        operator=operator,
        shell_http=shell_http,
    )


def _known(row: Mapping[str, object], profile: str) -> Mapping[str, object]:
    """The row without keys that the profile does not read."""
    if profile != "0.5.2":
        return row
    return {key: value for key, value in row.items() if key not in rtb.SHELL_HTTP_KEYS}
