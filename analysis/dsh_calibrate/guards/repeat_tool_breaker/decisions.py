"""What goes into and comes out of the breaker: outcomes of calls, decisions about them."""

from __future__ import annotations

from typing import Literal

import msgspec

from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.repeat_tool_breaker.failure import Failure

Verdict = Literal["allow", "deny", "ask-approved", "ask-declined"]

DENIAL_MARKERS = ("REPEAT_TOOL_BLOCKED", "SHELL_HTTP_BLOCKED")
"""How the error text of a call starts that the plugin itself stopped in the recording."""


class Outcome(msgspec.Struct, frozen=True):
    """One result as the log keeps it (see ``logs.events.Result``)."""

    text: str
    is_error: bool = False
    error_name: str | None = None
    error_code: str | None = None
    status_code: float | None = None
    synthetic: bool = False


class CallDecision(msgspec.Struct, frozen=True):
    """What happens to one call at its call line.

    ``kind`` is ``shell-http`` when that block denied it. ``hits`` are the blocking ones,
    failure hits first; a fingerprint that hit on both tracks stands there twice.
    ``advisory`` is the occurrence message its result will carry.
    """

    verdict: Verdict
    kind: Literal["shell-http"] | None
    hits: tuple[Hit, ...]
    advisory: Hit | None
    ran: bool


class ResultDecision(msgspec.Struct, frozen=True):
    """What happens at one result line.

    ``failure`` is set when a call that ran failed, ``failure_advisory`` and ``advisory``
    are the messages spoken here, in that order. ``recorded_denial`` is the marker
    when the result says that the live plugin had stopped the call in the recording.
    """

    failure: Failure | None
    failure_advisory: Hit | None
    advisory: Hit | None
    recorded_denial: str | None


def recorded_denial(outcome: Outcome) -> str | None:
    """Return the marker of the plugin's own denial in a recorded error result, if any."""
    if not outcome.is_error:
        return None
    text = outcome.text
    start = len("Error: ") if text.startswith("Error: ") else 0
    for marker in DENIAL_MARKERS:
        if text.startswith(marker, start):
            return marker
    return None
