"""Lines decoded in one go give what lines taken one by one give: events, coverage, decisions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from session_log_builder import LogText

import shared_material
from dsh_calibrate.guards.reasoning_loop import config as rlg
from dsh_calibrate.guards.repeat_tool_breaker import config as rtb
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES
from dsh_calibrate.logs import bulk, stretches
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.logs.events import Event, StreamPieces
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.plan import Plan

ROOT = Path(__file__).parents[2]
QUICK = {"minChars": 10, "every": 16, "window": 64, "kgram": 8, "kgramThreshold": 2}
SHORT = {"periodTail": 64, "maxPeriod": 30, "blockMin": 8, "blockCount": 2, "fillerRun": 20}
PLAN = Plan(rtb=rtb.configure({}, PROFILES[DEFAULT]), rlg=rlg.configure({**QUICK, **SHORT}))


def told(path: Path, *, salvage: bool, reasoning: bool) -> tuple[list[object], LogCoverage]:
    """Every event, a piece of reasoning each on its own, and the coverage."""
    reading = read_log(path, salvage, reasoning=reasoning)
    found: list[object] = []
    for event in reading:
        found.extend(_apart(event))
    return found, reading.coverage


def _apart(event: Event) -> list[object]:
    if not isinstance(event, StreamPieces):
        return [event]
    times = event.times or (None,) * len(event.texts)
    return [
        (event.stream, event.seq + k * event.seq_stride, event.line_of(k), text, times[k])
        for k, text in enumerate(event.texts)
    ]


def same_both_ways(path: Path, root: Path) -> None:
    """Compare reading in bulk with reading line by line."""
    kinds = [(salvage, reasoning) for salvage in (False, True) for reasoning in (False, True)]
    logs = discover([root]).logs
    fast = [told(path, salvage=s, reasoning=r) for s, r in kinds]
    replayed = [replay_log(log, PLAN) for log in logs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "decode", lambda *_: ([], False))
        for (salvage, reasoning), was in zip(kinds, fast, strict=True):
            assert told(path, salvage=salvage, reasoning=reasoning) == was
        assert [replay_log(log, PLAN) for log in logs] == replayed


NUMBERS = st.sampled_from([1, 1, 1, 1, 2, 300, 2**70, True, 1.0, None, "1"])
TEXTS = st.sampled_from(["a", " word", "é", "\ud83d", "\n", "", "x" * 300])
KINDS = ["reasoning-delta"] * 4 + ["text-delta", "tool-call-delta", "finish", "block-end", "new"]
PACKED = ["reasoning-chunks", "reasoning-chunks", "text-chunks", "tool-call-chunks"]


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """A log that is mostly in order, and odd in places."""
    log = LogText(draw(st.sampled_from([0, 1, 4])), stripped=draw(st.integers(0, 9)) == 0)
    log.step()
    for _ in range(draw(st.integers(1, 25))):
        match draw(st.integers(0, 12)):
            case 0 | 1 | 2 | 3:
                kind = draw(st.sampled_from(KINDS))
                block = {"type": "reasoning", "text": "whole"}
                chunk: dict[str, Any] = {"text": draw(TEXTS), "block": block}
                for _ in range(draw(st.integers(1, 6))):
                    log.chunk(kind, draw(NUMBERS), draw(NUMBERS), **chunk)
            case 4 | 5 | 6:
                for _ in range(draw(st.integers(1, 4))):
                    texts = draw(st.lists(TEXTS, min_size=1, max_size=4))
                    kind = draw(st.sampled_from(PACKED))
                    log.row(texts, kind, turn=draw(NUMBERS))
            case 7:
                log.call(f"c{log.seq}")
                log.result(f"c{log.seq - 1}")
            case 8:
                log.message({"type": "text", "text": "done"})
                log.step(1, draw(st.integers(1, 3)))
            case 9:
                log.add(draw(st.sampled_from(["todo/write", "plugin:x", "team/x", "new/type"])))
            case 10:
                log.user()
            case 11:
                log.seq += draw(st.integers(-1, 1))
            case 12:
                log.row(["a", "b"], dt=draw(st.sampled_from([[], [1], [0.5], [-7], None])))
    return _with_odd_lines(draw, log.lines)


def _with_odd_lines(draw: st.DrawFn, lines: list[bytes]) -> bytes:
    for index in draw(st.sets(st.integers(1, len(lines) - 1), max_size=2)):
        record = json.loads(lines[index])
        match draw(st.integers(0, 7)):
            case 0:
                lines[index] = b" " + lines[index]
            case 1:
                lines[index] = b""
            case 2:
                lines[index] += lines[index]
            case 3:
                record["time"] = record["time0"] = draw(st.sampled_from([5, 0.5, None, "x", 1e300]))
                lines[index] = json.dumps(record).encode()
            case 4:
                lines[index] = json.dumps(dict(reversed(record.items()))).encode()
            case 5:
                lines[index] = lines[index][:-1] + b',"type":"todo/write"}'
            case 6:
                lines[index] = lines[index][: draw(st.integers(0, len(lines[index])))]
            case 7:
                lines[index] = lines[index].replace(b'"data":{', b'"data":5,"x":{')
    return b"".join(line + b"\n" for line in lines)


@given(logs())
def test_bulk_is_line_by_line(tmp_path_factory: pytest.TempPathFactory, text: bytes) -> None:
    folder = tmp_path_factory.mktemp("log")
    path = folder / "session.jsonl"
    path.write_bytes(text)
    same_both_ways(path, folder)


@pytest.mark.parametrize("corpus", ["all-guards", "damaged-logs", "first-loops"])
def test_shipped_recordings_read_alike(corpus: str) -> None:
    logs = discover([ROOT / "corpora" / corpus]).logs
    assert logs
    for log in logs:
        same_both_ways(log.path, log.path)


@shared_material.needs_shared
def test_shared_recordings_read_alike() -> None:
    logs = discover([shared_material.ROOT / "corpora"]).logs
    assert logs
    for log in logs:
        same_both_ways(log.path, log.path)


def test_the_fast_way_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log = LogText(1)
    log.step()
    for _ in range(50):
        log.chunk("reasoning-delta", text="a")
    for _ in range(50):
        log.row(["a", "b"])
    path = log.write(tmp_path / "session.jsonl")
    taken: list[int] = []
    for name in ("read", "skim"):
        original = getattr(stretches, name)
        monkeypatch.setattr(
            stretches, name, lambda *a, f=original: taken.append(f(*a)) or taken[-1]
        )
    pieces = [e for e in read_log(path) if isinstance(e, StreamPieces)]
    assert taken == [50, 50]
    assert [(e.line, e.per_line) for e in pieces] == [(3, (1,) * 50), (53, (2,) * 50)]
    assert (pieces[1].line_of(0), pieces[1].line_of(3), pieces[1].line_of(99)) == (53, 54, 102)
    taken.clear()
    list(read_log(path, reasoning=False))
    assert sum(taken) == 99  # one chunk is looked at to learn that the log reasons


@pytest.mark.parametrize(
    ("text", "records", "going_on"),
    [
        (b'{"type":"turn/start"}\n{"type":"turn/end"}', 2, True),
        (b'{"type":"turn/start"}\n{"type":"other"}\n{"type":"turn/end"}', 1, True),
        (b'{"type":"other"}\n{"type":"turn/end"}', 0, True),
        (b'{"type":"turn/start"}\n{"type":"tool/call"}', 1, True),
        (b'{"type":"turn/start"}{"type":"turn/end"}\n{"type":"other"}', 0, False),
        (b'{"type":"turn/start"}\n\n{"type":"turn/end"}', 0, False),
        (b'{"type":"turn/start",\n"a":{"b":1}\n}', 0, False),
        (b'{"type":"turn/start"}\n{"type":"turn/end"', 0, False),
        (b'{"type":"turn/start"}\n{"type":"turn/end",}', 0, False),
    ],
)
def test_where_bulk_decoding_stops(text: bytes, records: int, going_on: bool) -> None:
    found, goes_on = bulk.decode(text, text.count(b"\n") + 1)
    assert (len(found), goes_on) == (records, going_on)
