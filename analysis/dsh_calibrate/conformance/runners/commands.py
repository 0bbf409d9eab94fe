"""Runner of ``commands.jsonl``: a ``bash`` command to everything the breaker reads off it."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from dsh_calibrate.guards.repeat_tool_breaker.commands import analyse, fetch_verbs
from dsh_calibrate.guards.repeat_tool_breaker.config import Config, configure
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES
from dsh_calibrate.guards.repeat_tool_breaker.shell_http import refused

REQUIRED = ("command",)

_TOOL = "bash"


def answer(given: Mapping[str, Any]) -> object:
    """Pieces, fingerprints and refusals of the command under the default configuration."""
    command = given["command"]
    config, nothing_allowed = _configs()
    parts = analyse(command, config)
    prints = fingerprint(_TOOL, json.dumps({"command": command}), config)
    return {
        "verb": parts.verb,
        "stripped": parts.stripped,
        "urls": list(parts.urls),
        "hosts": list(parts.normal_urls),
        "sink": parts.sink,
        "fetchVerbs": fetch_verbs(command, config),
        "refused": refused(_TOOL, command, config),
        "refusedWithEmptyAllow": refused(_TOOL, command, nothing_allowed),
        "fingerprints": list(prints.all),
        "local": prints.local,
    }


@cache
def _configs() -> tuple[Config, Config]:
    """The default configuration, and the same with nothing on ``shellHttpAllow``."""
    config = configure({}, PROFILES[DEFAULT])
    return config, dataclasses.replace(config, shell_http_allow=())
