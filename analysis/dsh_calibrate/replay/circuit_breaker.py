"""Replays tool-failure-circuit-breaker over the events of one log (guards.md 2)."""

from __future__ import annotations

from dsh_calibrate.guards.circuit_breaker.breaker import CircuitBreaker, recorded_denial
from dsh_calibrate.guards.circuit_breaker.config import Config
from dsh_calibrate.logs.events import Call, Event, Gap, Human, LifecycleStart, Result
from dsh_calibrate.replay.decision import Draft
from dsh_calibrate.replay.place import CallSite, Place


class CircuitBreakerTracker:
    """One log's replay of the circuit breaker: a chain per lifecycle, decisions, counters."""

    def __init__(self, place: Place, config: Config) -> None:
        self.place = place
        self.tracked_calls = 0
        self.recorded_denials = 0
        self._config = config
        self._denied: dict[int, Draft] = {}
        self._begin()

    def _begin(self) -> None:
        self._breaker = CircuitBreaker(self._config)
        self._denied.clear()

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        kind = type(event)
        if kind is Call:
            assert isinstance(event, Call)
            if event.dispatched:
                self._call(event)
        elif kind is Result:
            assert isinstance(event, Result)
            self._result(event)
        elif kind is Human:
            self._breaker.human()
        elif kind is LifecycleStart:
            assert isinstance(event, LifecycleStart)
            self.place.begin(event.number)
            self._begin()
        elif kind is Gap:
            self._begin()

    def finish(self) -> None:
        """The log is over."""
        self.place.close()

    def _call(self, call: Call) -> None:
        if self._breaker.tracks(call.tool):
            self.tracked_calls += 1
        hit = self._breaker.call(call.index, call.tool, call.arguments)
        if hit is None:
            return
        site = CallSite(call.seq, call.index, call.call_id, call.tool)
        decision = self.place.at_call(site, call.line, "deny", "circuit", False, (hit,))
        self._denied[call.index] = self.place.add(Draft(decision, "gate"))

    def _result(self, result: Result) -> None:
        if result.call is None or result.synthetic:
            return
        if result.is_error and recorded_denial(result.tool, result.text):
            self.recorded_denials += 1
            draft = self._denied.get(result.call)
            if draft is not None:
                draft.matched = True
        self._breaker.result(result.call, result.is_error, result.text)
