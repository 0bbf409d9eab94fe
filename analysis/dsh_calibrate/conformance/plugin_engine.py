"""Our side of a comparison: what the engine says at each event of a trace.

Answers are JSON objects: for a call ``verdict`` (``allow``, ``deny``, ``ask-approved``,
``ask-declined``), ``kind`` (``shell-http``) and ``hits``; for a result ``advisories``; for
the close of a stream ``fired``. With a probe, calls have their ``fingerprints`` and results
their ``failure``, too. ``None`` where a guard has nothing to say by its nature.
"""

from __future__ import annotations

import functools
from typing import Any, Protocol

from dsh_calibrate.conformance.plugin_texts import Answer
from dsh_calibrate.conformance.plugin_traces import TraceEvent
from dsh_calibrate.guards.circuit_breaker.breaker import CircuitBreaker
from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.guards.reasoning_loop.verdict import Verdict
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_reminder.reminder import Reminder
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo

Config = BreakerConfig | CircuitBreakerConfig | ReminderConfig | ReasoningLoopConfig


class Side(Protocol):
    """One side of a comparison."""

    def on(self, event: TraceEvent) -> Answer | None:
        """Take the next event of a trace."""


def engine_side(config: Config, *, probed: bool = False) -> Side:
    """The engine under ``config``; a trace begins with ``begin``."""
    if isinstance(config, BreakerConfig):
        return BreakerSide(config, probed=probed)
    if isinstance(config, CircuitBreakerConfig):
        return CircuitSide(config)
    if isinstance(config, ReminderConfig):
        return ReminderSide(config)
    return ReasoningSide(config)


def key_of(event: TraceEvent) -> int:
    """The ordinal in an event's id."""
    return int(event["id"][1:])


class BreakerSide:
    """repeat-tool-breaker, the shell-HTTP block in its live order."""

    def __init__(self, config: BreakerConfig, *, probed: bool) -> None:
        self._config = config
        self._probed = probed
        self._memo = Memo()
        self._prints = functools.lru_cache(1000)(
            lambda tool, arguments: fingerprint(tool, arguments, config)
        )
        self._begin()

    def _begin(self) -> None:
        self._breaker = Breaker(self._config, enforce_shell_http=True, memo=self._memo)
        self._ran: dict[int, bool] = {}

    def on(self, event: TraceEvent) -> Answer | None:
        """Take the next event of a trace."""
        match event["kind"]:
            case "begin":
                self._begin()
            case "human":
                self._breaker.human()
            case "call":
                return self._call(event)
            case "result":
                return self._result(event)
        return None

    def _call(self, event: TraceEvent) -> Answer:
        key, tool, arguments = key_of(event), event["tool"], event["arguments"]
        decision = self._breaker.call(key, tool, arguments, approve=event["approve"])
        self._ran[key] = decision.ran
        answer: Answer = {
            "verdict": decision.verdict,
            "kind": decision.kind,
            "hits": [_hit(hit) for hit in decision.hits],
        }
        if self._probed and self._breaker.tracks(tool):
            prints = self._prints(tool, arguments)
            answer |= {"fingerprints": list(prints.all), "local": prints.local}
        return answer

    def _result(self, event: TraceEvent) -> Answer | None:
        key = key_of(event)
        ran = self._ran.pop(key, None)
        if ran is None:
            return None
        error: dict[str, Any] = event.get("error") or {}
        settled = self._breaker.result(
            key,
            Outcome(
                text=event["text"],
                is_error=event["isError"],
                error_name=error.get("name"),
                error_code=error.get("code"),
                status_code=event.get("statusCode"),
            ),
        )
        if ran and event.get("quiet"):
            return None
        spoken = []
        if settled.failure_advisory is not None:
            spoken.append(_advice(settled.failure_advisory, "failure"))
        if settled.advisory is not None:
            is_second = settled.advisory.count == self._config.summarize_at
            spoken.append(_advice(settled.advisory, "summarize" if is_second else "warn"))
        answer: Answer = {"advisories": spoken}
        if self._probed and ran:
            found = settled.failure
            answer["failure"] = found and {"reason": found.reason, "detail": found.detail}
        return answer


class CircuitSide:
    """tool-failure-circuit-breaker."""

    def __init__(self, config: CircuitBreakerConfig) -> None:
        self._config = config
        self._breaker = CircuitBreaker(config)

    def on(self, event: TraceEvent) -> Answer | None:
        """Take the next event of a trace."""
        match event["kind"]:
            case "begin":
                self._breaker = CircuitBreaker(self._config)
            case "human":
                self._breaker.human()
            case "call":
                hit = self._breaker.call(key_of(event), event["tool"], event["arguments"])
                verdict = "allow" if hit is None else "deny"
                return {"verdict": verdict, "count": None if hit is None else hit.count}
            case "result":
                self._breaker.result(key_of(event), event["isError"], event["text"])
        return None


class ReminderSide:
    """repeat-tool-reminder."""

    def __init__(self, config: ReminderConfig) -> None:
        self._config = config
        self._begin()

    def _begin(self) -> None:
        self._reminder = Reminder(self._config)
        self._tools: dict[int, str] = {}

    def on(self, event: TraceEvent) -> Answer | None:
        """Take the next event of a trace."""
        match event["kind"]:
            case "begin":
                self._begin()
            case "human":
                self._reminder.human()
            case "call":
                self._tools[key_of(event)] = event["tool"]
                self._reminder.call(key_of(event), event["tool"], event["arguments"])
            case "result":
                tool = self._tools.pop(key_of(event), None)
                hit = self._reminder.result(key_of(event))
                if tool is None:
                    return None
                spoken = [] if hit is None else [{"fingerprint": tool, "count": hit.count}]
                return {"advisories": spoken}
        return None


class ReasoningSide:
    """reasoning-loop-guard: judged piece by piece, told at the close of the stream."""

    def __init__(self, config: ReasoningLoopConfig) -> None:
        self._config = config
        self._open()

    def _open(self) -> None:
        self._detector = Detector(self._config)
        self._verdict: Verdict | None = None

    def on(self, event: TraceEvent) -> Answer | None:
        """Take the next event of a trace."""
        match event["kind"]:
            case "begin" | "stream":
                self._open()
            case "reasoning":
                for text in event["texts"]:
                    self._verdict = self._verdict or self._detector.feed(text)
            case "close":
                found = self._verdict
                fired = found and {"rule": found.rule, "at_utf16": found.at_utf16}
                return {"fired": fired or None}
        return None


def _hit(hit: Hit) -> Answer:
    return {
        "fingerprint": hit.fingerprint,
        "count": hit.count,
        "threshold": hit.threshold,
        "track": hit.track,
    }


def _advice(hit: Hit, stage: str) -> Answer:
    return {"stage": stage, "fingerprint": hit.fingerprint, "count": hit.count}
