"""What the lines of a log mean, in order: turns, steps, calls, streams, lifecycles."""

from __future__ import annotations

from collections.abc import Callable

from dsh_calibrate.logs import events, shapes
from dsh_calibrate.logs.account import Account
from dsh_calibrate.logs.decode import TooMuch, integer, string
from dsh_calibrate.logs.pairing import LookAhead, OpenCall, Pairing
from dsh_calibrate.logs.results import Outcome, join_text, read_result, read_settled
from dsh_calibrate.logs.streams import Place, Streams, check_stream, members
from dsh_calibrate.logs.usage import read_usage

MOST_ARGUMENTS = 4 << 20
"""Characters of one call's arguments; a command takes some 25 times that when it is split."""

_Handler = Callable[[str, shapes.Line, Place, int], None]


class States:
    """Turns records into events; holds them back while a call is undecided.

    ``emit`` puts an event in line.
    """

    def __init__(self, account: Account, *, reasoning: bool, calls: bool) -> None:
        self._account = account
        self._reasoning = reasoning
        self._calls = calls
        self._ahead = LookAhead()
        self.emit: Callable[[events.Event], None] = self._ahead.put
        self._pairing = Pairing()
        self.streams = Streams(self._ahead.put)
        self._lifecycle = 0
        self._turn: int | None = None
        self._step: int | None = None
        self._handlers: dict[str, _Handler] = {
            "turn/start": self._turn_line,
            "turn/end": self._turn_line,
            "step/start": self._step_line,
            "step/end": self._step_line,
            "llm/retry": self._retry,
            "llm/retry-started": self._retry,
            "assistant/chunk": self._chunk,
            "reasoning-chunks": self._row,
            "text-chunks": self._row,
            "tool-call-chunks": self._row,
            "assistant/message": self._assistant,
            "assistant/attempt": self._assistant,
            "user/message": self._user,
            "steering/message": self._user,
            "tool/call": self._call,
            "tool/result": self._result,
            "tool/code-dispatch-start": self._sub_call,
            "tool/ptc-dispatch-start": self._sub_call,
            "tool/code-dispatch": self._sub_result,
            "tool/ptc-dispatch": self._sub_result,
            "approval/asked": self._approval,
            "approval/decided": self._approval,
            "request/header": self._request,
            "request/context": self._request,
            "session/end-seed": self._end_seed,
        }

    def ready(self) -> list[events.Event]:
        """Return and forget the events that no longer wait for anything."""
        return self._ahead.ready()

    @staticmethod
    def count(record: shapes.Line) -> int:
        """Return the number of a packed row's members; raises for a corrupt one."""
        assert isinstance(record, shapes.RowLine)
        return len(members(record.data))

    def take(self, kind: str, record: shapes.Line, place: Place, skip: int) -> None:
        """Take one record of the log's own part; ``skip`` members of it are inherited."""
        self._handlers[kind](kind, record, place, skip)

    def gap(self, place: Place, gap: events.Gap) -> None:
        """Damage was skipped: nothing that was open goes on."""
        if self._reasoning:
            self.streams.cut(place)
        self._ahead.release()
        self._pairing.forget()
        self._turn = self._step = None
        self.emit(gap)

    def finish(self, place: Place) -> None:
        """The log ends."""
        if self._reasoning:
            self.streams.cut(place)
        self._ahead.release()

    def _turn_line(self, kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.StepLine)
        turn = integer(record.data.turn)
        self._close_step(place)
        if kind == "turn/start":
            self._turn = turn
            self.emit(events.TurnStart(seq=place.seq, line=place.line, time=place.time, turn=turn))
            return
        self._turn = None
        reason, abort = _end_reason(record.data.reason)
        self.emit(
            events.TurnEnd(
                seq=place.seq,
                line=place.line,
                time=place.time,
                turn=turn,
                reason=reason,
                abort=abort,
            )
        )

    def _step_line(self, kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.StepLine)
        turn, step = integer(record.data.turn), integer(record.data.step)
        self._close_step(place)
        if kind == "step/start":
            self._turn = turn if turn is not None else self._turn
            self._step = step
            self.streams.start_step(turn, step, place)
            make: type[events.StepStart] | type[events.StepEnd] = events.StepStart
        else:
            make = events.StepEnd
        self.emit(make(seq=place.seq, line=place.line, time=place.time, turn=turn, step=step))

    def _close_step(self, place: Place) -> None:
        self.streams.end_step(place)
        self._ahead.release()
        self._step = None

    def _retry(self, kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.StepLine)
        if kind == "llm/retry-started":
            self.streams.retry_started(place)
            return
        self.streams.retry(place, integer(record.data.turn), integer(record.data.step))
        failure = record.data.failure
        self.emit(
            events.Retry(
                seq=place.seq,
                line=place.line,
                time=place.time,
                turn=integer(record.data.turn),
                step=integer(record.data.step),
                code=string(failure.get("code")) if isinstance(failure, dict) else None,
            )
        )

    def _chunk(self, _kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.ChunkLine)
        data = record.data
        if not self._reasoning:
            self.streams.seen |= check_stream([shapes.Entry("chunk", chunk=data.chunk)], None)
            return
        self.streams.chunk(integer(data.turn), integer(data.step), data.chunk, place)

    def _row(self, kind: str, record: shapes.Line, place: Place, skip: int) -> None:
        assert isinstance(record, shapes.RowLine)
        data = record.data
        if not self._reasoning:
            self.streams.seen |= kind == "reasoning-chunks"
            return
        self.streams.row(integer(data.turn), integer(data.step), kind, data, place, skip)

    def _assistant(self, kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.AssistantLine)
        data = record.data
        if kind == "assistant/message" and _replaces(record):
            return
        if self._reasoning:
            self._stream(kind, data, place)
        else:
            content = data.message.content if data.message else data.content
            self.streams.seen |= check_stream(data.stream, content)
        usage = read_usage(data, place) if kind == "assistant/message" else None
        if usage is not None:
            self.emit(usage)

    def _stream(self, kind: str, data: shapes.AssistantData, place: Place) -> None:
        message = data.message
        content = message.content if message else data.content
        source = message.source if message else data.provenance
        self.streams.whole(
            integer(data.turn),
            integer(data.step),
            data.stream,
            content,
            place,
            outcome="message" if kind == "assistant/message" else "attempt",
            interrupted=data.interrupted is True,
            provider=string(source.provider) if source else None,
            model=string(source.model) if source else None,
        )

    def _user(self, kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.UserLine)
        if _replaces(record):
            return
        data = record.data
        source = data.source or (data.message.source if data.message else None)
        content = data.content if data.content is not None else None
        if content is None and data.message is not None:
            content = data.message.content
        by = (string(source.kind) or "") if source else ""
        if kind == "steering/message" and source is None:
            by = "user"
        if by == "user":
            self.emit(
                events.Human(seq=place.seq, line=place.line, time=place.time, turn=self._turn)
            )
            return
        self.emit(
            events.Notice(
                seq=place.seq,
                line=place.line,
                time=place.time,
                kind=by,
                plugin=string(source.plugin) if source else None,
                form=string(source.form) if source else None,
                summary=string(source.summary) if source else None,
                text=_first_text(content),
            )
        )

    def _call(self, _kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.CallLine)
        data = record.data
        self._open(
            OpenCall(
                index=self._pairing.number(),
                seq=place.seq,
                line=place.line,
                time=place.time,
                turn=integer(data.turn),
                step=integer(data.step),
                call_id=data.callId,
                tool=data.name,
                arguments=data.arguments,
            )
        )

    def _sub_call(self, _kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.DispatchLine | shapes.LooseDispatchLine)
        data = record.data
        if isinstance(data, shapes.DispatchData):
            arguments = bytes(data.arguments).decode("utf-8")
        else:
            arguments = data.arguments
        self._open(
            OpenCall(
                index=self._pairing.number(),
                seq=place.seq,
                line=place.line,
                time=place.time,
                turn=self._turn,
                step=self._step,
                call_id=data.subCallId,
                tool=data.name,
                arguments=arguments,
                sub=True,
                parent_call_id=string(data.parentCallId),
            )
        )

    def _open(self, call: OpenCall) -> None:
        if len(call.arguments) > MOST_ARGUMENTS:
            raise TooMuch(f"a call with more than {MOST_ARGUMENTS} characters of arguments")
        self._account.calls += 1
        self._pairing.add(call)
        if self._calls:
            self._ahead.put(call)

    def _result(self, _kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.ResultLine)
        if _replaces(record):
            return
        turn, step = integer(record.data.turn), integer(record.data.step)
        outcome = read_result(record.data)
        self._settle(outcome, turn, step, record.sourceEventSeqs, place, sub=False)

    def _sub_result(self, _kind: str, record: shapes.Line, place: Place, _: int) -> None:
        assert isinstance(record, shapes.DispatchLine | shapes.LooseDispatchLine)
        outcome = read_settled(record.data)
        self._settle(outcome, self._turn, self._step, None, place, sub=True, tool=record.data.name)

    def _settle(
        self,
        outcome: Outcome,
        turn: int | None,
        step: int | None,
        cited: object,
        place: Place,
        *,
        sub: bool,
        tool: str = "",
    ) -> None:
        account = self._account
        call = self._pairing.settle(
            outcome.call_id, turn, step, cited, sub=sub, dispatched=outcome.dispatched
        )
        account.results += 1
        account.synthetic += outcome.synthetic
        account.unpaired += call is None
        account.not_dispatched += call is not None and not outcome.dispatched
        if not self._calls:
            return
        self.emit(
            events.Result(
                seq=place.seq,
                line=place.line,
                time=place.time,
                call=call.index if call else None,
                turn=turn,
                step=step,
                call_id=outcome.call_id,
                tool=call.tool if call else tool,
                text=outcome.text,
                is_error=outcome.is_error,
                error_name=outcome.error_name,
                error_code=outcome.error_code,
                status_code=outcome.status_code,
                synthetic=outcome.synthetic,
                sub=sub,
            )
        )

    def _approval(self, kind: str, record: shapes.Line, _place: Place, _: int) -> None:
        assert isinstance(record, shapes.ApprovalLine)
        data = record.data
        question = string(data.id) or ""
        if kind == "approval/asked":
            self._pairing.ask(
                question, string(data.callId), string(data.toolName), string(data.reason)
            )
        else:
            self._pairing.answer(question, string(data.outcome))

    def _request(self, _kind: str, record: shapes.Line, _place: Place, _: int) -> None:
        assert isinstance(record, shapes.RequestLine)
        data, streams = record.data, self.streams
        config = data.header.config if data.header else None
        if config is not None:
            streams.provider = string(config.provider) or streams.provider
            streams.model = string(config.model) or streams.model
            streams.effort = string(config.reasoningEffort)
        streams.provider = string(data.provider) or streams.provider
        streams.model = string(data.model) or streams.model

    def _end_seed(self, _kind: str, _record: shapes.Line, place: Place, _: int) -> None:
        self.streams.start_lifecycle(place)
        self._pairing.start_lifecycle()
        self._lifecycle += 1
        self.emit(
            events.LifecycleStart(
                seq=place.seq, line=place.line, time=place.time, number=self._lifecycle
            )
        )


def _replaces(record: shapes.Line) -> bool:
    """Whether a message stands in for an earlier one (``surfaceOp`` is an object)."""
    return isinstance(record.surfaceOp, dict) or record.surfaceOp == "replace"


def _end_reason(reason: object) -> tuple[str, str | None]:
    if isinstance(reason, str):
        return reason, None
    if not isinstance(reason, dict):
        return "", None
    inner = reason.get("reason")
    abort = string(inner.get("kind")) if isinstance(inner, dict) else string(inner)
    return string(reason.get("kind")) or "", abort


def _first_text(content: list[shapes.Block] | str | None) -> str:
    if isinstance(content, list):
        return next((b.text for b in content if b.type == "text" and b.text is not None), "")
    return join_text(content)
