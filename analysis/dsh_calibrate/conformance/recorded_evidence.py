"""What a guard said and did while a session was recorded, as its log tells.

Denials stand in error results, advice in notices of the plugin, questions in the reasons of
approvals, fires in the failure code of a stream (contract.md 4, session-format.md 5).
"""

from __future__ import annotations

import re
from collections import deque
from typing import Literal

import msgspec

from dsh_calibrate.conformance.plugin_texts import advice_in, circuit_count, hits_in
from dsh_calibrate.guards.circuit_breaker.breaker import recorded_denial as is_circuit_denial
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.decisions import Outcome, recorded_denial
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.logs.events import (
    Call,
    Event,
    LifecycleStart,
    Notice,
    Result,
    StreamClose,
)
from dsh_calibrate.replay.recorded import producer

Part = Literal["rtb", "shell_http", "tfb", "rtr", "rlg"]
"""What is matched on its own: the four guards, the shell-HTTP block apart from its breaker."""

PARTS: tuple[Part, ...] = ("rtb", "shell_http", "tfb", "rtr", "rlg")

_QUESTION = "repeat-tool-breaker:"
_NOT_GRANTED = "An exemption was requested"
_OLD_RESULT = "\n\nPrevious tool result:"
_BLOCKED = "REPEAT_TOOL_BLOCKED: "
_NUMBER = "[0-9]{1,15}"  # what int and float take
_ONE_LINE = re.compile(
    rf"{_BLOCKED}(?P<fp>\S[^\n]*) (?P<count>{_NUMBER})/(?P<cap>{_NUMBER}(?:\.{_NUMBER})?)"
)
_CUT = re.compile(r"… \(\+[0-9]+ more chars\)$")
_RECENT_CALLS = 64
"""Calls that are looked through for the measure that an advice names."""


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One intervention that the recording holds.

    ``call`` or ``stream`` is the ordinal in the lifecycle and ``tool`` the name, where the
    log tells them (an advice only names its measure). ``fingerprint``, ``count`` and
    ``threshold`` are what its text names, ``None`` where it names none; ``stage`` as in a
    decision where the wording tells; ``asked`` that the operator had been asked. ``known``
    tells whether the engine gives that measure to a call there; ``None`` when there was
    none to look for.
    """

    part: Part
    kind: Literal["stop", "ask", "advice", "fire"]
    lifecycle: int
    line: int
    call: int | None = None
    stream: int | None = None
    tool: str | None = None
    fingerprint: str | None = None
    count: int | None = None
    threshold: float | None = None
    stage: str | None = None
    asked: bool = False
    summary: str | None = None
    known: bool | None = None


class Evidence:
    """Collects the interventions of one log; hand it every event (``replay_log(also=…)``)."""

    def __init__(self, config: Config | None, failure_code: str) -> None:
        self.found: list[Recorded] = []
        self._config = config
        self._failure_code = failure_code
        self._memo = Memo()
        self._begin(0)

    def _begin(self, lifecycle: int) -> None:
        self._lifecycle = lifecycle
        self._asked: set[int] = set()
        self._calls: dict[int, tuple[str, str]] = {}
        self._recent: deque[tuple[str, str]] = deque(maxlen=_RECENT_CALLS)

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if isinstance(event, Call):
            self._call(event)
        elif isinstance(event, Result):
            self._result(event)
        elif isinstance(event, Notice):
            self._notice(event)
        elif isinstance(event, StreamClose):
            if event.failure_code == self._failure_code:
                self._add("rlg", "fire", event, stream=event.stream)
        elif isinstance(event, LifecycleStart):
            self._begin(event.number)

    def finish(self) -> None:
        """The log is over; nothing is pending."""

    def _add(self, part: Part, kind: str, event: Event, **more: object) -> None:
        values = {"part": part, "kind": kind, "lifecycle": self._lifecycle, "line": event.line}
        self.found.append(msgspec.convert({**values, **more}, Recorded))

    def _call(self, call: Call) -> None:
        self._calls[call.index] = call.tool, call.arguments
        self._recent.append((call.tool, call.arguments))
        reason = call.approval_reason or ""
        if call.approval is not None and reason.startswith(_QUESTION):
            self._asked.add(call.index)
            self._stop(call, call.index, "ask", reason, asked=True)

    def _result(self, result: Result) -> None:
        index = result.call
        if index is None or not result.is_error:
            return
        if is_circuit_denial(result.tool, result.text):
            count = circuit_count(result.text)
            self._add(
                "tfb", "stop", result, call=index, tool=result.tool, count=count, stage="circuit"
            )
            return
        marker = recorded_denial(Outcome(text=result.text, is_error=True))
        if marker == "SHELL_HTTP_BLOCKED":
            self._add("shell_http", "stop", result, call=index, stage="shell_http")
        elif marker is not None and index not in self._asked:
            self._stop(result, index, "stop", result.text, asked=_NOT_GRANTED in result.text)

    def _stop(self, event: Event, index: int, kind: str, text: str, *, asked: bool) -> None:
        named = named_in(text)
        known = None
        if named and index in self._calls:
            known = self._has(self._calls[index], str(named["fingerprint"]))
        self._add("rtb", kind, event, call=index, asked=asked, known=known, **named)

    def _notice(self, notice: Notice) -> None:
        name = producer(notice)
        if name not in ("repeat-tool-breaker", "repeat-tool-reminder"):
            return
        summary = notice.summary or ""
        told = advice_in({"summary": summary, "text": notice.text})
        named = {key: told[key] for key in ("fingerprint", "count", "stage") if key in told}
        if name == "repeat-tool-reminder":
            named.pop("stage", None)
            tool = named.get("fingerprint")
            self._add("rtr", "advice", notice, summary=summary, tool=tool, **named)
            return
        known = None
        if "fingerprint" in named:
            known = any(self._has(call, named["fingerprint"]) for call in self._recent)
        self._add("rtb", "advice", notice, summary=summary, known=known, **named)

    def _has(self, call: tuple[str, str], fingerprint: str) -> bool | None:
        if self._config is None:
            return None
        prints = self._memo.prepared(*call, self._config).all
        return any(same_fingerprint(fingerprint, one) for one in prints)


def _one_line(text: str) -> re.Match[str] | None:
    """The short form of a denial: one look at each line, from where it begins there."""
    start = text.find(_BLOCKED)
    while start >= 0:
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if found := _ONE_LINE.match(text, start, end):
            return found
        start = text.find(_BLOCKED, end)
    return None


def named_in(text: str) -> dict[str, object]:
    """The first measure that a denial or question of rtb names, with count and threshold."""
    head = text.partition(_OLD_RESULT)[0]
    hits = hits_in(head, None)
    if hits:
        first = hits[0]
        stage = str(first["track"])
        return {
            "fingerprint": first["fingerprint"],
            "count": first["count"],
            "threshold": first["threshold"],
            "stage": stage,
        }
    short = _one_line(head)
    if short is None:
        return {}
    return {
        "fingerprint": short["fp"],
        "count": int(short["count"]),
        "threshold": float(short["cap"]),
        "stage": "repeat",
    }


def same_fingerprint(told: str, whole: str) -> bool:
    """Whether a fingerprint as a text or summary tells it, maybe cut, is this one."""
    if told == whole:
        return True
    cut = _CUT.search(told)
    if cut is not None:
        return whole.startswith(told[: cut.start()])
    start, dots, end = told.partition("…")
    return bool(dots) and len(start) > 40 and whole.startswith(start) and whole.endswith(end)
