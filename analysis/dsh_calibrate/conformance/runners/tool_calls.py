"""Runner of ``tool-calls.jsonl``: one call to the fingerprints of repeat-tool-breaker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.conformance.runners.given_profile import profile_of
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint

REQUIRED = ("tool", "arguments")


def answer(given: Mapping[str, Any]) -> object:
    """``fingerprints`` in order of emission, and whether the call is ``local``."""
    config = configure(given.get("config") or {}, profile_of(given))
    prints = fingerprint(given["tool"], given["arguments"], config)
    return {"fingerprints": list(prints.all), "local": prints.local}
