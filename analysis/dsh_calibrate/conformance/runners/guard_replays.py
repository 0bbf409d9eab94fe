"""Runner of ``guard-replays.jsonl``: events of some agents to repeat-tool-breaker's decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.conformance.runners.given_profile import profile_of
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome, ResultDecision
from dsh_calibrate.guards.repeat_tool_breaker.config import Config, configure

REQUIRED = ("events", "operator")


def answer(given: Mapping[str, Any]) -> object:
    """Per call, in order: id, verdict, kind if the block refused it, advice at its result.

    The shell-HTTP block is off unless the configuration turns it on, and is then enforced.
    Every agent has its own breaker; ``operator`` answers every question alike, save where a
    call has an ``approve`` of its own.
    """
    row = {"blockShellHttp": False, **(given.get("config") or {})}
    agents = _Agents(configure(row, profile_of(given)), approve=given["operator"] == "approve")
    for event in given["events"]:
        agents.on(event)
    return agents.told


class _Agents:
    """Hands the events to the breaker of their agent and collects what each call was told."""

    def __init__(self, config: Config, *, approve: bool) -> None:
        self.told: list[dict[str, Any]] = []
        self._config = config
        self._approve = approve
        self._breakers: dict[str, Breaker] = {}
        self._open: dict[tuple[str, str], int] = {}

    def on(self, event: Mapping[str, Any]) -> None:
        """Take one event; a notice is none of the guard's business."""
        agent = event.get("agent", "a")
        breaker = self._breakers.get(agent)
        if breaker is None:
            breaker = Breaker(self._config, enforce_shell_http=True)
            self._breakers[agent] = breaker
        if event["kind"] == "call":
            self._call(breaker, agent, event)
        elif event["kind"] == "result":
            self._result(breaker, agent, event)
        elif event["kind"] == "human":
            breaker.human()
        elif event["kind"] != "notice":
            raise ValueError("an event is a human, a notice, a call or a result")

    def _call(self, breaker: Breaker, agent: str, event: Mapping[str, Any]) -> None:
        key = len(self.told)
        approve = event.get("approve", self._approve)
        decision = breaker.call(key, event["tool"], event["arguments"], approve=approve)
        told = {"id": event["id"], "verdict": decision.verdict, "advisories": []}
        if decision.kind is not None:
            told["kind"] = decision.kind
        self.told.append(told)
        self._open[agent, event["id"]] = key

    def _result(self, breaker: Breaker, agent: str, event: Mapping[str, Any]) -> None:
        key = self._open.pop((agent, event["id"]), None)
        if key is None:
            return
        error = event.get("error") or {}
        outcome = Outcome(
            text=event["text"],
            is_error=event.get("isError", False),
            error_name=error.get("name"),
            error_code=error.get("code"),
            status_code=event.get("statusCode"),
        )
        self.told[key]["advisories"] = _advice(breaker.result(key, outcome))


def _advice(decision: ResultDecision) -> list[str]:
    spoken = []
    if decision.failure_advisory is not None:
        hit = decision.failure_advisory
        spoken.append(f"{hit.fingerprint} failed x{hit.count}")
    if decision.advisory is not None:
        spoken.append(f"{decision.advisory.fingerprint} × {decision.advisory.count}")
    return spoken
