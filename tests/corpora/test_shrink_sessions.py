"""Shrinking keeps the decision, leaves a whole log, and takes out all it can."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpora.event_story import CORPORA
from dsh_calibrate.corpora.redaction.spread import spread
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.shrinking.ddmin import ddmin
from dsh_calibrate.corpora.shrinking.renumbering import renumbered
from dsh_calibrate.corpora.shrinking.shrink import shrink
from dsh_calibrate.corpora.shrinking.target import essence, parse_target
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.log import replay_log

PLAN = spread()["defaults"]


@given(st.sets(st.integers(0, 60), max_size=6), st.integers(0, 60))
def test_ddmin_finds_exactly_what_is_needed(needed, size):
    items = sorted(needed | set(range(size)))
    assert ddmin(items, lambda kept: needed <= set(kept)) == sorted(needed)


@given(st.integers(1, 12), st.integers(12, 40))
def test_ddmin_of_a_count_is_minimal(least, size):
    assert len(ddmin(range(size), lambda kept: len(kept) >= least)) == least


@pytest.mark.parametrize(
    ("text", "guard", "stage", "by", "number"),
    [
        ("rtb", "rtb", None, None, None),
        ("rtb:warn@call=6", "rtb", "warn", "call", 6),
        ("rlg@stream=0", "rlg", None, "stream", 0),
        ("tfb@1/seq=12", "tfb", None, "seq", 12),
        ("rtr:5", "rtr", "5", None, None),
    ],
)
def test_decisions_are_named(text, guard, stage, by, number):
    target = parse_target(text)
    assert (target.guard, target.stage, target.by, target.number) == (guard, stage, by, number)


@pytest.mark.parametrize("text", ["", "xyz", "rtb@line=3", "rtb@call=", "rtb@call=-1"])
def test_other_names_are_refused(text):
    with pytest.raises(UsageError, match="--keep"):
        parse_target(text)


@pytest.mark.parametrize("form", ["v0-zstd", "v4-zstd"])
@pytest.mark.parametrize(
    ("session", "keep", "calls"),
    [
        ("reminder", "rtr:3", 3),
        ("ping-pong", "rtb:warn", 7),
        ("circuit-breaker", "tfb", 3),
        ("seeded-fork", "rtr:5", 5),
        ("reasoning-block-quote", "rlg:block-repeat", 0),
    ],
)
def test_shipped_logs_shrink_to_what_the_decision_needs(tmp_path, form, session, keep, calls):
    folder = CORPORA / "all-guards/sessions" / form / "--work-app--" / session
    (log,) = discover([folder]).logs
    made = shrink(log, PLAN, parse_target(keep))
    path = tmp_path / "small.jsonl"
    path.write_bytes(made.data)
    outcome = replay_log(discover([path]).logs[0], PLAN)
    assert outcome.coverage.status == "read"
    assert outcome.coverage.calls == calls
    assert essence(made.before) in [essence(d) for d in outcome.decisions]
    assert made.lines_after == outcome.coverage.lines < made.lines_before
    assert shrink(log, PLAN, parse_target(keep)).data == made.data


def test_messages_ask_for_no_call_that_is_gone(tmp_path):
    session = Session("s").human("go")
    for number in range(3):
        session.reasoning("thinking").call("ls", {"path": "b"}).call("read", {"at": number})
        session.result("y").result("x")
        session.call("read", {"path": "a"}).result("x")
    for _ in range(3):
        session.call("read", {"path": "a"}).result("x")
    log = discover([write_session(tmp_path, session, 3)]).logs[0]
    made = shrink(log, PLAN, parse_target("rtr:3"))
    assert made.data.count(b'"tool/call"') == 3
    assert b'"tool-call"' not in made.data


def test_references_lead_somewhere_after_renumbering():
    lines = [
        {"type": "session"},
        {"type": "user/message", "seq": 4},
        {"type": "reasoning-chunks", "seq0": 7, "data": {"texts": ["a", "b"]}},
        {"type": "x", "seq": 9, "sourceEventSeqs": [[3, 4], 8, 20]},
        {"type": "x", "seq": 11, "surfaceOp": {"op": "replace", "start": 3, "end": 5}},
        {"type": "x", "seq": 12, "surfaceOp": {"op": "replace", "startSeq": 30, "endSeq": 31}},
    ]
    new = renumbered(lines)
    assert [line.get("seq", line.get("seq0")) for line in new[1:]] == [0, 1, 3, 4]
    assert new[3]["sourceEventSeqs"] == [0, 2]
    assert new[4]["surfaceOp"] == {"op": "replace", "start": 0, "end": 0}


def test_a_decision_that_is_not_there_is_named(tmp_path):
    log = discover([write_session(tmp_path, Session("s").human("x").call("ls", {}), 4)]).logs[0]
    with pytest.raises(UsageError, match="no such decision"):
        shrink(log, PLAN, parse_target("tfb"))
