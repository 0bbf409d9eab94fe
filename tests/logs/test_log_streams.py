"""Reasoning of attempts in both storages (session-format.md 7, C70-C72)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from session_log_builder import START, LogText, read

from dsh_calibrate.logs import events

REASONING = {"type": "reasoning", "text": "abc"}
TEXT = {"type": "text", "text": "hi"}


def streams(log: LogText, tmp_path: Path) -> list[events.Event]:
    seen, reading = read(log.write(tmp_path / "a.jsonl"))
    assert reading.coverage.status in ("read", "no_calls"), reading.coverage
    kinds = (events.StreamOpen, events.StreamPieces, events.StreamClose)
    return [e for e in seen if isinstance(e, kinds)]


def texts(found: list[events.Event]) -> list[tuple[str, ...]]:
    return [e.texts for e in found if isinstance(e, events.StreamPieces)]


def test_rows_and_chunks_of_one_attempt(tmp_path: Path) -> None:
    log = LogText(0)
    log.add("request/header", {"header": {"config": {"provider": "p", "reasoningEffort": "max"}}})
    log.step()
    log.chunk("block-start", blockType="reasoning")
    log.row(["a", "b", "c"], dt=[5, -7])
    log.chunk("reasoning-delta", text="d")
    log.chunk("block-end", block=REASONING)
    log.row(["x", "y"], "text-chunks")
    log.chunk("finish", reason={"kind": "stop"})
    log.message(REASONING, TEXT)
    opened, first, second, closed = streams(log, tmp_path)
    assert isinstance(opened, events.StreamOpen)
    assert (opened.stream, opened.turn, opened.step, opened.attempt) == (0, 1, 1, 1)
    assert (opened.provider, opened.effort, opened.started) == ("p", "max", START + 1)
    assert isinstance(first, events.StreamPieces)
    assert (first.seq, first.seq_stride, first.texts) == (3, 1, ("a", "b", "c"))
    assert first.times == (START + 3, START + 8, START + 1)
    assert isinstance(second, events.StreamPieces)
    assert (second.seq, second.texts, second.times) == (6, ("d",), (START + 6,))
    assert isinstance(closed, events.StreamClose)
    assert (closed.outcome, closed.finish, closed.visible) == ("message", "stop", True)
    assert (closed.provider, closed.model) == ("p", "x")


def test_a_retried_attempt_of_format_0(tmp_path: Path) -> None:
    log = LogText(0)
    log.step()
    log.row(["a", "b", "c"])
    failure = {"message": "m", "code": "RATE_LIMIT"}
    log.chunk("finish", reason={"kind": "error", "failure": failure})
    retry: dict[str, Any] = {"turn": 1, "step": 1, "retry": 1}
    log.add("llm/retry", retry | {"failure": failure})
    began = log.add("llm/retry-started", retry)
    log.chunk("reasoning-delta", text="again")
    log.message(TEXT, interrupted=True)
    found = streams(log, tmp_path)
    opens = [e for e in found if isinstance(e, events.StreamOpen)]
    closes = [e for e in found if isinstance(e, events.StreamClose)]
    assert [(e.stream, e.attempt) for e in opens] == [(0, 1), (1, 2)]
    assert opens[1].started == START + began
    ends = [(e.outcome, e.finish, e.failure_code, e.interrupted) for e in closes]
    assert ends == [("attempt", "error", "RATE_LIMIT", False), ("message", None, None, True)]


def test_an_attempt_of_format_0_that_left_no_line_is_counted(tmp_path: Path) -> None:
    log = LogText(0)
    log.step()
    for retry in (1, 2):
        log.add("llm/retry", {"turn": 1, "step": 1, "retry": retry, "failure": {"code": "X"}})
        log.add("llm/retry-started", {"turn": 1, "step": 1, "retry": retry})
    log.row(["a", "b", "c"])
    log.message(REASONING)
    opened = streams(log, tmp_path)[0]
    assert isinstance(opened, events.StreamOpen)
    assert (opened.stream, opened.attempt) == (0, 3)


@pytest.mark.parametrize(
    ("end", "outcome"),
    [("step/end", "attempt"), ("turn/end", "attempt"), ("session/end-seed", "lost"), ("", "lost")],
)
def test_chunks_without_a_message(tmp_path: Path, end: str, outcome: str) -> None:
    log = LogText(1)
    log.step()
    log.row(["a", "b", "c"])
    if end:
        log.add(end, {"turn": 1, "step": 1, "reason": {"kind": "completed"}})
    closed = streams(log, tmp_path)[-1]
    assert isinstance(closed, events.StreamClose)
    assert (closed.outcome, closed.visible) == (outcome, False)


def stream_of(*pieces: str, finish: str = "stop") -> list[dict[str, Any]]:
    row = {"type": "reasoning-chunks", "time0": 50, "index": 0, "texts": list(pieces)}
    return [
        {"type": "chunk", "time": 49, "chunk": {"type": "block-start", "index": 0}},
        row | {"dt": [1] * (len(pieces) - 1)},
        {"type": "chunk", "time": 60, "chunk": {"type": "block-end", "block": REASONING}},
        {"type": "chunk", "time": 61, "chunk": {"type": "finish", "reason": {"kind": finish}}},
    ]


def test_messages_and_attempts_of_later_formats(tmp_path: Path) -> None:
    log = LogText(4)
    log.step()
    attempt = {"turn": 1, "step": 1, "stream": stream_of("x", finish="aborted")}
    log.add("assistant/attempt", attempt)
    log.add("llm/retry", {"turn": 1, "step": 1, "failure": {"code": "TIMEOUT"}})
    log.add("llm/retry-started", {"turn": 1, "step": 1})
    seq = log.seq
    log.message(REASONING, stream=stream_of("a", "b", "c"))
    found = streams(log, tmp_path)
    assert texts(found) == [("x",), ("a", "b", "c")]
    assert [e.attempt for e in found if isinstance(e, events.StreamOpen)] == [1, 2]
    pieces = found[4]
    assert isinstance(pieces, events.StreamPieces)
    assert (pieces.seq, pieces.seq_stride, pieces.times) == (seq, 0, (50, 51, 52))
    closes = [e for e in found if isinstance(e, events.StreamClose)]
    assert [(e.outcome, e.finish) for e in closes] == [("attempt", "aborted"), ("message", "stop")]


@pytest.mark.parametrize("version", [0, 1, 2, 4])
def test_rows_without_gaps_are_fed_without_times(tmp_path: Path, version: int) -> None:
    log = LogText(version)
    log.step()
    if version < 2:
        data = {"turn": 1, "step": 1, "index": 0, "texts": ["a", "b"]}
        log.add("reasoning-chunks", data, members=2)
        log.message(REASONING)
    else:
        rows = [
            {"type": "reasoning-chunks", "time0": 50, "texts": ["a", "b"]},
            {"type": "text-chunks", "texts": ["x", "y"]},
        ]
        log.message(REASONING, stream=rows)
    found = streams(log, tmp_path)
    pieces = next(e for e in found if isinstance(e, events.StreamPieces))
    assert (pieces.texts, pieces.times, pieces.granular) == (("a", "b"), None, True)


@pytest.mark.parametrize("version", [0, 4])
def test_block_texts_stand_in_where_there_are_no_pieces(tmp_path: Path, version: int) -> None:
    log = LogText(version)
    log.step()
    log.message(REASONING, {"type": "reasoning", "text": "d"}, TEXT)
    found = streams(log, tmp_path)
    assert texts(found) == [("abc", "d")]
    assert isinstance(found[1], events.StreamPieces)
    assert found[1].granular is False


def test_the_block_end_of_an_attempt_without_pieces(tmp_path: Path) -> None:
    log = LogText(3)
    stream = [{"type": "chunk", "chunk": {"type": "block-end", "block": REASONING}}]
    log.add("assistant/attempt", {"turn": 1, "step": 1, "stream": stream})
    found = streams(log, tmp_path)
    assert texts(found) == [("abc",)]


def test_text_stored_three_times_is_fed_once(tmp_path: Path) -> None:
    log = LogText(0)
    log.row(["a", "b", "c"])
    log.chunk("block-end", block=REASONING)
    log.message(REASONING)
    assert texts(streams(log, tmp_path)) == [("a", "b", "c")]


def test_a_message_of_the_oldest_shape(tmp_path: Path) -> None:
    log = LogText(0)
    log.step()
    log.row(["a", "b"])
    source = {"kind": "model", "provider": "q", "model": "y"}
    data = {"turn": 1, "step": 1, "content": [TEXT], "provenance": source}
    log.add("assistant/message", data)
    closed = streams(log, tmp_path)[-1]
    assert isinstance(closed, events.StreamClose)
    assert (closed.outcome, closed.provider, closed.visible) == ("message", "q", True)


@pytest.mark.parametrize("reasoning", [True, False])
def test_a_corrupt_row_inside_a_message(tmp_path: Path, reasoning: bool) -> None:
    log = LogText(4)
    log.call("a")
    stream = stream_of("a", "b")
    stream[1]["dt"] = [1, 2, 3]
    log.message(REASONING, stream=stream)
    log.call("b")
    _, reading = read(log.write(tmp_path / "a.jsonl"), reasoning=reasoning)
    assert (reading.coverage.status, reading.coverage.calls) == ("damaged", 1)


def test_streams_are_numbered_within_their_lifecycle(tmp_path: Path) -> None:
    log = LogText(0)
    log.row(["a", "b"])
    log.add("session/end-seed")
    log.row(["c", "d"])
    found = streams(log, tmp_path)
    assert [e.stream for e in found if isinstance(e, events.StreamOpen)] == [0, 0]
