"""One log of each storage, cut at every byte of its last frame or line."""

from __future__ import annotations

from pathlib import Path

import pytest
from event_streams import until

from dsh_calibrate.corpora.event_lines import LineOptions
from dsh_calibrate.corpora.lines import batches
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import frame
from dsh_calibrate.logs.events import Event
from dsh_calibrate.logs.headers import peek
from dsh_calibrate.logs.reading import LogReading, read_log

OPTIONS = LineOptions(batch_ms=1500)


def session() -> Session:
    made = Session("session-cut").human("Go")
    made.reasoning("Let me think about it. " * 5).call("bash", {"command": "make"})
    made.result("[exit code: 2]").human("On").reasoning("Again? ", answer="Well.")
    return made.call("read", {"file_path": "/a"}).result("x" * 300).say("Done.")


def read(path: Path, data: bytes, **options: bool) -> tuple[list[Event], LogReading]:
    path.write_bytes(data)
    reading = read_log(path, **options)
    return list(reading), reading


@pytest.mark.parametrize("version", [0, 2, 4])
def test_zstd(version: int, tmp_path: Path) -> None:
    groups = [b"".join(group) for group in batches(session(), version, OPTIONS)]
    texts = [groups[0], b"".join(groups[1:-1]), groups[-1]]
    assert len(groups) > 2
    frames = [frame(text) for text in texts]
    path = tmp_path / "session.jsonl.zstd"
    whole, full = read(path, b"".join(frames))
    before = b"".join(frames[:-1])
    lines = sum(text.count(b"\n") for text in texts[:-1])
    kept = until(whole, lines)
    assert full.coverage.status == "read"
    for size in range(len(frames[-1])):
        events, reading = read(path, before + frames[-1][:size])
        coverage = reading.coverage
        assert (coverage.status, coverage.torn_tail) == ("read", size > 0), size
        assert until(events, lines)[: len(kept)] == kept, size
        assert coverage.lines >= lines
        assert read(path, before + frames[-1][:size], reasoning=False)[1].coverage == coverage
    for size in range(len(frames[0])):  # the header's own frame
        events, reading = read(path, frames[0][:size])
        assert reading.coverage.status == ("no_calls" if reading.coverage.lines else "empty")
        assert reading.coverage.torn_tail == (size > 0)
        assert peek(path)[1] in ("empty", "broken", "log")


@pytest.mark.parametrize("version", [0, 4])
def test_plain(version: int, tmp_path: Path) -> None:
    lines = [line for group in batches(session(), version, OPTIONS) for line in group]
    path = tmp_path / "session.jsonl"
    whole, full = read(path, b"".join(lines))
    before = b"".join(lines[:-1])
    kept = until(whole, len(lines) - 1)
    for size in range(len(lines[-1])):
        events, reading = read(path, before + lines[-1][:size])
        assert (reading.coverage.status, reading.coverage.torn_tail) == ("read", size > 0), size
        assert until(events, len(lines) - 1)[: len(kept)] == kept, size
        assert reading.coverage.lines == full.coverage.lines - 1
