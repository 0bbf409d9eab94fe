"""The happenings of a session as event lines of one format version.

The order of fields and events is that of session-format.md 4, 5 and 8.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dsh_calibrate.corpora import dialects
from dsh_calibrate.corpora.dialects import Object
from dsh_calibrate.corpora.event_lines import EventLines
from dsh_calibrate.corpora.happenings import (
    Approval,
    Descriptor,
    EndSeed,
    Happening,
    HumanMessage,
    Json,
    NoticeMessage,
    Other,
    Prune,
    Reply,
    Request,
    RetryStart,
    RetryWait,
    StepEnd,
    StepStart,
    SubEnd,
    SubStart,
    Summary,
    ToolCall,
    ToolResult,
    TurnEnd,
    TurnStart,
)
from dsh_calibrate.corpora.streams import (
    PACK_AT_LEAST,
    blocks,
    chunks,
    packed,
    packed_type,
    runs,
    stream_array,
)


@dataclass(slots=True)
class LineWriter(EventLines):
    """Writes happenings as the lines of ``version``."""

    seqs: dict[int, int] = field(default_factory=dict)
    """Place of a happening → seq of the line that others cite."""
    results: dict[int, ToolResult] = field(default_factory=dict)
    has_system: bool = False

    def write(self, place: int, happening: Happening) -> None:
        """Write the lines of one happening."""
        _WRITERS[type(happening)](self, place, happening)

    # -- turns, steps, requests -----------------------------------------------------------

    def _turn_start(self, place: int, h: TurnStart) -> None:
        data: Object = {"turn": h.turn}
        if self.options.early:
            data["trigger"] = {"kind": "user"}
        self.event(h.time, "turn/start", data)

    def _turn_end(self, place: int, h: TurnEnd) -> None:
        reason: Object = {"kind": dialects.turn_end_reason(h.reason, self.version)}
        if h.reason == "aborted" and not self.options.early:
            reason["reason"] = {"kind": h.abort or "user"}
        if h.reason == "error":
            code = h.code or "UNKNOWN"
            reason["error"] = {"message": f"turn failed ({code})", "code": code}
        self.event(h.time, "turn/end", {"turn": h.turn, "reason": reason})

    def _step_start(self, place: int, h: StepStart) -> None:
        self.event(h.time, "step/start", {"turn": h.turn, "step": h.step})
        if self.version >= 3 and not self.has_system:
            self.has_system = True
            message: Object = {
                "id": f"system:{h.turn}:{h.step}",
                "role": "system",
                "content": [{"type": "text", "text": "You are a coding agent."}],
                "source": dialects.producer_source("system-prompt", self.version),
            }
            data: Object = {"turn": h.turn, "step": h.step, "message": message}
            self.event(h.time, "system/message", data, surface="append")

    def _step_end(self, place: int, h: StepEnd) -> None:
        self.event(h.time, "step/end", {"turn": h.turn, "step": h.step})

    def _request(self, place: int, h: Request) -> None:
        config: Object = {"provider": h.provider, "model": h.model}
        if h.effort is not None:
            config["reasoningEffort"] = h.effort
        head: Object = {"config": config}
        if self.version < 3:
            head["system"] = "You are a coding agent."
        self.event(h.time, "request/header", {"header": head, "reason": h.reason})
        self.event(h.time, "request/context", {"provider": h.provider, "model": h.model})

    # -- messages ---------------------------------------------------------------------------

    def _human(self, place: int, h: HumanMessage) -> None:
        self._user(h.time, h.message, h.text, {"kind": "user"}, steering=h.steering)

    def _notice(self, place: int, h: NoticeMessage) -> None:
        self._user(h.time, h.message, h.text, dialects.source_of(h, self.version))

    def _user(
        self, time: int, message: str, text: str, source: Object, *, steering: bool = False
    ) -> None:
        content: list[Json] = [{"type": "text", "text": text}]
        if self.options.early:
            data: Object = {"content": content, "source": source}
            if steering:
                data = {"turn": self._turn(), **data}
            type_ = "steering/message" if steering else "user/message"
            self.event(time, type_, data, surface="append")
            return
        full: Object = {"id": message, "role": "user", "content": content, "source": source}
        spliced: Object = {
            "target": "next-step" if steering else "next-turn",
            "start": 0,
            "removedCount": 1,
            "inserted": [],
        }
        if source == {"kind": "user"}:
            self.event(time, "agent/inbox/spliced", spliced)
        self.event(time, "user/message", full, surface="append")

    def _turn(self) -> Json:
        for _, line in reversed(self.lines):
            data = line["data"]
            if line["type"] == "turn/start" and isinstance(data, dict):
                return data["turn"]
        return 0

    def _reply(self, place: int, h: Reply) -> None:
        if dialects.embeds_streams(self.version):
            self._embedded(h)
        else:
            self._top_level(h)

    def _message(self, h: Reply) -> Object:
        source: Object = {"kind": "model", "provider": h.provider, "model": h.model}
        if self.options.early:
            data: Object = {"turn": h.turn, "step": h.step, "content": blocks(h)}
            data["provenance"] = {"provider": h.provider, "model": h.model}
            return data
        message: Object = {
            "id": h.message,
            "role": "assistant",
            "content": blocks(h),
            "source": source,
        }
        data = {"turn": h.turn, "step": h.step, "message": message}
        data["usage"] = {"inputTokens": 10, "outputTokens": 1 + len(h.pieces)}
        if h.interrupted:
            data["interrupted"] = True
        return data

    def _embedded(self, h: Reply) -> None:
        if h.outcome == "lost":
            return
        stream: list[Json] = stream_array(h, tool_call_chunks=self.options.tool_call_chunks)
        if h.outcome == "attempt":
            data: Object = {"turn": h.turn, "step": h.step, "stream": stream}
            self.event(h.time, "assistant/attempt", data)
            return
        self.event(
            h.time, "assistant/message", {**self._message(h), "stream": stream}, surface="append"
        )

    def _top_level(self, h: Reply) -> None:
        first = self.seq
        if h.granular:
            parts = list(chunks(h, tool_call_chunks=self.options.tool_call_chunks))
            for run in runs(parts, window_ms=self.options.batch_ms):
                pack = self.options.packed and run[0].run is not None
                if pack and len(run) >= PACK_AT_LEAST:
                    row: Object = {"type": packed_type(run)}
                    if not self.options.stripped:
                        row |= {"seq0": self.seq, "time0": run[0].time}
                    row["data"] = {"turn": h.turn, "step": h.step, **packed(run)}
                    self.lines.append((run[0].time, row))
                    self.seq += len(run)
                    continue
                for part in run:
                    data: Object = {"turn": h.turn, "step": h.step, "chunk": part.chunk}
                    self.event(part.time, "assistant/chunk", data)
        if h.outcome == "message":
            cited = range(first, self.seq) if h.granular else None
            self.event(
                h.time, "assistant/message", self._message(h), sources=cited, surface="append"
            )

    def _retry_wait(self, place: int, h: RetryWait) -> None:
        failure: Object = {"message": f"model call failed ({h.code})", "code": h.code}
        data: Object = {
            "retryId": f"retry-{h.turn}-{h.step}-{h.retry}",
            "turn": h.turn,
            "step": h.step,
            "provider": h.provider,
            "mode": "normal",
            "policyKey": "normal",
            "retry": h.retry,
            "maxRetries": 5,
            "delayMs": h.delay_ms,
            "failure": failure,
        }
        self.event(h.time, "llm/retry", data)

    def _retry_start(self, place: int, h: RetryStart) -> None:
        data: Object = {
            "retryId": f"retry-{h.turn}-{h.step}-{h.retry}",
            "turn": h.turn,
            "step": h.step,
            "retry": h.retry,
        }
        self.event(h.time, "llm/retry-started", data)

    # -- tools --------------------------------------------------------------------------------

    def _call(self, place: int, h: ToolCall) -> None:
        data: Object = {
            "turn": h.turn,
            "step": h.step,
            "callId": h.call_id,
            "name": h.tool,
            "arguments": h.arguments,
        }
        self.seqs[place] = self.event(h.time, "tool/call", data)

    def _result(self, place: int, h: ToolResult) -> None:
        self.results[place] = h
        sources = [self.seqs[h.call]] if h.call is not None else []
        self.seqs[place] = self.event(
            h.time,
            "tool/result",
            self._result_data(h, h.message, h.text),
            sources=sources,
            surface="append",
        )

    def _result_data(self, h: ToolResult, message: str, text: str) -> Object:
        data: Object = {"turn": h.turn, "step": h.step}
        if self.options.early:
            content: list[Json] = [{"type": "text", "text": text}]
            data |= {"callId": h.call_id, "content": content, "isError": h.is_error}
        else:
            data["message"] = dialects.result_message(
                message, h.call_id, text, h.is_error, self.version
            )
        if h.error_name is not None or h.error_code is not None:
            data["error"] = _error(h.error_name, h.error_code)
        if h.meta:
            data["meta"] = dict(h.meta)
        return data

    def _sub_start(self, place: int, h: SubStart) -> None:
        self.event(h.time, f"{dialects.dispatch_type(self.version)}-start", self._sub(h))

    def _sub_end(self, place: int, h: SubEnd) -> None:
        data = self._sub(h) | {"isError": h.is_error}
        if self.version >= 4 and (h.error_name is not None or h.error_code is not None):
            data["error"] = _error(h.error_name, h.error_code)
        data["content"] = [{"type": "text", "text": h.text}]
        self.event(h.time, dialects.dispatch_type(self.version), data)

    def _sub(self, h: SubStart | SubEnd) -> Object:
        return {
            "rootCallId": h.parent,
            "parentCallId": h.parent,
            "subCallId": dialects.sub_call_id(h.parent, h.number, self.version),
            "name": h.tool,
            "arguments": h.arguments,
        }

    def _approval(self, place: int, h: Approval) -> None:
        asked: Object = {"id": f"approval-{h.number}", "toolName": h.tool, "callId": h.call_id}
        if h.reason is not None:
            asked["reason"] = h.reason
        self.event(h.time, "approval/asked", asked)
        decided: Object = {"id": f"approval-{h.number}", "outcome": h.outcome}
        self.event(h.time, "approval/decided", decided)

    # -- history ------------------------------------------------------------------------------

    def _end_seed(self, place: int, h: EndSeed) -> None:
        data: Object = {"inherited": True} if h.inherited and self.version >= 2 else {}
        self.event(h.time, "session/end-seed", data)

    def _prune(self, place: int, h: Prune) -> None:
        old = self.seqs[h.result]
        data: Object = {
            "shadowedRange": {"start": old, "end": old},
            "shadowedSeqs": [old],
            "shadowedTokenCount": 100,
        }
        cited = self.event(h.time, "compaction/prune", data)
        replaced = self._result_data(self.results[h.result], h.message, h.text)
        surface = dialects.replacing(old, old, self.version)
        new = self.event(h.time, "tool/result", replaced, sources=[cited, old], surface=surface)
        if old in self.surface:
            self.surface[self.surface.index(old)] = new

    def _summary(self, place: int, h: Summary) -> None:
        keep = 1 if self.version >= 3 and self.has_system else 0
        shadowed: list[Json] = [*self.surface[keep:]]
        first, last = self.surface[keep], self.surface[-1]
        compaction: Object = {"compactionId": f"compaction-{h.number}"}
        text: list[Json] = [{"type": "text", "text": h.text}]
        started = self.event(h.time, "compaction/start", {**compaction, "turn": h.turn})
        data: Object = {
            **compaction,
            "summary": text,
            "shadowedRange": {"start": first, "end": last},
            "shadowedSeqs": shadowed,
            "shadowedTokenCount": 1000,
            "provider": h.provider,
            "model": h.model,
        }
        made = self.event(h.time, "compaction/summary", data)
        message: Object = {
            "id": h.message,
            "role": "user",
            "content": text,
            "source": {
                **dialects.producer_source("compact-checkpoint", self.version),
                **compaction,
            },
        }
        new = self.event(
            h.time,
            "user/message",
            message,
            sources=[started, made, *self.surface[keep:]],
            surface=dialects.replacing(first, last, self.version),
        )
        self.surface[keep:] = [new]
        self.event(h.time, "compaction/end", {**compaction, "turn": h.turn})

    def _descriptor(self, place: int, h: Descriptor) -> None:
        data: Object = {"version": 3, "mode": "one-shot", "provider": "spawn", "label": h.label}
        self.event(h.time, "subagent/descriptor", data)

    def _other(self, place: int, h: Other) -> None:
        self.event(h.time, h.type, dict(h.data))
        if h.ignorable:
            self.lines[-1][1]["ignorable"] = True


def _error(name: str | None, code: str | None) -> Object:
    error: Object = {}
    if name is not None:
        error["name"] = name
    if code is not None:
        error["code"] = code
    return error


_WRITERS: dict[type[Happening], Callable[..., None]] = {
    TurnStart: LineWriter._turn_start,
    TurnEnd: LineWriter._turn_end,
    StepStart: LineWriter._step_start,
    StepEnd: LineWriter._step_end,
    Request: LineWriter._request,
    HumanMessage: LineWriter._human,
    NoticeMessage: LineWriter._notice,
    Reply: LineWriter._reply,
    RetryWait: LineWriter._retry_wait,
    RetryStart: LineWriter._retry_start,
    ToolCall: LineWriter._call,
    ToolResult: LineWriter._result,
    SubStart: LineWriter._sub_start,
    SubEnd: LineWriter._sub_end,
    Approval: LineWriter._approval,
    EndSeed: LineWriter._end_seed,
    Prune: LineWriter._prune,
    Summary: LineWriter._summary,
    Descriptor: LineWriter._descriptor,
    Other: LineWriter._other,
}
