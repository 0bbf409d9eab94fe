"""Cutting and mending lines, and lines beyond 32 MiB (C62, C64-C66, C77)."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_log_builder import LogText, read

from dsh_calibrate.logs import events
from dsh_calibrate.logs.frames import Hole
from dsh_calibrate.logs.lines import LineReader
from dsh_calibrate.logs.longline import LongLine, LongLineError


def cut(*pieces: bytes) -> tuple[list[bytes], LineReader]:
    reader = LineReader(pieces)
    blocks = [b for b in reader if not isinstance(b, Hole)]
    return [line for block in blocks for line in block.lines], reader


@given(st.lists(st.binary().map(lambda b: b.translate(None, b"\n\r\0\xef"))), st.integers(1, 9))
def test_lines_do_not_depend_on_pieces(lines: list[bytes], size: int) -> None:
    text = b"".join(line + b"\n" for line in lines)
    pieces = [text[i : i + size] for i in range(0, len(text), size)]
    found, reader = cut(*pieces)
    assert found == lines
    assert (reader.repaired, reader.torn) == (0, False)


@pytest.mark.parametrize(
    ("text", "lines", "repaired", "torn"),
    [
        (b"\xef\xbb\xbfa\nb\n", [b"a", b"b"], 1, False),
        (b"a\n\xef\xbb\xbfb\n", [b"a", b"\xef\xbb\xbfb"], 0, False),
        (b"a\r\nb\r\n", [b"a", b"b"], 2, False),
        (b"a\n" + b"\0" * 300 + b"b\n", [b"a", b"b"], 1, False),
        (b"a\0\0\nb\n", [b"a", b"b"], 1, False),
        (b"a\n\0\0\n", [b"a", b""], 1, False),
        (b"a\n\0\0\0", [b"a"], 1, False),
        (b"a\nb", [b"a"], 0, True),
        (b"a\xe2\x80\xa8b\xc2\x85c\x0bd\n", [b"a\xe2\x80\xa8b\xc2\x85c\x0bd"], 0, False),
        (b"", [], 0, False),
    ],
)
def test_mending(text: bytes, lines: list[bytes], repaired: int, torn: bool) -> None:
    found, reader = cut(text) if text else cut()
    assert (found, reader.repaired, reader.torn) == (lines, repaired, torn)


def test_a_log_with_bom_and_crlf_is_read(tmp_path: Path) -> None:
    log = LogText()
    log.call("a")
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + log.text().replace(b"\n", b"\r\n"))
    for reasoning in (True, False):
        seen, reading = read(path, reasoning=reasoning)
        assert reading.coverage.status == "read"
        assert reading.coverage.repaired == 3
        assert any(isinstance(e, events.Call) for e in seen)


def test_a_40_mb_result_is_read_whole(tmp_path: Path) -> None:
    log = LogText()
    log.call("a")
    log.result("a", text="x" * (40 << 20) + "\n[exit code: 2]")
    log.call("b")
    path = log.write(tmp_path / "a.jsonl")
    seen, reading = read(path)
    results = [e for e in seen if isinstance(e, events.Result)]
    assert reading.coverage.status == "read"
    assert len(results[0].text) == (40 << 20) + 15
    assert results[0].call == 0
    assert sum(isinstance(e, events.Call) for e in seen) == 2


def test_a_huge_line_nobody_needs_takes_no_memory(tmp_path: Path) -> None:
    log = LogText()
    log.add("request/header", {"header": {"system": "y" * (60 << 20)}})
    log.call("b")
    path = log.write(tmp_path / "a.jsonl")
    del log
    tracemalloc.start()
    _, reading = read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert reading.coverage.status == "read"
    assert reading.coverage.calls == 1
    assert peak < 50 << 20


def test_a_huge_line_that_is_no_json_ends_the_reading(tmp_path: Path) -> None:
    log = LogText()
    log.call("a")
    log.lines.append(b'{"type":"tool/result","data":{"text":"' + b"z" * (33 << 20) + b"\x01")
    log.call("b")
    seen, reading = read(log.write(tmp_path / "a.jsonl"))
    assert reading.coverage.status == "unreadable"
    assert (reading.coverage.where or "").startswith("line 3, byte ")
    assert sum(isinstance(e, events.Call) for e in seen) == 1


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    ),
    st.integers(1, 7),
)
def test_the_scan_changes_nothing_it_need_not(value: object, size: int) -> None:
    line = json.dumps({"type": "tool/call", "data": value}).encode()
    scan = LongLine()
    for start in range(0, len(line), size):
        scan.feed(line[start : start + size])
    assert scan.finish() == line


def test_long_strings_of_other_keys_are_dropped() -> None:
    value = {"type": "tool/result", "meta": "m" * 99999, "text": "t" * 99999}
    scan = LongLine()
    scan.feed(json.dumps(value, separators=(",", ":")).encode())
    assert json.loads(scan.finish()) == value | {"meta": ""}


@pytest.mark.parametrize("bad", [b'{"a":"\x02"}', b'{"a":"\\q"}x', b'{"a":"', b'{"a":"\xff"}'])
def test_the_scan_refuses_what_is_no_json(bad: bytes) -> None:
    def scan() -> None:
        line = LongLine()
        line.feed(bad)
        line.finish()

    with pytest.raises(LongLineError):
        scan()
