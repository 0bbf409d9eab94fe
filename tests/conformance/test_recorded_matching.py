"""Recordings made under guards: matched with the replay, settings inferred, reasons given."""

from __future__ import annotations

import json

import pytest

from conformance.guarded_recordings import GuardedRecording
from dsh_calibrate.conformance.recorded_evidence import named_in, same_fingerprint
from dsh_calibrate.conformance.recorded_run import match_corpus
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import discover
from replay.replaying import plan

LS = '{"command": "ls"}'
MAKE = '{"command": "make"}'
FAILED = "[exit code: 2]"


def matched(folder, *recordings, how=None, versions=(4,)):
    for recording in recordings:
        session = getattr(recording, "session", recording)
        for version in versions:
            write_session(folder / str(version), session, version, "plain")
    return match_corpus(discover([folder]).logs, how or plan(operator="recorded"), jobs=1)


def inferred(outcome):
    return {f"{one.guard}.{one.key}": one.value for one in outcome.inferred if one.differs}


def counts(outcome, part="rtb", *, best=True):
    record = (outcome.best if best else outcome.as_given).parts[part]
    return record.agreed, record.missed, record.extra


def typical(row=None, **more):
    """Every stage of both tracks, once."""
    recording = GuardedRecording("typical", row, **more)
    recording.call("bash", LS, times=14, approve=False)
    recording.session.human("Go on.")
    recording._breaker.human()
    return recording.call("bash", MAKE, FAILED, times=7, approve=False)


@pytest.mark.parametrize("version", [0, 2, 3, 4])
def test_a_recording_under_the_same_settings_agrees(tmp_path, version):
    recording = typical()
    outcome = matched(tmp_path, recording, versions=[version])
    assert counts(outcome) == (recording.interventions, 0, 0)
    assert recording.interventions > 6
    assert outcome.as_given.parts["rtb"].other_figures == 0
    assert outcome.as_given.all_agree
    assert inferred(outcome) == {}


def test_other_thresholds_are_inferred_and_replayed(tmp_path):
    row = {"warnAt": 4, "summarizeAt": 6, "failWarnAt": 2, "failLimit": 4}
    row["limits"] = {"exact": 9, "cmd": 9}
    recording = typical(row)
    outcome = matched(tmp_path, recording)
    _, missed, extra = counts(outcome, best=False)
    assert missed
    assert extra
    found = outcome.as_given.parts["rtb"].reasons
    assert found["other-settings"] >= missed
    assert inferred(outcome) == {
        "rtb.warnAt": 4,
        "rtb.summarizeAt": 6,
        "rtb.failWarnAt": 2,
        "rtb.failLimit": 4,
        "rtb.limits.exact": 9,
    }
    assert counts(outcome)[1] == 0


def test_an_approved_question_agrees(tmp_path):
    recording = GuardedRecording("approved").call("bash", LS, times=16, approve=True)
    outcome = matched(tmp_path, recording)
    assert counts(outcome) == (recording.interventions, 0, 0)


def test_a_denying_profile_is_told_by_its_denials(tmp_path):
    recording = GuardedRecording("denying", {"onLimit": "deny"}).call("bash", LS, times=14)
    outcome = matched(tmp_path, recording)
    assert inferred(outcome) == {"rtb.onLimit": "deny"}
    assert counts(outcome) == (recording.interventions, 0, 0)


def test_a_restart_without_a_trace(tmp_path):
    recording = GuardedRecording("restarted").call("bash", LS, times=5)
    recording.restart().call("bash", LS, times=9)
    outcome = matched(tmp_path, recording)
    assert counts(outcome)[1:] == (1, 5)
    first = outcome.best.mismatches[0]
    assert (first.side, first.kind, first.count) == ("extra", "advise", 7)
    assert first.reason == "state-lost-at-restart"
    assert {one.reason for one in outcome.best.mismatches[1:]} == {"follows"}


def test_the_guard_was_not_active_yet(tmp_path):
    session = Session("late").human("Go.")
    for number in range(12):
        session.call("read", {"file_path": "/a"}).result("a")
        if number == 10:
            session.notice(
                "Stop and summarise your progress.",
                producer="dsh-repeat-tool-breaker",
                summary='exact:read:{"file_path":"/a"} × 11',
            )
    outcome = matched(tmp_path, session)
    assert counts(outcome) == (1, 0, 2)
    assert [one.reason for one in outcome.best.mismatches] == ["not-active-yet", "follows"]


def test_another_version_reads_a_call_differently(tmp_path):
    raw = json.dumps({"command": "curl http://[2001:db8::1]/"})
    recording = GuardedRecording("old", profile="0.5.2").call("bash", raw, times=8)
    outcome = matched(tmp_path, recording)
    (missed,) = (one for one in outcome.best.mismatches if one.side == "missed")
    assert missed.reason == "other-version"
    old = plan(profile="0.5.2", operator="recorded", shell_http="off")
    assert matched(tmp_path, recording, how=old).best.all_agree


