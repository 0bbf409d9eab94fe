"""One line of JSON to one struct: fast where possible, exact everywhere.

The fast decoder refuses a few lines that JavaScript accepts (lone surrogates, numbers
beyond a double); those are decoded again by the standard library and counted. What both
refuse is damage. A line that is JSON but not of the expected shape is *not understood*,
which is no damage: the reader skips it and counts its type.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

import msgspec

from dsh_calibrate.logs import shapes
from dsh_calibrate.logs.events import Header

ROWS = {"reasoning-chunks": "texts", "text-chunks": "texts", "tool-call-chunks": "args"}
"""Types of packed rows and the name of their list (``texts`` occurs for calls, too)."""

STREAM_TYPES = frozenset({"assistant/chunk", "assistant/message", "assistant/attempt", *ROWS})
"""Types of lines that carry a model's stream."""

SHAPES: dict[str, type[shapes.Line]] = {
    "turn/start": shapes.StepLine,
    "turn/end": shapes.StepLine,
    "step/start": shapes.StepLine,
    "step/end": shapes.StepLine,
    "llm/retry": shapes.StepLine,
    "llm/retry-started": shapes.StepLine,
    "assistant/chunk": shapes.ChunkLine,
    **dict.fromkeys(ROWS, shapes.RowLine),
    "assistant/message": shapes.AssistantLine,
    "assistant/attempt": shapes.AssistantLine,
    "user/message": shapes.UserLine,
    "steering/message": shapes.UserLine,
    "tool/call": shapes.CallLine,
    "tool/result": shapes.ResultLine,
    "tool/code-dispatch-start": shapes.DispatchLine,
    "tool/code-dispatch": shapes.DispatchLine,
    "tool/ptc-dispatch-start": shapes.DispatchLine,
    "tool/ptc-dispatch": shapes.DispatchLine,
    "approval/asked": shapes.ApprovalLine,
    "approval/decided": shapes.ApprovalLine,
    "request/header": shapes.RequestLine,
    "request/context": shapes.RequestLine,
    "session/end-seed": shapes.SeedLine,
}
"""Types of lines that events are made of, and what is read of each."""
BARE = frozenset(
    {
        "session",
        "system/message",
        "developer/message",
        "approval/policy",
        "permission/preset",
        "sandbox/mode",
        "compaction/start",
        "compaction/summary",
        "compaction/end",
        "compaction/prune",
        "session/title",
        "session/title-llm-request",
        "agent/inbox/spliced",
        "agent-preset/selected",
        "model/selection",
        "todo/write",
        "plan/mode",
        "goal/change",
        "schedule/change",
        "command/run",
        "command/done",
        "hook/invoked",
        "hook/result",
        "image/offload",
        "deliverables/presented",
        "workspace/changes",
        "request/header-delta",
        "mode/set",
        "web/deepseek-search-llm-request",
        "session-log-deepseek/delivery-accepted",
    }
)
"""Other types that session-format.md names; of them the envelope is enough."""
_KNOWN_FAMILIES = ("team/", "tool-workflow/", "subagent/", "feedback/")


class NotJson(Exception):
    """The line is no JSON value; the text says why, without content of the line."""


class TooMuch(Exception):
    """Replaying the line would need unreasonable memory; the text says what is too large."""


class NotUnderstood(Exception):
    """The line is JSON of another shape than its type promises."""


def is_known(kind: str) -> bool:
    """Whether session-format.md names this type of line."""
    return kind in SHAPES or kind in BARE or kind.startswith(_KNOWN_FAMILIES)


class Decoder:
    """Decodes lines; ``fallback`` counts those that needed the standard library."""

    def __init__(self) -> None:
        self.fallback = 0
        self._fast = {kind: msgspec.json.Decoder(shape).decode for kind, shape in SHAPES.items()}
        self._line = msgspec.json.Decoder(shapes.TypedLine).decode

    def envelope(self, line: bytes) -> shapes.TypedLine:
        """Decode a line of any type; raises :class:`NotJson`, :class:`NotUnderstood`."""
        try:
            return self._line(line)
        except (msgspec.DecodeError, RecursionError):
            return cast(shapes.TypedLine, self._slow(line, shapes.TypedLine))

    def line(self, kind: str, line: bytes) -> shapes.Line:
        """Decode a line of a type that events are made of, into its own shape."""
        try:
            return self._fast[kind](line)
        except (msgspec.DecodeError, RecursionError):
            return cast(shapes.Line, self._slow(line, SHAPES[kind]))

    def _slow(self, line: bytes, shape: type[shapes.Line]) -> Any:
        value = load(line)
        self.fallback += 1
        if shape is shapes.DispatchLine:
            shape = shapes.LooseDispatchLine
            data = value.get("data") if isinstance(value, dict) else None
            if isinstance(data, dict) and "arguments" in data:
                data["arguments"] = json.dumps(data["arguments"], ensure_ascii=False)
        try:
            return msgspec.convert(value, shape)
        except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
            raise NotUnderstood from None


_TYPE = re.compile(rb'\{"type":"([^"\\]+)"')


def type_of(line: bytes) -> str | None:
    """Return a line's type when it stands first, as the harness writes it; else ``None``."""
    found = _TYPE.match(line)
    return found.group(1).decode("utf-8", "replace") if found else None


def has_shape(kind: str) -> bool:
    """Whether lines of this type are decoded into a shape of their own."""
    return kind in SHAPES


def load(line: bytes) -> Any:
    """Decode any JSON value as JavaScript would accept it; raises :class:`NotJson`."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse, parse_int=_integer)
    except UnicodeDecodeError:
        raise NotJson("it is not UTF-8") from None
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except ValueError:
        raise NotJson("it is not JSON") from None


def _refuse(name: str) -> object:
    raise ValueError(name)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 400 else float(digits)


def integer(value: object) -> int | None:
    """Return a whole number as ``int``, anything else as ``None``."""
    if type(value) is int:
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None


def moment(value: object) -> int | None:
    """Return a time in whole epoch milliseconds, anything else as ``None``."""
    if isinstance(value, float):
        return int(value) if abs(value) < 1e18 else None
    return integer(value)


def string(value: object) -> str | None:
    """Return a string, anything else as ``None``."""
    return value if isinstance(value, str) else None


def header(line: bytes) -> Header | None:
    """Return the header of a DSH log, or ``None`` when this is another first line.

    Accepted is ``type: session`` with an integer ``createdAt`` (session-format.md 3; the
    look-alike of another agent has a time string instead). Raises :class:`NotJson`.
    """
    value = load(line)
    if not isinstance(value, dict) or value.get("type") != "session":
        return None
    created = integer(value.get("createdAt"))
    if created is None:
        return None
    seeded = value.get("isSeeded")
    return Header(
        session=string(value.get("id")) or "",
        version=integer(value.get("version")),
        created_at=created,
        cwd=string(value.get("cwd")),
        parent_session=string(value.get("parentSession")),
        seed_length=integer(value.get("seedLength")),
        is_seeded=seeded if isinstance(seeded, bool) else None,
        origin=string(value.get("origin")),
        delegation_depth=integer(value.get("delegationDepth")) or 0,
        agent_preset=string(value.get("agentPreset")),
    )
