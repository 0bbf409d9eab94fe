"""From a log to what a guard plugin is told, event by event.

An event is a JSON object with ``kind``: ``begin`` (an agent with empty state), ``human``,
``notice``, ``call`` (``id, tool, arguments, approve``), ``result`` (``id, text, isError,
error {name, code}, statusCode``), and for the reasoning guard ``stream``, ``reasoning``
(``texts``) and ``close``. ``id`` is unique within a lifecycle. Beside it goes a
:class:`Site` that says where in the log it stands. Calls that never reached a guard and
synthetic results are left out, as in a replay; a result is ``quiet`` when it is the guard's
own denial in the recording, which settles nothing (guards.md 1.6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from dsh_calibrate.guards.circuit_breaker.breaker import recorded_denial as circuit_denial
from dsh_calibrate.guards.repeat_tool_breaker.decisions import Outcome, recorded_denial
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import (
    Call,
    Event,
    Gap,
    Human,
    LifecycleStart,
    Notice,
    Result,
    StreamClose,
    StreamOpen,
    StreamPieces,
)
from dsh_calibrate.logs.reading import LogReading, read_log
from dsh_calibrate.replay.plan import Operator, approves

TraceEvent = dict[str, Any]
"""One JSON event; see the module's description."""


class Site(msgspec.Struct, frozen=True):
    """Where an event stands: ``line`` of the log, ``lifecycle``, ordinal and tool if any."""

    line: int
    lifecycle: int
    ordinal: int | None = None
    tool: str | None = None


class LogTrace:
    """The events of one log for one guard; to be iterated once.

    ``reading`` holds header and coverage when the iteration is over.
    """

    def __init__(self, log: Log, guard: str, operator: Operator, *, salvage: bool = False) -> None:
        self._guard = guard
        self._operator: Operator = operator
        self._lifecycle = 0
        self.reading: LogReading = read_log(
            log, salvage=salvage, reasoning=guard == "rlg", calls=guard != "rlg"
        )

    def __iter__(self) -> Iterator[tuple[TraceEvent, Site]]:
        """Yield event and site, in the order of the log's lines."""
        make = self._stream_event if self._guard == "rlg" else self._call_event
        for event in self.reading:
            if isinstance(event, LifecycleStart):
                self._lifecycle = event.number
            made = make(event)
            if made is not None:
                yield made

    def _site(self, event: Event, ordinal: int | None = None, tool: str | None = None) -> Site:
        return Site(event.line, self._lifecycle, ordinal, tool)

    def _call_event(self, event: Event) -> tuple[TraceEvent, Site] | None:
        if isinstance(event, Call):
            return (
                (self._call(event), self._site(event, event.index, event.tool))
                if (event.dispatched)
                else None
            )
        if isinstance(event, Result):
            if event.call is None or event.synthetic:
                return None
            return self._result(event), self._site(event, event.call, event.tool)
        kind = _PLAIN.get(type(event))
        return None if kind is None else ({"kind": kind}, self._site(event))

    def _call(self, call: Call) -> TraceEvent:
        return {
            "kind": "call",
            "id": f"c{call.index}",
            "tool": call.tool,
            "arguments": call.arguments,
            "approve": approves(self._operator, call),
        }

    def _result(self, result: Result) -> TraceEvent:
        event: TraceEvent = {
            "kind": "result",
            "id": f"c{result.call}",
            "text": result.text,
            "isError": result.is_error,
        }
        if result.error_name is not None or result.error_code is not None:
            error = {"name": result.error_name, "code": result.error_code}
            event["error"] = {key: text for key, text in error.items() if text is not None}
        if result.status_code is not None:
            event["statusCode"] = result.status_code
        if is_own_denial(self._guard, event, result.tool):
            event["quiet"] = True
        return event

    def _stream_event(self, event: Event) -> tuple[TraceEvent, Site] | None:
        if isinstance(event, StreamOpen):
            return {"kind": "stream", "id": f"s{event.stream}"}, self._site(event, event.stream)
        if isinstance(event, StreamPieces):
            texts = {"kind": "reasoning", "id": f"s{event.stream}", "texts": list(event.texts)}
            return texts, self._site(event, event.stream)
        if isinstance(event, StreamClose):
            return {"kind": "close", "id": f"s{event.stream}"}, self._site(event, event.stream)
        kind = _PLAIN.get(type(event))
        return ({"kind": "begin"}, self._site(event)) if kind == "begin" else None


_PLAIN: dict[type[Event], str] = {
    LifecycleStart: "begin",
    Gap: "begin",
    Human: "human",
    Notice: "notice",
}


def is_own_denial(guard: str, event: TraceEvent, tool: str) -> bool:
    """Whether a ``result`` event is the guard's own denial, recorded while it was active."""
    if not event.get("isError"):
        return False
    check = _DENIALS.get(guard)
    return check is not None and check(tool, event["text"])


_DENIALS: dict[str, Callable[[str, str], bool]] = {
    "rtb": lambda _, text: recorded_denial(Outcome(text=text, is_error=True)) is not None,
    "tfb": circuit_denial,
}
