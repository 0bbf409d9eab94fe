"""Runner of ``failures.jsonl``: what the log keeps of one result to the failure it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.conformance.runners.given_profile import profile_of
from dsh_calibrate.guards.repeat_tool_breaker.failure import classify

REQUIRED = ("tool", "text")


def answer(given: Mapping[str, Any]) -> object:
    """``{reason, detail}``, or ``None`` for a success."""
    error = given.get("error") or {}
    failure = classify(
        given["tool"],
        given["text"],
        given.get("isError", False),
        error.get("name"),
        error.get("code"),
        given.get("statusCode"),
        given.get("command", ""),
        profile_of(given),
    )
    return None if failure is None else {"reason": failure.reason, "detail": failure.detail}
