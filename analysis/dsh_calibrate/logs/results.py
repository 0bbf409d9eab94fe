"""Tool results of every version read into one form (session-format.md 5.6, 5.7 and 10)."""

from __future__ import annotations

import msgspec

from dsh_calibrate.logs.decode import string
from dsh_calibrate.logs.shapes import (
    Block,
    DispatchData,
    LooseDispatchData,
    Message,
    ResultData,
)

NOT_DISPATCHED = frozenset({"ABORTED_BEFORE_DISPATCH", "TOOL_NOT_STARTED"})
"""Codes of results whose call never reached a guard (guards.md, introduction)."""
_INVENTED = frozenset({"TOOL_NOT_STARTED", "TOOL_OUTCOME_UNKNOWN"})
_INVENTED_IDS = ("interrupted-tool-result-", "forked-tool-result-")


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What a result says, whatever place its version keeps it in."""

    call_id: str
    text: str
    is_error: bool
    error_name: str | None = None
    error_code: str | None = None
    status_code: float | None = None
    synthetic: bool = False

    @property
    def dispatched(self) -> bool:
        """Whether the call reached the guards at all."""
        return self.error_code not in NOT_DISPATCHED


def join_text(content: list[Block] | str | None) -> str:
    """Join the text blocks with newlines; other blocks are empty strings (C76)."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if len(content) == 1:
        return (content[0].text or "") if content[0].type == "text" else ""
    return "\n".join((b.text or "") if b.type == "text" else "" for b in content)


def read_result(data: ResultData) -> Outcome:
    """Read a ``tool/result``: wrapped, lifted, or with its fields directly in ``data``."""
    message = data.message
    if message is None:
        message = Message(content=data.content, toolCallId=data.callId, isError=data.isError)
    content: list[Block] | str | None = message.content
    call_id = string(message.source.callId) if message.source else None
    is_error = message.isError
    call_id = call_id or string(message.toolCallId)
    if isinstance(content, list) and content and content[0].type == "tool-result":
        wrapper = content[0]
        call_id = call_id or string(wrapper.toolCallId)
        is_error = wrapper.isError
        content = wrapper.content
    name, code = _error(data.error)
    identity = string(message.id) or ""
    return Outcome(
        call_id=call_id or string(data.callId) or "",
        text=join_text(content),
        is_error=is_error is True,
        error_name=name,
        error_code=code,
        status_code=_status(data.meta),
        synthetic=code in _INVENTED or identity.startswith(_INVENTED_IDS),
    )


def read_settled(data: DispatchData | LooseDispatchData) -> Outcome:
    """Read the settling of a sub-call (never with ``meta``)."""
    name, code = _error(data.error)
    return Outcome(
        call_id=data.subCallId,
        text=join_text(data.content),
        is_error=data.isError is True,
        error_name=name,
        error_code=code,
        synthetic=code in _INVENTED,
    )


def _error(error: object) -> tuple[str | None, str | None]:
    if not isinstance(error, dict):
        return None, None
    return string(error.get("name")), string(error.get("code"))


def _status(meta: object) -> float | None:
    status = meta.get("statusCode") if isinstance(meta, dict) else None
    if isinstance(status, bool) or not isinstance(status, int | float):
        return None
    return float(status)
