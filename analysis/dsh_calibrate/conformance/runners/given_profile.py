"""The version of repeat-tool-breaker that a vector was measured on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES, Profile


def profile_of(given: Mapping[str, Any]) -> Profile:
    """The profile named by the input's ``profile``, the default one where it names none.

    Raises :class:`UsageError` for a profile that does not exist (yet).
    """
    name = given.get("profile", DEFAULT)
    if name not in PROFILES:
        raise UsageError(
            f"these vectors are of repeat-tool-breaker {name}, and there is no profile of that "
            f"version (known: {', '.join(PROFILES)}): add it to "
            "guards/repeat_tool_breaker/profiles.py first (docs/conformance.md)"
        )
    return PROFILES[name]
