"""Events of one log: damage, seq, seeds, unknown types, states (contract.md 3, C65-C78)."""

from __future__ import annotations

from pathlib import Path

import pytest
from session_log_builder import LogText, read

from dsh_calibrate.logs import events
from dsh_calibrate.logs.coverage import LogCoverage, merge
from dsh_calibrate.logs.reading import read_log


def names(seen: list[events.Event]) -> list[str]:
    return [type(e).__name__ for e in seen]


def some_log(version: int = 0) -> LogText:
    log = LogText(version)
    log.add("turn/start", {"turn": 1})
    log.step()
    log.user()
    for i in range(4):
        log.call(f"c{i}")
        log.result(f"c{i}")
    log.add("step/end", {"turn": 1, "step": 1})
    log.add("turn/end", {"turn": 1, "reason": {"kind": "aborted", "reason": {"kind": "user"}}})
    return log


FUSED = b'{"type":"tool/result","seq":5,"data":{"tex{"type":"tool/result","seq":5,"data":{}}'
DAMAGE = {
    "fused": FUSED,
    "two values": b'{"type":"a/b","seq":5}{"type":"a/b","seq":6}',
    "torn multi-byte": b'{"type":"session/title","seq":5,"data":{"title":"\xe4\xb8"}}',
    "NaN": b'{"type":"session/title","seq":5,"data":NaN}',
    "NUL inside": b'{"type":"session/title","seq":5,"da\0ta":1}',
    "deep": b'{"type":"session/title","seq":5,"data":' + b"[" * 9999 + b"]" * 9999 + b"}",
    "gap": b'{"type":"session/title","seq":6,"data":{}}',
    "back": b'{"type":"session/title","seq":3,"data":{}}',
    "row": b'{"type":"reasoning-chunks","seq0":5,"time0":1,"data":{"dt":[1,2],"texts":["a","b"]}}',
    "empty row": b'{"type":"text-chunks","seq0":5,"time0":1,"data":{"dt":[],"texts":[]}}',
}


@pytest.mark.parametrize("reasoning", [True, False])
@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_ends_the_reading_or_is_skipped(tmp_path: Path, kind: str, reasoning: bool) -> None:
    log = some_log()
    log.lines.insert(6, DAMAGE[kind])
    path = log.write(tmp_path / "a.jsonl")
    seen, reading = read(path, reasoning=reasoning)
    assert reading.coverage.status == "damaged"
    start = len(b"\n".join(log.lines[:6])) + 1
    assert reading.coverage.where == f"line 7, byte {start}"
    assert [e.call_id for e in seen if isinstance(e, events.Call)] == ["c0"]
    seen, reading = read(path, salvage=True, reasoning=reasoning)
    assert reading.coverage.status == "damaged"
    assert reading.coverage.gaps == names(seen).count("Gap") >= 1
    assert [e.call_id for e in seen if isinstance(e, events.Call)] == ["c0", "c1", "c2", "c3"]


def test_a_missing_line_is_a_gap(tmp_path: Path) -> None:
    log = some_log()
    del log.lines[6]
    _, reading = read(log.write(tmp_path / "a.jsonl"))
    assert reading.coverage.status == "damaged"
    assert reading.coverage.reason == "seq 6 where 5 was due"


@pytest.mark.parametrize("reasoning", [True, False])
def test_packed_rows_count_as_their_members(tmp_path: Path, reasoning: bool) -> None:
    log = some_log()
    log.row(["a", 'b","c', "d\\"])
    log.row(["x", "y"])
    log.add("tool-call-chunks", {"dt": [1], "args": ["{", "}"]}, members=2)
    log.chunk("text-delta", text="hi")
    _, reading = read(log.write(tmp_path / "a.jsonl"), reasoning=reasoning)
    assert reading.coverage.status == "read", reading.coverage
    assert reading.coverage.has_reasoning


