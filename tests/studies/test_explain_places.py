"""Finding the place that is meant, and the timeline it is found in."""

from __future__ import annotations

import pytest
from explained_sessions import plan, repeated, written

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.errors import UsageError
from dsh_calibrate.studies.explaining import Selector, find
from dsh_calibrate.studies.timeline import only, timeline


def story() -> Session:
    session = Session("s-1").human("Go").reasoning("Let me see. ")
    session.call("bash", {"command": "ls"}, call_id="one").result("a")
    session.call("bash", {"command": "ls"}, call_id="two").result("a")
    session.resume().human("On").call("bash", {"command": "ls"}, call_id="one").result("a")
    return session


@pytest.fixture
def found(tmp_path):
    return timeline(written(tmp_path, story()), plan(rtr={"thresholds": [2]}))


def seq(found, kind, nth=0):
    return [e.seq for e in found.entries if e.kind == kind][nth]


@pytest.mark.parametrize(
    ("selector", "kind", "lifecycle", "ordinal"),
    [
        (lambda f: Selector(seq=seq(f, "call", 1)), "call", 0, 1),
        (lambda f: Selector(seq=seq(f, "result", 1)), "call", 0, 1),
        (lambda f: Selector(seq=seq(f, "stream")), "stream", 0, 0),
        (lambda f: Selector(call="two"), "call", 0, 1),
        (lambda f: Selector(call="1"), "call", 0, 1),
        (lambda f: Selector(call="one", lifecycle=1), "call", 1, 0),
        (lambda f: Selector(stream=0), "stream", 0, 0),
    ],
)
def test_one_place_is_found(found, selector, kind, lifecycle, ordinal):
    place = find(found, selector(found), ("rtb", "rlg"))
    number = place.stream if kind == "stream" else place.call
    assert (place.kind, place.lifecycle, number) == (kind, lifecycle, ordinal)


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (Selector(call="one"), "--call one: 2 places are meant: call 0 one (lifecycle 0"),
        (Selector(call="0"), "2 places are meant"),
        (Selector(call="three"), "no such call; there are 3, from call 0 one"),
        (Selector(stream=4), "no such stream; there are 1"),
        (Selector(seq=9999), "nearest: call 0 one (lifecycle 1"),
    ],
)
def test_what_is_not_one_place_is_named(found, selector, message):
    with pytest.raises(UsageError) as error:
        find(found, selector, ("rtb",))
    assert message in str(error.value)


def test_a_log_without_any_place(tmp_path):
    found = timeline(written(tmp_path, Session("s-1").human("Hello")), plan())
    with pytest.raises(UsageError, match="neither a call nor reasoning"):
        find(found, Selector(seq=3), ("rtb",))


def test_kinds_in_order_and_decisions_behind_their_line(found):
    kinds = [e.kind for e in found.entries]
    assert kinds == [
        *("lifecycle", "turn", "step", "human", "stream", "call", "result", "step", "call"),
        *("result", "decision", "turn-end", "lifecycle", "turn", "step", "human", "call"),
        *("result", "turn-end"),
    ]
    position = kinds.index("decision")
    assert kinds[position - 1] == "result"
    assert found.entries[position].decision.guard == "rtr"
    lines = [e.line for e in found.entries]
    assert lines == sorted(lines)


def test_guards_and_turns_narrow_the_timeline(found):
    assert not [e for e in only(found, ("rtb",)) if e.decision is not None]
    turns = {e.turn for e in only(found, ("rtr",), (2,)) if e.kind != "lifecycle"}
    assert turns == {2}


def test_steps_in_which_nothing_happens_are_left_out(tmp_path):
    session = repeated(1).step().end_turn()
    found = timeline(written(tmp_path, session), plan())
    assert [e.kind for e in found.entries].count("step") == 1


def test_content_is_cut_only_where_asked(tmp_path):
    session = repeated(1, "x" * 500)
    log = written(tmp_path, session)
    texts = [
        [len(e.text) for e in timeline(log, plan(), text_limit=limit).entries if e.kind == "result"]
        for limit in (None, 10)
    ]
    assert texts == [[500], [10]]
