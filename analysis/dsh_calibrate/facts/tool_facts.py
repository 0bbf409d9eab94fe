"""Facts about the calls of one log: counts as if no guard had ever stopped one.

Counts come from the guards' own engines: ``UngatedBreaker`` for repeat-tool-breaker, a
circuit breaker that never opens, and the reminder's run length.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dsh_calibrate.facts.limits import fingerprint_id
from dsh_calibrate.facts.sinks import Sinks
from dsh_calibrate.guards.circuit_breaker.breaker import CircuitBreaker, recorded_denial
from dsh_calibrate.guards.repeat_reminder.reminder import Reminder
from dsh_calibrate.guards.repeat_tool_breaker import decisions
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.repeat_tool_breaker.ungated import UngatedBreaker, UngatedResult
from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs.events import Call, Event, Gap, Human, LifecycleStart, Result
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.shell_http_kinds import refusal_kind


@dataclass(slots=True)
class _Waiting:
    """A call whose row is held back until its result is known."""

    call: Call
    resets: int
    rtb_tracked: bool | None = None
    refused: bool | None = None
    refusal_kind: str | None = None
    tfb_tracked: bool | None = None
    tfb_chain: int | None = None
    rtr_tracked: bool | None = None
    rtr_run: int | None = None
    result_line: int | None = None
    fingerprints: Sequence[str] = ()
    counts: Sequence[int] = ()
    streaks: Sequence[int] = ()
    after: Sequence[int | None] = field(default=())
    is_settled: bool = False


class ToolFacts:
    """Fills ``calls``, ``measures``, ``results`` and ``fingerprints`` of one log.

    ``tracked`` counts, by guard, the dispatched calls that the guard looks at; ``denials``
    the recorded stops.
    """

    def __init__(self, plan: Plan, memo: Memo, sinks: Sinks) -> None:
        self.tracked = {"rtb": 0, "tfb": 0, "rtr": 0}
        self.denials = {"rtb": 0, "tfb": 0}
        self._plan = plan
        self._memo = memo
        self._sinks = sinks
        self._known: set[str] = set()
        self._lifecycle = 0
        self._waiting: deque[_Waiting] = deque()
        self._by_call: dict[int, _Waiting] = {}
        self._begin()

    def _begin(self) -> None:
        plan = self._plan
        self._resets = 0
        self._ungated = self._gate = self._circuit = self._reminder = None
        if plan.rtb is not None:
            self._ungated = UngatedBreaker(plan.rtb, memo=self._memo)
            self._gate = Breaker(plan.rtb, enforce_shell_http=False, memo=self._memo)
        if plan.tfb is not None:
            self._circuit = CircuitBreaker(replace(plan.tfb, max_failures=sys.maxsize))
        if plan.rtr is not None:
            self._reminder = Reminder(plan.rtr)

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        kind = type(event)
        if kind is Call:
            assert isinstance(event, Call)
            self._call(event)
        elif kind is Result:
            assert isinstance(event, Result)
            self._result(event)
        elif kind is Human:
            self._resets += 1
            for guard in (self._ungated, self._circuit, self._reminder):
                if guard is not None:
                    guard.human()
        elif kind is LifecycleStart:
            assert isinstance(event, LifecycleStart)
            self.finish()
            self._lifecycle = event.number
            self._begin()
        elif kind is Gap:
            self.finish()
            resets = self._resets
            self._begin()
            self._resets = resets

    def finish(self) -> None:
        """Nothing that waits for a result will get one any more."""
        self._by_call.clear()
        while self._waiting:
            self._write(self._waiting.popleft())

    def _call(self, call: Call) -> None:
        waiting = _Waiting(call, self._resets)
        self._waiting.append(waiting)
        if not call.dispatched:
            waiting.is_settled = True
            self._release()
            return
        self._by_call[call.index] = waiting
        tool, arguments = call.tool, call.arguments
        if self._ungated is not None:
            self._count(waiting, call)
        if self._circuit is not None:
            waiting.tfb_tracked = self._circuit.tracks(tool)
            self.tracked["tfb"] += waiting.tfb_tracked
            waiting.tfb_chain = self._circuit.chain_of(tool, arguments)
            self._circuit.call(call.index, tool, arguments)
        if self._reminder is not None:
            waiting.rtr_tracked = self._reminder.tracks(tool)
            self.tracked["rtr"] += waiting.rtr_tracked
            self._reminder.call(call.index, tool, arguments)

    def _count(self, waiting: _Waiting, call: Call) -> None:
        config = self._plan.rtb
        assert config is not None
        assert self._ungated is not None
        assert self._gate is not None
        counted = self._ungated.call(call.index, call.tool, call.arguments)
        waiting.rtb_tracked = counted is not None
        self.tracked["rtb"] += waiting.rtb_tracked
        if config.block_shell_http:
            waiting.refused = self._gate.refuses_shell_http(call.tool, call.arguments)
            if waiting.refused:
                command = self._gate.command(call.tool, call.arguments)
                waiting.refusal_kind = refusal_kind(command, config)
        if counted is not None:
            waiting.fingerprints = counted.fingerprints
            waiting.counts, waiting.streaks = counted.counts, counted.streaks

    def _result(self, result: Result) -> None:
        waiting = None
        if result.call is not None and not result.synthetic:
            waiting = self._by_call.pop(result.call, None)
        denied = result.is_error and recorded_denial(result.tool, result.text)
        self.denials["tfb"] += denied and not result.synthetic
        outcome = decisions.Outcome(
            text=result.text,
            is_error=result.is_error,
            error_name=result.error_name,
            error_code=result.error_code,
            status_code=result.status_code,
            synthetic=result.synthetic,
        )
        denial = decisions.recorded_denial(outcome)
        self.denials["rtb"] += denial is not None and not result.synthetic
        settled = self._settle(waiting, result, outcome) if waiting is not None else None
        failure = settled.failure if settled is not None else None
        self._sinks["results"].add(
            (
                self._lifecycle,
                result.call,
                result.seq,
                result.line,
                result.time,
                result.turn,
                result.step,
                result.call_id,
                result.tool,
                result.sub,
                result.synthetic,
                settled is not None,
                result.is_error,
                failure.reason if failure is not None else None,
                failure.detail if failure is not None else None,
                denial,
                denied,
                utf16.length(result.text),
            )
        )
        self._release()

    def _settle(
        self, waiting: _Waiting, result: Result, outcome: decisions.Outcome
    ) -> UngatedResult | None:
        waiting.is_settled = True
        waiting.result_line = result.line
        key = waiting.call.index
        settled = self._ungated.result(key, outcome) if self._ungated is not None else None
        if settled is not None:
            waiting.after = settled.streaks
        if self._circuit is not None:
            self._circuit.result(key, result.is_error, result.text)
        if self._reminder is not None:
            waiting.rtr_run = self._reminder.settle(key)
        return settled

    def _release(self) -> None:
        waiting = self._waiting
        while waiting and waiting[0].is_settled:
            self._write(waiting.popleft())

    def _write(self, waiting: _Waiting) -> None:
        call = waiting.call
        self._sinks["calls"].add(
            (
                self._lifecycle,
                call.index,
                call.seq,
                call.line,
                call.time,
                call.turn,
                call.step,
                call.call_id,
                call.tool,
                call.sub,
                call.dispatched,
                waiting.resets,
                call.approval,
                waiting.result_line,
                waiting.rtb_tracked,
                len(waiting.fingerprints),
                waiting.refused,
                waiting.refusal_kind,
                waiting.tfb_tracked,
                waiting.tfb_chain,
                waiting.rtr_tracked,
                waiting.rtr_run,
            )
        )
        after = waiting.after or (None,) * len(waiting.fingerprints)
        sink = self._sinks["measures"]
        for position, text in enumerate(waiting.fingerprints):
            fp = fingerprint_id(text)
            measure = text.partition(":")[0]
            if fp not in self._known:
                self._known.add(fp)
                self._sinks["fingerprints"].add((fp, measure, text))
            sink.add(
                (
                    self._lifecycle,
                    call.index,
                    position,
                    measure,
                    fp,
                    waiting.counts[position],
                    waiting.streaks[position],
                    after[position],
                )
            )