def test_stripped_logs_are_numbered_by_position(tmp_path: Path) -> None:
    log = LogText(0, stripped=True)
    log.row(["a", "b", "c"])
    seq = log.call("a")
    log.result("a", cites=[seq])
    seen, reading = read(log.write(tmp_path / "a.jsonl"))
    call = next(e for e in seen if isinstance(e, events.Call))
    assert (call.seq, call.line, call.time) == (3, 3, None)
    assert reading.coverage.unpaired == 0


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([], "empty"),
        ([b'{"type":"session","createdAt":1'], "unreadable"),
        ([b'{"type":"session","version":0,"id":"s","createdAt":1}'], "no_calls"),
        ([b'{"type":"session","version":3,"id":"s","timestamp":"2026"}'], "unreadable"),
        (
            [b'{"type":"session","id":"s","createdAt":1}'] + [b'{"type":"x/y"}'] * 9,
            "not_understood",
        ),
        (
            [b'{"type":"session","id":"s","createdAt":1}', b'{"type":"turn/start","data":{}}']
            + [b'{"type":"reasoning-chunks","data":{"rows":[1]}}'] * 2200,
            "not_understood",
        ),
        ([b'{"type":"session","id":"s","createdAt":1}', b'{"type":"turn/start"}'], "no_calls"),
    ],
)
def test_states_of_logs_that_say_nothing(tmp_path: Path, lines: list[bytes], status: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    for reasoning in (True, False):
        _, reading = read(path, reasoning=reasoning)
        expected = "damaged" if lines and lines[0].endswith(b"1") else status
        assert reading.coverage.status == expected, reading.coverage


def test_unknown_types_are_counted_and_named(tmp_path: Path) -> None:
    log = some_log()
    log.add("acme/fallback-switch")
    log.add("acme/quiet", ignorable=True)
    log.add("plugin:old")
    log.call("z")
    _, reading = read(log.write(tmp_path / "a.jsonl"))
    coverage = reading.coverage
    assert coverage.status == "read"
    assert coverage.skipped_types == {"acme/fallback-switch": 1, "acme/quiet": 1, "plugin:old": 1}
    assert coverage.skipped_lines == 3
    assert len(coverage.warnings) == 1
    assert "acme/fallback-switch" in coverage.warnings[0]


def test_a_newer_version_is_read_by_shape(tmp_path: Path) -> None:
    log = some_log(4)
    log.lines[0] = log.lines[0].replace(b'"version":4', b'"version":5')
    _, reading = read(log.write(tmp_path / "a.jsonl"))
    assert reading.coverage.status == "read"
    assert "version 5" in reading.coverage.warnings[0]


def test_lone_surrogates_are_kept_and_counted(tmp_path: Path) -> None:
    log = LogText()
    line = b'{"type":"tool/call","seq":0,"data":{"callId":"a","name":"b","arguments":"\\ud83d"}}'
    sub = (
        b'{"type":"tool/ptc-dispatch-start","seq":1,"data":{"subCallId":"s","name":"b",'
        b'"arguments":{"x":"\\ude00"}}}'
    )
    log.lines += [line, sub]
    seen, reading = read(log.write(tmp_path / "a.jsonl"))
    calls = [e for e in seen if isinstance(e, events.Call)]
    assert [c.arguments for c in calls] == ["\ud83d", '{"x": "\ude00"}']
    assert reading.coverage.fallback == 2


@pytest.mark.parametrize("link", [{"parentSession": "p"}, {}])
def test_inherited_history_of_format_0(tmp_path: Path, link: dict[str, str]) -> None:
    log = LogText(0, seedLength=6, **link)
    log.add("turn/start", {"turn": 1})
    log.call("old")
    log.result("old")
    log.row(["a", "b", "c", "d"])  # seq 3 to 6: the last member is the child's own
    log.add("session/end-seed")
    log.call("new")
    for reasoning in (True, False):
        seen, reading = read(log.write(tmp_path / "a.jsonl"), reasoning=reasoning)
        calls = [e for e in seen if isinstance(e, events.Call)]
        assert [(c.call_id, c.index) for c in calls] == [("new", 0)]
        assert reading.coverage.calls == 1
        assert reading.coverage.inherited_lines == 3
        pieces = [e for e in seen if isinstance(e, events.StreamPieces)]
        assert [(p.texts, p.seq) for p in pieces] == ([(("d",), 6)] if reasoning else [])
        starts = [e.number for e in seen if isinstance(e, events.LifecycleStart)]
        assert starts == [0, 1]


def test_inherited_history_of_later_formats(tmp_path: Path) -> None:
    log = LogText(3, isSeeded=True)
    log.call("old")
    log.add("session/end-seed", {"inherited": True})
    log.call("old2")
    log.add("session/end-seed", {"inherited": True})
    log.call("new")
    log.add("session/end-seed")
    log.call("newer")
    seen, reading = read(log.write(tmp_path / "a.jsonl"))
    assert [e.call_id for e in seen if isinstance(e, events.Call)] == ["new", "newer"]
    assert [e.number for e in seen if isinstance(e, events.LifecycleStart)] == [0, 1, 2]
    assert reading.coverage.inherited_lines == 3


def test_a_seed_without_its_mark_is_not_counted(tmp_path: Path) -> None:
    log = LogText(3, isSeeded=True)
    log.call("a")
    log.row(["r"])
    log.add("session/end-seed")
    seen, reading = read(log.write(tmp_path / "a.jsonl"))
    assert names(seen) == ["LifecycleStart"]
    assert reading.coverage.status == "not_understood"
    assert "isSeeded" in reading.coverage.warnings[0]


def test_a_growing_log_is_read_to_its_length_at_open(tmp_path: Path) -> None:
    path = some_log().write(tmp_path / "a.jsonl")
    reading = read_log(path)
    seen = []
    for event in reading:
        if not seen:
            with path.open("ab") as file:
                file.write(b"this is not JSON\n" * 100_000)
        seen.append(event)
    assert reading.coverage.status == "read"


def test_a_log_that_cannot_be_opened(tmp_path: Path) -> None:
    seen, reading = read(tmp_path / "gone.jsonl")
    assert (seen, reading.coverage.status) == ([], "unreadable")
    assert reading.coverage.reason


def test_turns_humans_and_notices(tmp_path: Path) -> None:
    log = some_log()
    log.user("x", kind="plugin", plugin="compact", form="notice", summary="s")
    log.add("steering/message", {"turn": 1, "content": [], "source": {"kind": "user"}})
    log.add("steering/message", {"turn": 1, "message": {"content": []}})
    replaced = {"op": "replace", "start": 1, "end": 2}
    log.add("user/message", {"source": {"kind": "user"}, "content": []}, surfaceOp=replaced)
    seen, _ = read(log.write(tmp_path / "a.jsonl"))
    assert [e.turn for e in seen if isinstance(e, events.Human)] == [1, None, None]
    notice = next(e for e in seen if isinstance(e, events.Notice))
    told = (notice.kind, notice.plugin, notice.form, notice.summary, notice.text)
    assert told == ("plugin", "compact", "notice", "s", "x")
    end = next(e for e in seen if isinstance(e, events.TurnEnd))
    assert (end.reason, end.abort) == ("aborted", "user")


def test_flags_leave_out_events_only(tmp_path: Path) -> None:
    log = some_log()
    log.row(["a", "b"])
    path = log.write(tmp_path / "a.jsonl")
    full, reading = read(path)
    for flags in ({"reasoning": False}, {"calls": False}):
        part, other = read(path, **flags)
        assert other.coverage == reading.coverage
        assert part == [e for e in full if e in part]
        assert len(part) < len(full)


def test_coverage_adds_up() -> None:
    logs = [
        LogCoverage("read", lines=3, torn_tail=True),
        LogCoverage("damaged", lines=2, skipped_lines=1, skipped_types={"x": 1}),
        LogCoverage("empty", repaired=1),
    ]
    total = merge(logs, superseded=1, duplicates=2, ignored=3)
    assert total.found == 3 == total.read + total.damaged + total.empty
    assert (total.torn_tails, total.repaired, total.lines) == (1, 1, 5)
    assert total.as_json()["skipped_types"] == {"x": 1}
    assert (total.superseded, total.duplicates, total.ignored) == (1, 2, 3)
