"""Replays tool-failure-circuit-breaker over the events of one log (guards.md 2)."""

from __future__ import annotations

from dsh_calibrate.guards.circuit_breaker.breaker import CircuitBreaker, recorded_denial
from dsh_calibrate.guards.circuit_breaker.config import Config
from dsh_calibrate.logs.events import Call, Result
from dsh_calibrate.replay.decision import Draft
from dsh_calibrate.replay.place import CallSite, Place
from dsh_calibrate.replay.tracking import CallTracker


class CircuitBreakerTracker(CallTracker):
    """One log's replay of the circuit breaker: a chain per lifecycle, decisions, counters."""

    def __init__(self, place: Place, config: Config) -> None:
        self.recorded_denials = 0
        self._config = config
        self._denied: dict[int, Draft] = {}
        super().__init__(place)

    def _begin(self) -> None:
        self._breaker = CircuitBreaker(self._config)
        self._denied.clear()

    def _human(self) -> None:
        self._breaker.human()

    def _call(self, call: Call) -> None:
        if self._breaker.tracks(call.tool):
            self.tracked_calls += 1
        hit = self._breaker.call(call.index, call.tool, call.arguments)
        if hit is None:
            return
        site = CallSite(call.seq, call.index, call.call_id, call.tool)
        decision = self.place.at_call(site, call.line, "deny", "circuit", False, (hit,))
        self._denied[call.index] = self.place.add(Draft(decision, "gate"))

    def _result(self, result: Result, call: int) -> None:
        if result.is_error and recorded_denial(result.tool, result.text):
            self.recorded_denials += 1
            draft = self._denied.get(call)
            if draft is not None:
                draft.matched = True
        self._breaker.result(call, result.is_error, result.text)
