from __future__ import annotations

import json

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from shared_material import ROOT, needs_shared


def replay(given: dict) -> list[dict]:
    """Answer one golden replay; results of calls that did not run speak nothing."""
    config = configure({"blockShellHttp": False, **given.get("config", {})}, PROFILES["0.8"])
    memo = Memo()
    breakers: dict[str, Breaker] = {}
    keys: dict[str, int] = {}
    answers: list[dict] = []
    for event in given["events"]:
        breaker = breakers.setdefault(
            event.get("agent", "a"), Breaker(config, enforce_shell_http=True, memo=memo)
        )
        kind = event["kind"]
        if kind == "human":
            breaker.human()
        elif kind == "call":
            key = keys[event["id"]] = len(answers)
            decision = breaker.call(
                key, event["tool"], event["arguments"], approve=given["operator"] == "approve"
            )
            answer = {"id": event["id"], "verdict": decision.verdict, "advisories": []}
            if decision.kind:
                answer["kind"] = decision.kind
            assert decision.ran == (decision.verdict in {"allow", "ask-approved"})
            answers.append(answer)
        elif kind == "result":
            error = event.get("error", {})
            settled = breaker.result(
                keys[event["id"]],
                Outcome(
                    text=event["text"],
                    is_error=event.get("isError", False),
                    error_name=error.get("name"),
                    error_code=error.get("code"),
                    status_code=event.get("statusCode"),
                ),
            )
            said = answers[keys[event["id"]]]["advisories"]
            if settled.failure_advisory is not None:
                hit = settled.failure_advisory
                said.append(f"{hit.fingerprint} failed x{hit.count}")
            if settled.advisory is not None:
                said.append(f"{settled.advisory.fingerprint} × {settled.advisory.count}")
    return answers


@needs_shared
def test_golden_replays() -> None:
    wrong = []
    rows = (ROOT / "goldens" / "guard-replays.jsonl").read_bytes().split(b"\n")
    for number, row in enumerate(filter(None, rows), 1):
        vector = json.loads(row)
        answers = replay(vector["in"])
        if answers != vector["expect"]:
            first = next(
                pair for pair in zip(answers, vector["expect"], strict=False) if pair[0] != pair[1]
            )
            wrong.append((number, vector["in"].get("note"), first))
    assert not wrong
