"""Pairing results with calls, sub-calls, approvals, shapes of results (C74-C76)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from session_log_builder import LogText, read

from dsh_calibrate.logs import events


def calls_and_results(
    log: LogText, tmp_path: Path
) -> tuple[list[events.Call], list[events.Result]]:
    seen, _ = read(log.write(tmp_path / "a.jsonl"))
    lines = [e.line for e in seen]
    assert lines == sorted(lines)
    calls = [e for e in seen if isinstance(e, events.Call)]
    return calls, [e for e in seen if isinstance(e, events.Result)]


def test_ids_that_repeat_pair_inside_their_step(tmp_path: Path) -> None:
    log = LogText()
    for step in (1, 2, 3):
        log.step(1, step)
        log.call("ollama_0", step=step)
        if step != 2:  # this one never got its result
            log.result("ollama_0", step=step)
        log.add("step/end", {"turn": 1, "step": step})
    _, results = calls_and_results(log, tmp_path)
    assert [r.call for r in results] == [0, 2]


@pytest.mark.parametrize("ranges", [False, True])
def test_sources_decide_between_equal_ids(tmp_path: Path, ranges: bool) -> None:
    log = LogText()
    log.step()
    first = log.call("x")
    second = log.call("x")
    log.result("x", cites=[[second, second]] if ranges else [second])
    log.result("x", cites=[first])
    _, results = calls_and_results(log, tmp_path)
    assert [r.call for r in results] == [1, 0]


def test_parallel_calls_and_order(tmp_path: Path) -> None:
    log = LogText(2)
    log.step()
    log.call("a")
    log.call("b")
    log.result("b")
    log.result("a")
    log.result("nowhere")
    calls, results = calls_and_results(log, tmp_path)
    assert [c.call_id for c in calls] == ["a", "b"]
    assert [r.call for r in results] == [1, 0, None]


@pytest.mark.parametrize(
    ("code", "message_id", "dispatched", "synthetic"),
    [
        ("ABORTED_BEFORE_DISPATCH", "m", False, False),
        ("TOOL_NOT_STARTED", "m", False, True),
        ("TOOL_OUTCOME_UNKNOWN", "m", True, True),
        ("ABORTED", "m", True, False),
        (None, "interrupted-tool-result-1", True, True),
        (None, "forked-tool-result-1", True, True),
    ],
)
def test_results_that_are_no_results(
    tmp_path: Path, code: str | None, message_id: str, dispatched: bool, synthetic: bool
) -> None:
    log = LogText()
    log.step()
    log.call("a")
    log.call("b")
    log.result("b")
    log.result("a", is_error=True, code=code, message_id=message_id)
    calls, results = calls_and_results(log, tmp_path)
    assert [c.dispatched for c in calls] == [dispatched, True]
    assert (results[1].synthetic, results[1].error_code) == (synthetic, code)


def test_a_result_in_the_next_lifecycle_settles_nothing(tmp_path: Path) -> None:
    log = LogText()
    log.step()
    log.call("a")
    log.add("session/end-seed")
    log.result("a", is_error=True, code="TOOL_NOT_STARTED")
    log.call("a", turn=2)
    calls, results = calls_and_results(log, tmp_path)
    assert [(c.index, c.dispatched) for c in calls] == [(0, False), (0, True)]
    assert results[0].call is None


def test_replaced_results_are_no_events(tmp_path: Path) -> None:
    log = LogText()
    log.call("a")
    log.result("a", "long")
    pruned = {"op": "replace", "startSeq": 1, "endSeq": 1}
    log.add("tool/result", {"callId": "a", "content": []}, surfaceOp=pruned)
    _, results = calls_and_results(log, tmp_path)
    assert [r.text for r in results] == ["long"]


@pytest.mark.parametrize(("version", "kind"), [(0, "code"), (4, "ptc")])
def test_sub_calls(tmp_path: Path, version: int, kind: str) -> None:
    log = LogText(version)
    log.add("turn/start", {"turn": 7})
    log.step(7, 2)
    log.call("p", "run_code", turn=7, step=2)
    sub: dict[str, Any] = {"parentCallId": "p", "name": "bash", "arguments": {"a": [1, 2.50]}}
    for number in (1, 2):
        log.add(f"tool/{kind}-dispatch-start", sub | {"subCallId": f"p:{kind}:{number}"})
    for number in (2, 1):
        settled = {"subCallId": f"p:{kind}:{number}", "isError": number == 2}
        settled["content"] = [{"type": "text", "text": "t"}, {"type": "image"}]
        log.add(f"tool/{kind}-dispatch", sub | settled)
    log.result("p", turn=7, step=2)
    calls, results = calls_and_results(log, tmp_path)
    assert [(c.index, c.sub, c.turn, c.step) for c in calls] == [
        (0, False, 7, 2),
        (1, True, 7, 2),
        (2, True, 7, 2),
    ]
    assert calls[1].arguments == '{"a":[1,2.5]}'
    assert calls[1].parent_call_id == "p"
    assert [(r.call, r.is_error, r.text, r.tool) for r in results] == [
        (2, True, "t\n", "bash"),
        (1, False, "t\n", "bash"),
        (0, False, "ok", "run_code"),
    ]


@pytest.mark.parametrize("by_id", [True, False])
def test_approvals(tmp_path: Path, by_id: bool) -> None:
    log = LogText()
    log.call("a", "read")
    log.call("b", "bash")
    asked = {"id": "q", "toolName": "bash", "reason": "escalate"}
    log.add("approval/asked", asked | ({"callId": "b"} if by_id else {}))
    log.add("approval/decided", {"id": "q", "outcome": "rejected"})
    log.result("b", is_error=True)
    calls, _ = calls_and_results(log, tmp_path)
    told = [(c.approval, c.approval_reason) for c in calls]
    assert told == [(None, None), ("rejected", "escalate")]


TEXT = [
    {"type": "text", "text": "[exit code: 2]"},
    {"type": "image"},
    {"type": "text", "text": "z"},
]
SHAPES: dict[str, dict[str, Any]] = {
    "older": {"callId": "a", "content": TEXT, "isError": True},
    "wrapped": {
        "message": {
            "source": {"callId": "a"},
            "content": [
                {"type": "tool-result", "toolCallId": "a", "isError": True, "content": TEXT}
            ],
        }
    },
    "wrapped without source": {
        "message": {
            "content": [
                {"type": "tool-result", "toolCallId": "a", "isError": True, "content": TEXT}
            ]
        }
    },
    "lifted": {"message": {"toolCallId": "a", "isError": True, "content": TEXT}},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_a_result(tmp_path: Path, shape: str) -> None:
    log = LogText(0)
    log.call("a")
    meta = {"statusCode": 404, "url": "https://example.org/"}
    log.add("tool/result", {"turn": 1, "step": 1, **SHAPES[shape], "meta": meta})
    _, results = calls_and_results(log, tmp_path)
    result = results[0]
    assert (result.call, result.call_id, result.is_error) == (0, "a", True)
    assert result.text == "[exit code: 2]\n\nz"
    assert result.status_code == 404


def test_is_error_comes_from_the_block_not_from_error(tmp_path: Path) -> None:
    log = LogText(0)
    log.call("a")
    data: dict[str, Any] = {"callId": "a", "content": [], "error": {"name": "N", "code": ""}}
    log.add("tool/result", data)
    _, results = calls_and_results(log, tmp_path)
    told = (results[0].is_error, results[0].error_name, results[0].error_code)
    assert told == (False, "N", "")
