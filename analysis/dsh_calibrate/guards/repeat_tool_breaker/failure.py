"""Whether one result counts as a failure, from what a log keeps (guards.md 1.6).

The live guard reads the tool's structured value, which no log holds; this is a
reconstruction from the error object, the status code and, for shells only, the text.
Nothing is anchored more than the live patterns are: output that quotes a marker counts
(cases.md C80, C81).

Each pattern is guarded by a plain substring test that can only skip it, and none is worse
than linear on hostile text.
"""

from __future__ import annotations

import re

import msgspec

from dsh_calibrate.guards.repeat_tool_breaker.commands import SHELL_TOOLS
from dsh_calibrate.guards.repeat_tool_breaker.profiles import Profile
from dsh_calibrate.javascript import white_space
from dsh_calibrate.javascript.numbers import printed

NEVER_RAN = frozenset({"ABORTED_BEFORE_DISPATCH", "TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"})
"""Error codes that say nothing about the call; the classifier calls them a success."""

_IN_LINE = "".join(c for c in white_space.CHARACTERS if c not in "\n\r\u2028\u2029")
"""White space that ends no line."""

_EXIT = re.compile(r"\[exit code: (-?[0-9]+)\]")
_HTTP = re.compile(r"\(HTTP ([0-9]{3})\)")
_TIMED_OUT = re.compile(r"\[timed out after ([0-9]+)ms\]")
_SIGNAL = "[killed by signal: "
_SANDBOX = "[sandbox: file access denied"
_TRACEBACK = "Traceback (most recent call last)"
_EXCEPTION = re.compile(
    rf"(?:\A|(?<=[\n\r\u2028\u2029]))[{_IN_LINE}]*"
    r"((?:[A-Za-z_][A-Za-z0-9_.]*\.)?([A-Za-z_][A-Za-z0-9_]*(?:Error|Exception))): "
)
"""A line that starts with an exception: group 1 as written, group 2 its last part."""

_HTTP_ERROR = re.compile(r"HTTP Error ([0-9]{3})")
_CURL = re.compile(r"curl: \(([0-9]+)\)")
_QUOTE = re.compile("['\"]")
_WRITE_OUT = re.compile(r"%\{(?:http_code|response_code)\}")
_LEADING_STATUS = re.compile(rf"[{white_space.CLASS}]*([45][0-9][0-9])(?![A-Za-z0-9_])")


class Failure(msgspec.Struct, frozen=True):
    """Why a result counts as a failure.

    ``reason`` is one of ``error``, ``http``, ``exit``, ``timeout``, ``signal``,
    ``sandbox``, ``exception``, ``curl``; ``detail`` the evidence as the log spells it
    (``404``, ``-1``, ``30000ms``, ``KeyError``), possibly empty.
    """

    reason: str
    detail: str


def classify(
    tool: str,
    text: str,
    is_error: bool,
    error_name: str | None,
    error_code: str | None,
    status_code: float | None,
    command: str,
    profile: Profile,
) -> Failure | None:
    """Classify one settled result; ``None`` is a success.

    ``text`` is the text blocks joined with newlines, ``command`` the shell command of the
    call (empty for other tools; only the write-out rule reads it), ``error_code`` and
    ``status_code`` are ``None`` when the log has none.
    """
    if is_error:
        if error_code in NEVER_RAN or (error_code == "ABORTED" and not profile.aborted_is_failure):
            return None
        return Failure("error", (error_name or "") if error_code is None else error_code)
    if status_code is not None:
        return Failure("http", printed(status_code)) if status_code >= 400 else None
    if not text or tool not in SHELL_TOOLS:
        return None
    failure = _from_text(text)
    if failure is None and profile.reads_write_out_status and _asks_for_status(command):
        status = _LEADING_STATUS.match(text)
        if status is not None:
            return Failure("http", status[1])
    return failure


def _from_text(text: str) -> Failure | None:
    """Look for the markers in their order; of repeated ones only the first is looked at."""
    if "[exit code: " in text:
        match = _EXIT.search(text)
        if match is not None and match[1].strip("-0"):
            return Failure("exit", match[1])
    if "(HTTP " in text:
        match = _HTTP.search(text)
        if match is not None and match[1] >= "400":
            return Failure("http", match[1])
    if "[timed out after " in text:
        match = _TIMED_OUT.search(text)
        if match is not None:
            return Failure("timeout", f"{match[1]}ms")
    if _SIGNAL in text:
        signal = _signal(text)
        if signal:
            return Failure("signal", signal)
    if _SANDBOX in text:
        return Failure("sandbox", "")
    return _raised(text) or _printed(text)


def _signal(text: str) -> str:
    """Name in the first ``[killed by signal: X]`` whose ``X`` is not empty, else ``""``."""
    start = text.find(_SIGNAL)
    while start >= 0:
        start += len(_SIGNAL)
        end = text.find("]", start)
        if end < 0:
            return ""
        if end > start:
            return text[start:end]
        start = text.find(_SIGNAL, end)
    return ""


def _raised(text: str) -> Failure | None:
    """Tell an uncaught exception: a traceback (last name), or a line of its own (first)."""
    named = "Error: " in text or "Exception: " in text
    if _TRACEBACK in text:
        last = ""
        if named:
            for line in _EXCEPTION.finditer(text):
                last = line[1]
        return Failure("exception", last)
    if named:
        match = _EXCEPTION.search(text)
        if match is not None:
            return Failure("exception", match[2])
    return None


def _printed(text: str) -> Failure | None:
    """Tell a fetch whose failure only its own message shows."""
    if "HTTP Error " in text:
        match = _HTTP_ERROR.search(text)
        if match is not None:
            return Failure("http", match[1])
    if "curl: (" in text:
        match = _CURL.search(text)
        if match is not None:
            return Failure("curl", match[1])
    return None


def _asks_for_status(command: str) -> bool:
    """Whether the command asks curl to write the status out (guards.md 1.6).

    Between the option and ``%{http_code}`` at most one quote may stand, right after the
    option and its blanks; so it is enough to look at the pieces between quotes.
    """
    if _WRITE_OUT.search(command) is None:
        return False
    before: str | None = None
    for piece in _QUOTE.split(command):
        last = max(piece.rfind("%{http_code}"), piece.rfind("%{response_code}"))
        if last >= 0:
            option = piece.find("-w")  # is in --write-out, too
            if 0 <= option <= last - 2:
                return True
            if before is not None and before.rstrip(white_space.CHARACTERS + "=").endswith(
                ("-w", "--write-out")
            ):
                return True
        before = piece
    return False
