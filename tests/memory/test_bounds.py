"""The limits that keep memory bounded, each at a size that tests can afford."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from huge_logs import frame, header, line, plain
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_calibrate import bounded
from dsh_calibrate.guards.reasoning_loop import config as reasoning
from dsh_calibrate.guards.reasoning_loop import detector
from dsh_calibrate.guards.repeat_tool_breaker import config as breaker_config
from dsh_calibrate.guards.repeat_tool_breaker import memo
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.guards.repeat_tool_breaker.streaks import Streaks
from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs import frames, longline, pairing, states
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.events import Call, Event, Result
from dsh_calibrate.logs.reading import read_log


def read(path: Path) -> tuple[list[Event], LogCoverage]:
    reading = read_log(path)
    return list(reading), reading.coverage


def call(seq: int, call_id: str, arguments: str = "{}") -> bytes:
    data = {"turn": 1, "step": 1, "callId": call_id, "name": "bash", "arguments": arguments}
    return line("tool/call", seq, json.dumps(data))


def result(seq: int, call_id: str, text: str = "ok") -> bytes:
    blocks = [{"type": "text", "text": text}]
    message = {"source": {"callId": call_id}, "content": blocks, "isError": False}
    return line("tool/result", seq, json.dumps({"turn": 1, "step": 1, "message": message}))


def test_the_older_half_is_forgotten() -> None:
    entries: dict[int, str] = {}
    for key in range(11):
        bounded.remember(entries, key, "x", most=10)
    assert list(entries) == [5, 6, 7, 8, 9, 10]
    bounded.remember(entries, 10, "y", most=10)
    assert len(entries) == 6


def test_streaks_of_many_fingerprints_stay_bounded() -> None:
    streaks = Streaks()
    for number in range(450_000):
        streaks.settle([f"exact:{number}"], failed=True)
    assert len(streaks.all()) <= 200_000
    assert streaks.of("exact:449999") == 1


def test_a_memo_counts_what_its_entries_take_beside_their_text() -> None:
    known = memo.Memo()
    config = breaker_config.configure({}, PROFILES["0.8"])
    for number in range(60_000):
        known.prepared("read", f'{{"file_path":"/f{number}"}}', config)
    assert len(known._prepared) < 45_000
    before = known.prepared("read", '{"file_path":"/f59999"}', config)
    assert known.prepared("read", '{"file_path":"/f59999"}', config) is before


def test_calls_without_results_are_forgotten_oldest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "_MOST_OPEN", 8)
    calls = [call(n, f"c{n}") for n in range(20)]
    results = [result(20 + n, f"c{n}") for n in range(20)]
    events, coverage = read(plain(tmp_path / "a.jsonl", [header(4), *calls, *results]))
    paired = [e.call for e in events if isinstance(e, Result)]
    assert paired[:8] == [None] * 8
    assert paired[-4:] == [16, 17, 18, 19]
    assert sum(isinstance(e, Call) for e in events) == 20
    assert coverage.status == "read"
    assert coverage.unpaired == paired.count(None)


def test_calls_that_are_settled_never_count_as_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "_MOST_OPEN", 8)
    lines = [call(0, "first")]
    for number in range(1, 60, 2):
        lines += [call(number, "c"), result(number + 1, "c")]
    lines.append(result(61, "first"))
    events, _ = read(plain(tmp_path / "a.jsonl", [header(4), *lines]))
    assert [e.call for e in events if isinstance(e, Result)][-1] == 0


def test_streams_do_not_wait_for_a_call_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "_HELD", 5000)
    piece = '{"turn":1,"step":1,"chunk":{"type":"reasoning-delta","text":"hm hm hm"}}'
    lines = [call(0, "c"), *(line("assistant/chunk", 1 + n, piece) for n in range(50_000))]
    path = plain(tmp_path / "a.jsonl", [header(0), *lines])
    seen = {type(event).__name__ for event, _ in zip(read_log(path), range(10), strict=False)}
    assert {"Call", "StreamPieces"} <= seen


def test_a_call_with_absurd_arguments_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(states, "MOST_ARGUMENTS", 100)
    lines = [call(0, "a"), call(1, "b", "x" * 101), call(2, "c")]
    events, coverage = read(plain(tmp_path / "a.jsonl", [header(4), *lines]))
    assert coverage.status == "unreadable"
    assert coverage.reason == "a call with more than 100 characters of arguments"
    assert coverage.where is not None
    assert coverage.where.startswith("line 3, ")
    assert [e.call_id for e in events if isinstance(e, Call)] == ["a"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"a":[' + b"1," * 600_000 + b"1" * 4_000_000 + b"]}", "more than 500000 values"),
        (b'{"a":"' + b"1," * 2_500_000 + b'"}', None),
        (b'{"a":"' + b'\\",' * 1_600_000 + b'"}', None),
        (b'{"a":[' + b"1," * 600_000 + b"1]}", None),
    ],
)
def test_a_line_of_too_many_values(text: bytes, reason: str | None) -> None:
    found = longline.too_much(text)
    assert (reason in found) if reason and found else found is reason


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (b"plain", longline._KEPT),
        ("é".encode(), longline._KEPT_WIDER),
        (b"\\u4e16", longline._KEPT_WIDER),
        ("\U0001f600".encode(), longline._KEPT_WIDEST),
        (b"\\uD83D\\uDE00", longline._KEPT_WIDEST),
    ],
)
def test_text_that_decodes_to_more_memory_has_less_room(text: bytes, kept: int) -> None:
    assert longline._room(text) == kept


def test_many_small_bombs_are_one_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "_BOMB_TEXT", 100_000)
    monkeypatch.setattr(frames, "_BOMB_RATIO", 10)
    monkeypatch.setattr(frames, "_BATCH", 1)
    blank = frame(b" " * 50_000 + b"\n")
    path = tmp_path / "session.v4.jsonl.zstd"
    path.write_bytes(frame(header(4)) + frame(call(0, "a")) + blank * 40)
    events, coverage = read(path)
    assert coverage.status == "unreadable"
    assert coverage.where == "the file"
    assert coverage.reason is not None
    assert "unpacks to more than 100000" in coverage.reason
    assert sum(isinstance(e, Call) for e in events) == 1


@given(st.lists(st.sampled_from(["a", "é", "世", "🙂", "\ud83d", "\udc00", "🙂世"]), max_size=30))
def test_lengths_of_long_texts_are_those_of_their_parts(parts: list[str]) -> None:
    text = "".join(parts)
    whole = utf16.length(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(utf16, "_LONG", 3)
        assert utf16.length(text) == whole


@settings(max_examples=60)
@given(
    st.lists(
        st.sampled_from(["abcdefgh. ", "Wait, no.\n", "🙂", "\ud83d", ". . . ", "x"]),
        min_size=1,
        max_size=9,
    ),
    st.lists(st.integers(0, 90), min_size=1, max_size=4),
)
def test_only_the_end_of_a_huge_piece_matters(units: list[str], repeats: list[int]) -> None:
    """Trimming a piece to the widest buffer gives the verdict of the untrimmed rules."""
    row = {"minChars": 0, "every": 16, "window": 64, "periodTail": 64, "blockMin": 4}
    row |= {"maxPeriod": 9, "kgram": 8, "lineMin": 2, "fillerRun": 9, "minUnits": 4}
    config = reasoning.configure(row)
    pieces = ["".join(units) * repeat + units[0] for repeat in repeats]

    def verdict(most: int) -> object:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(detector, "_LONG", most)
            watched = detector.Detector(config)
            found = [watched.feed(piece) for piece in pieces]
            many = detector.Detector(config)
            return found, many.feed_many(pieces), watched.total

    assert verdict(70) == verdict(1 << 30)
