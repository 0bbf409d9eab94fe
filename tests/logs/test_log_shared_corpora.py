"""Every recorded log of the shared corpora is read, and every call accounted for."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from session_log_builder import frames, read

from dsh_calibrate.logs import events
from dsh_calibrate.logs.discovery import discover
from shared_material import ROOT, needs_shared

pytestmark = needs_shared
CORPORA = ROOT / "corpora"


@pytest.mark.parametrize(("folder", "count"), [("harness-v0", 69), ("later-formats", 12)])
def test_all_logs_are_found(folder: str, count: int) -> None:
    found = discover([CORPORA / folder])
    assert len(found.logs) == count
    assert (found.superseded, found.duplicates, found.ignored, found.warnings) == ((), (), (), ())


def test_nothing_is_lost() -> None:
    totals: Counter[str] = Counter()
    for log in discover([CORPORA]).logs:
        seen, reading = read(log.path)
        coverage = reading.coverage
        assert coverage.status in ("read", "no_calls"), (log.key, coverage)
        assert coverage.warnings == ()
        assert coverage.unpaired == 0
        lines = log.path.read_bytes().split(b"\n")[:-1]
        assert coverage.lines == len(lines)
        totals["inherited"] += coverage.inherited_lines > 0
        totals["calls"] += coverage.calls
        totals["results"] += coverage.results
        totals["not dispatched"] += coverage.not_dispatched
        totals["skipped"] += coverage.skipped_lines
        _check_against_lines(seen, lines)
        for event in seen:
            totals[type(event).__name__] += 1
            totals["sub-calls"] += isinstance(event, events.Call) and event.sub
    assert totals["calls"] == totals["Call"] == totals["Result"] == totals["results"] == 108 + 9
    assert totals["sub-calls"] == 9
    assert totals["not dispatched"] == 1
    assert totals["skipped"] == 0
    assert totals["inherited"] == 2
    assert totals["Retry"] == 2
    assert totals["StreamOpen"] == totals["StreamClose"] == 94


def _check_against_lines(seen: list[events.Event], lines: list[bytes]) -> None:
    """Results cite the seq of their call; calls say what their lines say."""
    calls = {e.index: e for e in seen if isinstance(e, events.Call)}
    for event in seen:
        if isinstance(event, events.Result):
            assert event.call is not None
            call = calls[event.call]
            assert call.line < event.line
            cited = json.loads(lines[event.line - 1]).get("sourceEventSeqs")
            assert cited is None or event.sub or cited == [call.seq]
        elif isinstance(event, events.Call):
            data = json.loads(lines[event.line - 1])["data"]
            assert event.tool == data["name"]
            recorded = data["arguments"]
            assert (json.loads(event.arguments) if event.sub else event.arguments) == recorded


def test_pieces_join_to_the_recorded_reasoning() -> None:
    joined: Counter[str] = Counter()
    for log in discover([CORPORA / "harness-v0"]).logs:
        seen, _ = read(log.path)
        text = ""
        lines = log.path.read_bytes().split(b"\n")
        for event in seen:
            if isinstance(event, events.StreamOpen):
                text = ""
            elif isinstance(event, events.StreamPieces):
                text += "".join(event.texts)
            elif isinstance(event, events.StreamClose) and event.outcome == "message":
                data = json.loads(lines[event.line - 1])["data"]
                content = data.get("message", data)["content"]
                blocks = [b["text"] for b in content if b["type"] == "reasoning"]
                joined["same" if text == "".join(blocks) else log.key] += 1
    # one recording was edited in its messages only
    assert joined == {"same": 86, "apps-web-goal-multi-turn-actions/session.jsonl": 1}


def test_zstd_copies_give_the_same_events(tmp_path: Path) -> None:
    for number, log in enumerate(discover([CORPORA]).logs):
        lines = log.path.read_bytes().split(b"\n")[:-1]
        path = tmp_path / f"{number}.jsonl.zstd"
        path.write_bytes(b"".join(frames(lines, batch=3)))
        plain, reading = read(log.path)
        packed, other = read(path)
        assert packed == plain
        assert other.coverage == reading.coverage


def test_flags_do_not_change_the_coverage() -> None:
    for log in discover([CORPORA]).logs:
        full, reading = read(log.path)
        tools, other = read(log.path, reasoning=False)
        assert other.coverage == reading.coverage
        kinds = (events.StreamOpen, events.StreamPieces, events.StreamClose)
        assert tools == [e for e in full if not isinstance(e, kinds)]
