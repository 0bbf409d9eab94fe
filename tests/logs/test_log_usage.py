"""Token counts of answers (session-format.md 5.4)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from session_log_builder import START, LogText, read

from dsh_calibrate.logs.events import StreamClose, Usage

TEXT = {"type": "text", "text": "hi"}
REASONING = {"type": "reasoning", "text": "abc"}
COUNTS = {"inputTokens": 10, "outputTokens": 5, "reasoningTokens": 3, "cacheReadTokens": 90}


def usages(log: LogText, tmp_path: Path, **options: Any) -> list[Usage]:
    seen, reading = read(log.write(tmp_path / "a.jsonl"), **options)
    assert reading.coverage.status in ("read", "no_calls"), reading.coverage
    return [e for e in seen if isinstance(e, Usage)]


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("reasoning", [True, False])
def test_every_version_with_and_without_reasoning(
    tmp_path: Path, version: int, reasoning: bool
) -> None:
    log = LogText(version)
    log.step()
    stream = None if version < 2 else []
    log.message(TEXT, stream=stream, usage=COUNTS, turn=2, step=4)
    log.message(TEXT, stream=stream)
    (found,) = usages(log, tmp_path, reasoning=reasoning)
    assert found == Usage(
        seq=1,
        line=3,
        time=START + 1,
        turn=2,
        step=4,
        input_tokens=10,
        output_tokens=5,
        reasoning_tokens=3,
    )


@pytest.mark.parametrize("version", [1, 4])
def test_it_stands_behind_the_stream_of_its_answer(tmp_path: Path, version: int) -> None:
    log = LogText(version)
    log.step()
    if version < 2:
        log.chunk("reasoning-delta", text="abc")
    stream = None if version < 2 else [{"type": "reasoning-chunks", "texts": ["abc"]}]
    log.message(REASONING, TEXT, stream=stream, usage=COUNTS)
    seen, _ = read(log.write(tmp_path / "a.jsonl"))
    assert [type(e) for e in seen][-2:] == [StreamClose, Usage]


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({}, (None, None, None)),
        ({"outputTokens": 0}, (None, 0, None)),
        ({"outputTokens": -1, "inputTokens": 1}, (1, None, None)),
        ({"outputTokens": True, "reasoningTokens": "7"}, (None, None, None)),
        ({"outputTokens": 2.5, "inputTokens": [1]}, (None, None, None)),
        ({"outputTokens": 2**53, "inputTokens": 2**53 - 1}, (2**53 - 1, None, None)),
        ({"outputTokens": 10**30}, (None, None, None)),
    ],
)
def test_what_is_no_count_is_unknown(
    tmp_path: Path, usage: object, counts: tuple[int | None, ...]
) -> None:
    log = LogText(4)
    log.message(TEXT, stream=[], usage=usage)
    (found,) = usages(log, tmp_path)
    assert (found.input_tokens, found.output_tokens, found.reasoning_tokens) == counts


@pytest.mark.parametrize("usage", [None, "5", 5, [5], True])
def test_what_is_no_usage_is_none(tmp_path: Path, usage: object) -> None:
    log = LogText(4)
    log.message(TEXT, stream=[], usage=usage)
    assert usages(log, tmp_path) == []


def test_replacements_and_attempts_tell_nothing(tmp_path: Path) -> None:
    log = LogText(4)
    message = {"id": "a", "role": "assistant", "content": [TEXT]}
    data = {"turn": 1, "step": 1, "message": message, "stream": [], "usage": COUNTS}
    log.add("assistant/message", data, surfaceOp={"replace": "a"})
    log.add("assistant/message", data, surfaceOp="replace")
    log.add("assistant/attempt", {"turn": 1, "step": 1, "stream": [], "usage": COUNTS})
    assert usages(log, tmp_path) == []
    log.add("assistant/message", data, surfaceOp="append")
    assert len(usages(log, tmp_path)) == 1


def test_inherited_answers_are_not_counted(tmp_path: Path) -> None:
    log = LogText(4, isSeeded=True)
    log.message(TEXT, stream=[], usage=COUNTS)
    log.add("session/end-seed", {"inherited": True})
    log.message(TEXT, stream=[], usage={"outputTokens": 1})
    assert [u.output_tokens for u in usages(log, tmp_path)] == [1]