def test_the_block_at_work(tmp_path):
    raw = '{"command": "curl https://example.org/"}'
    recording = GuardedRecording("block", enforce=True).call("bash", raw, times=9)
    outcome = matched(tmp_path, recording)
    assert counts(outcome, "shell_http") == (9, 0, 0)
    assert outcome.best.all_agree
    assert counts(outcome, best=False)[2] == 0
    assert outcome.as_given.parts["rtb"].silent == 1


def test_the_circuit_breaker(tmp_path):
    session = Session("circuit").human("Go.")
    for _ in range(3):
        session.call("read", {"file_path": "/a"}).result("no such file", error=True)
    denial = "The identical read call already failed 3 consecutive times. Last failure: no."
    session.call("read", {"file_path": "/a"}).result(denial, error=True)
    outcome = matched(tmp_path, session)
    assert counts(outcome, "tfb", best=False) == (1, 0, 1)
    assert outcome.as_given.mismatches[0].reason == "other-settings"
    assert inferred(outcome) == {"tfb.maxFailures": 3}
    assert counts(outcome, "tfb") == (1, 0, 0)


def test_the_reminder_on_a_tool_that_is_excluded_here(tmp_path):
    session = Session("reminded").human("Go.")
    for number in range(1, 5):
        session.call("todo_write", {"items": []}).result("ok")
        if number in (2, 4):
            session.notice(
                "x", producer="dsh-repeat-tool-reminder", summary=f"todo_write × {number}"
            )
    outcome = matched(tmp_path, session)
    assert counts(outcome, "rtr", best=False) == (0, 2, 0)
    assert inferred(outcome) == {"rtr.exclude": (), "rtr.thresholds": (2, 4)}
    assert counts(outcome, "rtr") == (2, 0, 0)


def test_the_reasoning_guard(tmp_path):
    unit = "Let me check the file once more before I go on. "
    session = Session("reasoning").human("Go.")
    session.reasoning(unit * 17, outcome="attempt", failure="REASONING_LOOP_GUARD")
    session.retry().reasoning("Done.", answer="Done.")
    quiet = Session("quiet").human("Go.")
    quiet.reasoning("A short thought.", outcome="attempt", failure="REASONING_LOOP_GUARD")
    quiet.retry().reasoning("Done.", answer="Done.")
    outcome = matched(tmp_path, session, quiet)
    assert counts(outcome, "rlg") == (1, 1, 0)
    assert outcome.best.mismatches[0].kind == "fire"


def test_logs_without_any_sign_are_no_mismatch(tmp_path):
    session = Session("unguarded").human("Go.")
    for _ in range(8):
        session.call("bash", LS).result("ok")
    outcome = matched(tmp_path, session)
    assert outcome.interventions == 0
    assert outcome.best.parts["rtb"].silent == 1
    assert outcome.best.all_agree


def test_the_result_does_not_hang_on_the_number_of_processes(tmp_path):
    first = matched(tmp_path, typical(), GuardedRecording("b").call("bash", LS, times=8))
    logs = discover([tmp_path]).logs
    assert match_corpus(logs, plan(operator="recorded"), jobs=2) == first


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("REPEAT_TOOL_BLOCKED: x\n\nHits:\n- cmd:l:l 12/12\n- exact:a 9/9", ("cmd:l:l", 12, 12)),
        ("REPEAT_TOOL_BLOCKED: cmd:ls:ls 13/12", ("cmd:ls:ls", 13, 12)),
        ("Error: x\n- net:a 5 consecutive failures (the command exited 1)", ("net:a", 5, None)),
        ("- cmd:a:b\nc 3/3.5\n", ("cmd:a:b\nc", 3, 3.5)),
        ("REPEAT_TOOL_BLOCKED\n\nPrevious tool result:\n- a 1/2", None),
        ("nothing", None),
    ],
)  # fmt: skip
def test_what_a_denial_names(text, expected):
    found = named_in(text)
    if expected is None:
        assert found == {}
    else:
        assert (found["fingerprint"], found["count"], found["threshold"]) == expected


@pytest.mark.parametrize(
    ("told", "whole", "same"),
    [
        ("cmd:a", "cmd:a", True),
        ("cmd:a", "cmd:ab", False),
        ("cmd:ab… (+7 more chars)", "cmd:abcdefghi", True),
        ("cmd:ax… (+7 more chars)", "cmd:abcdefghi", False),
        ("x" * 60 + "…" + "end", "x" * 90 + "end", True),
        ("x" * 60 + "…", "y" * 90, False),
        ("a…", "abc", False),
    ],
)
def test_same_fingerprint(told, whole, same):
    assert same_fingerprint(told, whole) is same
