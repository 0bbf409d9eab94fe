"""The lines of a log as far as a guard needs them (session-format.md 4 and 5).

Every struct names only the fields that matter, so that the decoder skips the rest (and
still checks its syntax). Fields that other versions, other plugins or hand-made logs fill
differently are ``Any`` and are looked at by the code that uses them. None can be part of a
cycle, so the collector need not know of them (``gc=False``; a third of the time).
"""

from __future__ import annotations

from typing import Any

import msgspec


class Line(msgspec.Struct, gc=False):
    """The envelope of any line; ``seq0``/``time0`` are those of a packed row."""

    seq: int | None = None
    time: int | float | None = None
    seq0: int | None = None
    time0: int | float | None = None
    ignorable: Any = None
    surfaceOp: Any = None
    sourceEventSeqs: Any = None


class TypedLine(Line, gc=False):
    """A line of a type that is not known beforehand."""

    type: str = ""


class Block(msgspec.Struct, gc=False):
    """A content block: text, reasoning, tool call or the wrapper of a tool result."""

    type: str = ""
    text: str | None = None
    toolCallId: Any = None
    isError: Any = None
    content: list[Block] | str | None = None


class Chunk(msgspec.Struct, gc=False):
    """One piece of a model's stream."""

    type: str
    text: str | None = None
    block: Block | None = None
    reason: Any = None


class RowData(msgspec.Struct, gc=False):
    """A run of deltas packed in one row (4.3)."""

    turn: Any = None
    step: Any = None
    dt: list[int | float] | None = None
    texts: list[str] | None = None
    args: list[str] | None = None


class Entry(msgspec.Struct, gc=False):
    """One record of a ``stream`` array (4.4)."""

    type: str
    time: int | float | None = None
    time0: int | float | None = None
    dt: list[int | float] | None = None
    texts: list[str] | None = None
    args: list[str] | None = None
    chunk: Chunk | None = None


class Source(msgspec.Struct, gc=False):
    """Who made a message."""

    kind: Any = None
    plugin: Any = None
    form: Any = None
    summary: Any = None
    provider: Any = None
    model: Any = None
    callId: Any = None


class Message(msgspec.Struct, gc=False):
    """A message of any role."""

    id: Any = None
    role: Any = None
    source: Source | None = None
    content: list[Block] | str | None = None
    toolCallId: Any = None
    isError: Any = None


class StepData(msgspec.Struct, gc=False):
    """``turn/start``, ``step/start``, ``step/end``, ``turn/end``, ``llm/retry…``."""

    turn: Any = None
    step: Any = None
    reason: Any = None
    failure: Any = None


class ChunkData(msgspec.Struct, gc=False):
    """``assistant/chunk``."""

    chunk: Chunk
    turn: Any = None
    step: Any = None


class AssistantData(msgspec.Struct, gc=False):
    """``assistant/message`` (old shapes too) and ``assistant/attempt``."""

    turn: Any = None
    step: Any = None
    message: Message | None = None
    content: list[Block] | str | None = None
    provenance: Source | None = None
    interrupted: Any = None
    usage: Any = None
    stream: list[Entry] | None = None


class UserData(msgspec.Struct, gc=False):
    """``user/message`` and the older ``steering/message``."""

    content: list[Block] | str | None = None
    source: Source | None = None
    message: Message | None = None


class CallData(msgspec.Struct, gc=False):
    """``tool/call``."""

    callId: str
    name: str
    arguments: str = ""
    turn: Any = None
    step: Any = None


class ResultData(msgspec.Struct, gc=False):
    """``tool/result``: wrapped (0 to 3), lifted (4) or direct (older 0)."""

    turn: Any = None
    step: Any = None
    message: Message | None = None
    error: Any = None
    meta: Any = None
    callId: Any = None
    content: list[Block] | str | None = None
    isError: Any = None


class DispatchData(msgspec.Struct, gc=False):
    """A sub-call of ``run_code``; its arguments stay JSON text."""

    subCallId: str
    name: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    parentCallId: Any = None
    isError: Any = None
    error: Any = None
    content: list[Block] | str | None = None


class LooseDispatchData(msgspec.Struct, gc=False):
    """The same when the line went through the slower decoder."""

    subCallId: str
    name: str
    arguments: str = "{}"
    parentCallId: Any = None
    isError: Any = None
    error: Any = None
    content: list[Block] | str | None = None


class ApprovalData(msgspec.Struct, gc=False):
    """``approval/asked`` and ``approval/decided``."""

    id: Any = None
    toolName: Any = None
    callId: Any = None
    reason: Any = None
    outcome: Any = None


class RequestConfig(msgspec.Struct, gc=False):
    """Which model a request goes to, and how hard it is to think."""

    provider: Any = None
    model: Any = None
    reasoningEffort: Any = None


class RequestHeader(msgspec.Struct, gc=False):
    """The part of ``request/header`` that is read."""

    config: RequestConfig | None = None


class RequestData(msgspec.Struct, gc=False):
    """``request/header`` and ``request/context``."""

    header: RequestHeader | None = None
    provider: Any = None
    model: Any = None


class SeedData(msgspec.Struct, gc=False):
    """``session/end-seed``."""

    inherited: Any = None


class StepLine(Line, gc=False):
    """A line about a turn, a step or a retry."""

    data: StepData = msgspec.field(default_factory=StepData)


class ChunkLine(Line, kw_only=True, gc=False):
    """A line with one chunk."""

    data: ChunkData


class RowLine(Line, kw_only=True, gc=False):
    """A packed row."""

    data: RowData


class AssistantLine(Line, kw_only=True, gc=False):
    """A model's message or failed attempt."""

    data: AssistantData


class UserLine(Line, kw_only=True, gc=False):
    """A message to the model."""

    data: UserData


class CallLine(Line, kw_only=True, gc=False):
    """A tool call."""

    data: CallData


class ResultLine(Line, kw_only=True, gc=False):
    """A tool result."""

    data: ResultData


class DispatchLine(Line, kw_only=True, gc=False):
    """The start or the settling of a sub-call."""

    data: DispatchData


class LooseDispatchLine(Line, kw_only=True, gc=False):
    """The same from the slower decoder."""

    data: LooseDispatchData


class ApprovalLine(Line, kw_only=True, gc=False):
    """A question to the operator or the answer."""

    data: ApprovalData


class RequestLine(Line, kw_only=True, gc=False):
    """Settings of the requests that follow."""

    data: RequestData


class SeedLine(Line, gc=False):
    """The end of a seed, or a resume."""

    data: SeedData = msgspec.field(default_factory=SeedData)
