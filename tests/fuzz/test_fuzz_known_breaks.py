"""What fuzzing has found, each as the smallest log that shows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.logs.generations import last_event_time
from dsh_calibrate.logs.reading import read_log

HEADER = b'{"type":"session","version":0,"id":"s","createdAt":1}\n'
HUGE = b"1" + b"0" * 350


def coverage(path: Path, **options: bool) -> LogCoverage:
    reading = read_log(path, **options)
    list(reading)
    return reading.coverage


def row(time0: bytes, gap: bytes) -> bytes:
    data = b'{"turn":1,"step":1,"dt":[%b],"texts":["a","b"]}' % gap
    return b'{"type":"reasoning-chunks","seq0":0,"time0":%b,"data":%b}\n' % (time0, data)


def chunk(seq: int) -> bytes:
    data = {"turn": 1, "step": 1, "chunk": {"type": "reasoning-delta", "text": "hm"}}
    event = {"type": "assistant/chunk", "seq": seq, "time": 1, "data": data}
    return json.dumps(event, separators=(",", ":")).encode()


@pytest.mark.parametrize("gap", [b"0.5", b"1e308", b"1e999", b"-1e999", b"9" * 5000])
@pytest.mark.parametrize("time0", [HUGE, b"-" + HUGE, b"1", b"1e999", b"0.5"])
def test_times_too_large_to_add(time0: bytes, gap: bytes, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(HEADER + row(time0, gap))
    assert coverage(path).status == "read"
    last_event_time(path)
    newer = tmp_path / "session.v4.jsonl"
    newer.write_bytes(HEADER + row(b"5", b"5"))
    assert len(discover([tmp_path]).logs) == 1


def test_a_blank_line_hides_no_line_of_two_records(tmp_path: Path) -> None:
    """Two records in one line and a blank one are as many values as lines."""
    path = tmp_path / "a.jsonl"
    lines = [chunk(0), b"", chunk(1) + chunk(2), chunk(3)]
    path.write_bytes(HEADER + b"\n".join(lines) + b"\n")
    full, tools = coverage(path), coverage(path, reasoning=False)
    assert full.status == tools.status == "damaged"
    assert (full.where, full.reason) == (tools.where, tools.reason)
