"""Runner of ``denylist.jsonl``: a command to everything it can run, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.conformance.runners.given_profile import profile_of
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.denylist import commands_run, refused

REQUIRED = ("command",)


def answer(given: Mapping[str, Any]) -> object:
    """``commands`` in order, and whether the default list has one of them ``refused``."""
    command = given["command"]
    config = configure({}, profile_of(given))
    return {"commands": commands_run(command), "refused": refused("bash", command, config)}
