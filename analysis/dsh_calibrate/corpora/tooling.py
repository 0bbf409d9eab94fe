"""Tools: calls, results, sub-calls and approvals of a session under construction."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Self

from dsh_calibrate.corpora.happenings import (
    Approval,
    CallBlock,
    Json,
    Reply,
    SubEnd,
    SubStart,
    ToolCall,
    ToolResult,
)
from dsh_calibrate.corpora.talk import Talk
from dsh_calibrate.errors import UsageError


class Tooling(Talk):
    """What the model does with tools."""

    def call(
        self,
        tool: str,
        arguments: Mapping[str, Json] | str,
        *,
        call_id: str | None = None,
        after: int | None = None,
    ) -> Self:
        """Let the model call a tool; a string of arguments is written raw, JSON or not."""
        self._wait(after)
        if self._open.reply is None or self._open.settled:
            self.reasoning(())
        if call_id is None:
            self._call_ids += 1
            call_id = f"call_{self._call_ids}"
        raw = arguments if isinstance(arguments, str) else _dump(dict(arguments))
        place = self._open.reply
        assert place is not None
        reply = self._happenings[place]
        assert isinstance(reply, Reply)
        block = CallBlock(call_id=call_id, tool=tool, arguments=raw)
        self._happenings[place] = replace(reply, calls=(*reply.calls, block))
        self._open.calls.append(len(self._happenings))
        self._add(
            ToolCall(
                time=self._later(0),
                turn=self._turn,
                step=self._step,
                call_id=call_id,
                tool=tool,
                arguments=raw,
            )
        )
        return self

    def result(
        self,
        text: str = "ok",
        *,
        error: bool = False,
        name: str | None = None,
        code: str | None = None,
        meta: Mapping[str, Json] | None = None,
        status: int | None = None,
        call_id: str | None = None,
        synthetic: Literal["interrupted", "forked"] | None = None,
        after: int | None = None,
    ) -> Self:
        """Settle the oldest call still open in this step (or the one with ``call_id``).

        ``error`` is ``isError``; ``name`` and ``code`` the harness's typed error; ``status``
        becomes ``meta.statusCode``. With a ``call_id`` that is not open the result belongs
        to no call of this step. ``synthetic`` is one that crash repair
        or a fork invented.
        """
        self._wait(after)
        place = self._take_call(call_id)
        if place is None and call_id is None:
            raise UsageError("a result without an open call: add a call first or give a call_id")
        call = self._happenings[place] if place is not None else None
        assert call is None or isinstance(call, ToolCall)
        message = self._message()
        self._add(
            ToolResult(
                time=self._now if synthetic else self._later(),
                turn=self._turn,
                step=self._step,
                message=f"{synthetic}-tool-result-{message}" if synthetic else message,
                call_id=call.call_id if call is not None else str(call_id),
                call=place,
                text=text,
                is_error=error or name is not None or code is not None,
                error_name=name,
                error_code=code,
                meta={**(meta or {}), **({"statusCode": status} if status is not None else {})},
            )
        )
        self._open.settled = True
        return self

    def sub_call(self, tool: str, arguments: Json, *, after: int | None = None) -> Self:
        """Let the open ``run_code`` program call a tool (``arguments`` is a JSON value)."""
        self._wait(after)
        if not self._open.calls:
            raise UsageError("a sub-call outside run_code: add its call first")
        parent = self._happenings[self._open.calls[-1]]
        assert isinstance(parent, ToolCall)
        earlier = sum(isinstance(h, SubStart) for h in self._since(self._open.calls[-1]))
        self._open.subs.append(len(self._happenings))
        self._add(
            SubStart(
                time=self._later(),
                parent=parent.call_id,
                number=earlier + 1,
                tool=tool,
                arguments=arguments,
            )
        )
        return self

    def sub_result(
        self,
        text: str = "ok",
        *,
        error: bool = False,
        name: str | None = None,
        code: str | None = None,
        after: int | None = None,
    ) -> Self:
        """Settle the oldest open sub-call (``name`` and ``code`` are kept from v4 on)."""
        self._wait(after)
        if not self._open.subs:
            raise UsageError("a sub-call's result without an open sub-call: add sub_call first")
        start = self._happenings[self._open.subs.pop(0)]
        assert isinstance(start, SubStart)
        self._add(
            SubEnd(
                time=self._later(),
                parent=start.parent,
                number=start.number,
                tool=start.tool,
                arguments=start.arguments,
                text=text,
                is_error=error or name is not None or code is not None,
                error_name=name,
                error_code=code,
            )
        )
        return self

    def approval(self, outcome: str = "allowed-once", *, reason: str | None = None) -> Self:
        """Record that the operator was asked about the last open call (``rejected``…)."""
        if not self._open.calls:
            raise UsageError("an approval without an open call: add a call first")
        call = self._happenings[self._open.calls[-1]]
        assert isinstance(call, ToolCall)
        self._approvals += 1
        self._add(
            Approval(
                time=self._later(),
                number=self._approvals,
                call_id=call.call_id,
                tool=call.tool,
                outcome=outcome,
                reason=reason,
            )
        )
        return self


def _dump(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
