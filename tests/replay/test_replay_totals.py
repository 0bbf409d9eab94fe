"""What a log holds, who caught what with whom, and which measure is credited."""

from __future__ import annotations

import pytest
from replaying import of, plan, replayed

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.overlap import overlap
from dsh_calibrate.replay.summary import summarise

LOOP = "Let me write. Go. " * 60
VERSIONS = (0, 1, 2, 3, 4)


@pytest.mark.parametrize("version", VERSIONS)
def test_totals_of_a_session_with_everything(tmp_path, version):
    session = Session("s-1").human("Go").reasoning("a😀b").call("bash", {"command": "ls"})
    session.call("bash", {"command": "pwd"}).result("ok")
    session.result("Error: tool call aborted before dispatch", code="ABORTED_BEFORE_DISPATCH")
    session.call("run_code", {"code": "x"})
    session.sub_call("bash", {"command": "ls"}).sub_result("ok").result("ok")
    session.end_turn("aborted", abort="user").human("Again").steer("Faster")
    session.call("bash", {"command": "ls"}).crash()
    session.resume().human("Once more").reasoning("cd")
    totals = replayed(tmp_path, session, version=version).totals
    assert totals == {
        "logs": 1,
        "lifecycles": 2,
        "calls": 4,
        "not_dispatched": 1,
        "results": 4,
        "synthetic_results": 1,
        "human_turns": 4,
        "resets": 4,
        "resets_after_abort": 1,
        "streams": 2,
        "reasoning_utf16": 6,
    }


@pytest.mark.parametrize("version", VERSIONS)
def test_a_childs_task_resets_but_is_no_human_turn(tmp_path, version):
    child = Session("p-1").human("Go").fork("c-1", subagent=True, seeded=False)
    child.human("The task").call("bash", {"command": "ls"}).result("ok")
    totals = replayed(tmp_path, child, version=version).totals
    assert (totals["resets"], totals["human_turns"]) == (1, 0)


@pytest.mark.parametrize(
    ("reasons", "after_abort"),
    [
        (["aborted"], 1),
        (["completed"], 0),
        (["error"], 0),
        (["aborted", "completed"], 1),
        (["aborted", "aborted"], 2),
    ],
)
def test_resets_after_an_aborted_turn(tmp_path, reasons, after_abort):
    session = Session("s-1").human("Go")
    for reason in reasons:
        session.call("bash", {"command": "ls"}).result("ok")
        session.end_turn(reason, abort="user" if reason == "aborted" else None).human("Again")
    totals = replayed(tmp_path, session).totals
    assert totals["resets_after_abort"] == after_abort


def test_the_first_hit_is_credited_and_the_others_are_listed(tmp_path):
    how = plan({"warnAt": None, "summarizeAt": None, "limits": {"exact": 9, "cmd": 3, "sink": 3}})
    session = Session("s-1").human("Go")
    for n in range(3):
        session.call("bash", {"command": "make > a.log", "cwd": n}).result("ok")
    outcome = replayed(tmp_path, session, how)
    (asked,) = of(outcome, "rtb")
    assert [hit.measure for hit in asked.hits] == ["cmd", "sink"]
    assert outcome.guards["rtb"].figures["by_measure"] == {
        "cmd": {"advisories": 0, "gates": 1, "sessions": 1}
    }


def caught(tmp_path) -> list[LogOutcome]:
    """Four logs: rtr before rtb, rlg before rtr, rlg alone, nobody."""
    both = Session("s-both").human("Go")
    for _ in range(8):
        both.call("bash", {"command": "ls a"}).result("ok")
    thought = Session("s-thought").human("Go").reasoning(LOOP).call("read", {"p": 1}).result("ok")
    for _ in range(2):
        thought.call("read", {"p": 1}).result("ok")
    alone = Session("s-alone").human("Go").reasoning(LOOP).call("read", {"p": 1}).result("ok")
    well = Session("s-well").human("Go").call("read", {"p": 1}).result("ok")
    return [replayed(tmp_path / s.id, s) for s in (both, thought, alone, well)]


def test_overlap_of_guards(tmp_path):
    outcomes = caught(tmp_path)
    guards = ("rtb", "tfb", "rtr", "rlg")
    found = overlap(outcomes, guards)["sessions"]
    assert found == {
        "any": 3,
        "caught": {"rtb": 1, "tfb": 0, "rtr": 2, "rlg": 2},
        "pairs": {
            "rtb+tfb": 0,
            "rtb+rtr": 1,
            "rtb+rlg": 0,
            "tfb+rtr": 0,
            "tfb+rlg": 0,
            "rtr+rlg": 1,
        },
        "only": {"rtb": 0, "tfb": 0, "rtr": 0, "rlg": 1},
        "first": {"rlg": 2, "rtr": 1},
    }
    rates = summarise(outcomes, guards).guards
    assert (rates["rtb"].logs, rates["rlg"].logs) == (4, 2)


def test_overlap_by_lifecycle_counts_each_by_itself(tmp_path):
    session = Session("s-1").human("Go").reasoning(LOOP).call("read", {"p": 1}).result("ok")
    session.resume().human("Again")
    for _ in range(3):
        session.call("read", {"p": 1}).result("ok")
    found = overlap([replayed(tmp_path, session)], ("rtr", "rlg"))
    assert found["sessions"]["pairs"] == {"rtr+rlg": 1}
    assert found["lifecycles"]["pairs"] == {"rtr+rlg": 0}
    assert found["lifecycles"]["only"] == {"rtr": 1, "rlg": 1}
    assert found["lifecycles"]["first"] == {"rlg": 1, "rtr": 1}
