"""Runner of ``configs.jsonl``: a row of repeat-tool-breaker to what it resolves to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.repeat_tool_breaker.config import SHELL_HTTP_KEYS, as_json, configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES

REQUIRED = ("config",)


def answer(given: Mapping[str, Any]) -> object:
    """``ok`` and the resolved ``config`` without the shell-HTTP keys, or the ``key`` at fault."""
    try:
        config = configure(given["config"], PROFILES[DEFAULT])
    except SettingsError as error:
        return {"ok": False, "key": error.key}
    resolved = as_json(config)
    return {
        "ok": True,
        "config": {key: value for key, value in resolved.items() if key not in SHELL_HTTP_KEYS},
    }
