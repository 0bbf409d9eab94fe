"""What each marker of the failure classifier contributes: drop one, see what moves.

A marker is dropped by taking its evidence out of a result and asking the classifier again,
so that the rule itself (guards.md 1.6) is never restated here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import msgspec

from dsh_calibrate.guards.repeat_tool_breaker.failure import Failure, classify
from dsh_calibrate.guards.repeat_tool_breaker.profiles import Profile


class Evidence(msgspec.Struct, frozen=True):
    """All that the classifier looks at in one result."""

    tool: str
    text: str
    is_error: bool
    error_name: str | None
    error_code: str | None
    status_code: float | None
    command: str


def judged(evidence: Evidence, profile: Profile) -> Failure | None:
    """The classifier's answer."""
    return classify(
        evidence.tool,
        evidence.text,
        evidence.is_error,
        evidence.error_name,
        evidence.error_code,
        evidence.status_code,
        evidence.command,
        profile,
    )


def _without(*words: str) -> Callable[[Evidence], Evidence]:
    """Put NUL for the words: it stands in no marker and is neither a letter nor a blank."""

    def drop(evidence: Evidence) -> Evidence:
        text = evidence.text
        for word in words:
            text = text.replace(word, "\0")
        return msgspec.structs.replace(evidence, text=text)

    return drop


MARKERS: Mapping[str, Callable[[Evidence], Evidence]] = MappingProxyType(
    {
        "isError": lambda e: msgspec.structs.replace(e, is_error=False),
        "meta.statusCode": lambda e: msgspec.structs.replace(e, status_code=None),
        "[exit code: N]": _without("[exit code: "),
        "(HTTP nnn)": _without("(HTTP "),
        "[timed out after Nms]": _without("[timed out after "),
        "[killed by signal: X]": _without("[killed by signal: "),
        "[sandbox: file access denied": _without("[sandbox: file access denied"),
        "Traceback": _without("Traceback (most recent call last)"),
        "exception line": _without("Error: ", "Exception: "),
        "HTTP Error nnn": _without("HTTP Error "),
        "curl: (n)": _without("curl: ("),
        "write-out status": lambda e: msgspec.structs.replace(e, command=""),
    }
)
"""By name, how a result looks without the marker."""


def moves(evidence: Evidence, reason: str, profile: Profile) -> dict[str, str]:
    """For every marker whose loss changes the answer: the new reason.

    ``reason`` is the answer with all markers; ``""`` stands for a success in both.
    """
    found = {}
    for name, drop in MARKERS.items():
        without = judged(drop(evidence), profile)
        becomes = without.reason if without is not None else ""
        if becomes != reason:
            found[name] = becomes
    return found
