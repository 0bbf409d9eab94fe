"""What a replay may claim: exact up to the first intervention the recording lacks."""

from __future__ import annotations

import pytest
from replaying import of, plan, replayed, told

from dsh_calibrate.corpora.sessions import Session


def repeats(count: int, **call: object) -> Session:
    session = Session("s-1").human("Go")
    for _ in range(count):
        session.call("bash", call or {"command": "ls a"}).result("ok")
    return session


def test_first_intervention_is_exact_and_what_follows_is_not(tmp_path):
    outcome = replayed(tmp_path, repeats(13))
    assert told(outcome) == [
        (6, "advise", "warn", "none"),
        (10, "advise", "summarize", "advice"),
        (11, "ask", "repeat", "advice"),
        (12, "deny", "repeat", "gate"),
    ]
    assert [d.exact for d in of(outcome, "rtb")] == [True, False, False, False]


def test_parallel_calls_of_one_step_diverge_too(tmp_path):
    session = Session("s-1").human("Go")
    for _ in range(8):
        session.call("bash", {"command": "ls a"})
    for _ in range(8):
        session.result("ok")
    outcome = replayed(tmp_path, session, plan({"warnAt": 3, "summarizeAt": 5}))
    assert told(outcome) == [(2, "advise", "warn", "none"), (4, "advise", "summarize", "advice")]


@pytest.mark.parametrize("version", [0, 2, 3, 4])
@pytest.mark.parametrize("summary", ['exact:bash:{"command":"ls a"} × 7', "cmd:ls:ls a × 7"])
def test_advice_that_was_recorded_is_no_divergence(tmp_path, version, summary):
    session = repeats(7).notice(
        "You repeat yourself.", producer="repeat-tool-breaker", summary=summary
    )
    for _ in range(4):
        session.call("bash", {"command": "ls a"}).result("ok")
    outcome = replayed(tmp_path, session, version=version)
    first, second = of(outcome, "rtb")
    # exact: and cmd: reach 7 on the same call; the message names cmd: (guards.md 1.5).
    is_same = summary.startswith("cmd:")
    assert first.matched is is_same
    assert second.divergence == ("none" if is_same else "advice")


def test_notice_behind_the_next_steps_call_is_too_late(tmp_path):
    session = repeats(8).notice("Late.", producer="repeat-tool-breaker", summary="cmd:ls:ls a × 7")
    outcome = replayed(tmp_path, session)
    assert not of(outcome, "rtb")[0].matched


def test_recorded_denial_matches_a_stop(tmp_path):
    session = repeats(11)
    for _ in range(2):
        session.call("bash", {"command": "ls a"}).result(
            "Error: REPEAT_TOOL_BLOCKED: exact 12/12", error=True
        )
    how = plan({"warnAt": None, "summarizeAt": None, "onLimit": "deny"})
    outcome = replayed(tmp_path, session, how)
    assert [(d.call, d.matched, d.divergence) for d in of(outcome, "rtb")] == [
        (11, True, "none"),
        (12, True, "none"),
    ]
    assert outcome.guards["rtb"].figures["recorded_denials"] == 2
    assert outcome.guards["rtb"].figures["failures"]["calls"] == 0


def test_stops_of_another_plugin_are_failures_and_no_match(tmp_path):
    session = Session("s-1").human("Go")
    for _ in range(4):
        session.call("bash", {"command": "make"}).result(
            "Error: The identical bash call already failed 2 consecutive times.", error=True
        )
    outcome = replayed(tmp_path, session)
    assert outcome.guards["rtb"].figures["failures"]["calls"] == 4
    assert outcome.guards["tfb"].figures["recorded_denials"] == 4
    assert of(outcome, "tfb") == []


def test_recorded_circuit_denial_matches(tmp_path):
    session = Session("s-1").human("Go")
    for _ in range(2):
        session.call("read", {"file_path": "/a"}).result("Error: no", error=True)
    session.call("read", {"file_path": "/a"}).result(
        "Error: The identical read call already failed 2 consecutive times.", error=True
    )
    (denied,) = of(replayed(tmp_path, session), "tfb")
    assert (denied.verdict, denied.matched) == ("deny", True)


@pytest.mark.parametrize("version", [0, 3, 4])
def test_recorded_reminder_matches(tmp_path, version):
    session = Session("s-1").human("Go")
    for _ in range(3):
        session.call("read", {"file_path": "/a"}).result("x")
    session.notice("Again?", producer="repeat-tool-reminder", summary="read × 3")
    for _ in range(2):
        session.call("read", {"file_path": "/a"}).result("x")
    first, second = of(replayed(tmp_path, session, version=version), "rtr")
    assert (first.stage, first.matched, second.stage, second.divergence) == ("3", True, "5", "none")


@pytest.mark.parametrize(("behind_call", "matched"), [(False, True), (True, False)])
def test_a_notice_counts_until_the_next_step_calls(tmp_path, behind_call, matched):
    source = {
        "kind": "repeat-tool-breaker",
        "form": "notice",
        "summary": "cmd:ls:ls a × 7",
    }
    notice = {"id": "m-n", "role": "user", "content": [], "source": source}
    session = repeats(7)
    if not behind_call:
        session.raw("user/message", notice)
    session.step().call("bash", {"command": "ls a"})
    if behind_call:
        session.raw("user/message", notice)
    session.result("ok")
    assert of(replayed(tmp_path, session), "rtb")[0].matched is matched


@pytest.mark.parametrize(
    ("operator", "recorded", "ran", "divergence_after"),
    [
        ("decline", None, False, "gate"),
        ("approve", None, True, "none"),
        ("recorded", None, False, "gate"),
        ("recorded", "allowed-once", True, "none"),
        ("recorded", "rejected", False, "none"),
        ("decline", "rejected", False, "none"),
        ("approve", "allowed-once", True, "none"),
        ("approve", "rejected", True, "gate"),
        ("approve", "unavailable", True, "gate"),
    ],
)
def test_operator_and_recorded_approvals(tmp_path, operator, recorded, ran, divergence_after):
    how = plan({"warnAt": None, "summarizeAt": None, "limits": {"exact": 3, "cmd": None}},
               operator=operator)  # fmt: skip
    session = repeats(2)
    session.call("bash", {"command": "ls a"})
    if recorded:
        session.approval(recorded)
    session.result("ok")
    for _ in range(3):
        session.call("bash", {"command": "ls b"}).result("ok")
    asked, later = of(replayed(tmp_path, session, how), "rtb")
    assert (asked.verdict, asked.ran) == ("ask", ran)
    assert later.divergence == divergence_after


@pytest.mark.parametrize(
    ("answers", "ran", "matched"),
    [
        ([("allowed-once", "escalate sandbox to full mode")], False, False),
        ([("rejected", "escalate sandbox to full mode")], False, False),
        ([("allowed-once", None), ("rejected", "escalate sandbox to full mode")], True, False),
        ([("rejected", "escalate sandbox to x"), ("allowed-once", "because")], True, False),
        ([("allowed-once", "escalate sandbox to x"), ("rejected", None)], False, True),
    ],
)
def test_answers_about_the_sandbox_are_not_the_guards(tmp_path, answers, ran, matched):
    limits = {"exact": 3, "cmd": None}
    how = plan({"warnAt": None, "summarizeAt": None, "limits": limits}, operator="recorded")
    session = repeats(2).call("bash", {"command": "ls a"})
    for outcome, reason in answers:
        session.approval(outcome, reason=reason)
    session.result("ok")
    (asked,) = of(replayed(tmp_path, session, how), "rtb")
    assert (asked.verdict, asked.ran, asked.matched) == ("ask", ran, matched)


def test_undelivered_advice_is_no_line_and_no_divergence(tmp_path):
    session = Session("s-1").human("Go").call("run_code", {"code": "loop"})
    for _ in range(7):
        session.sub_call("bash", {"command": "ls a"}).sub_result("ok")
    session.result("done")
    outcome = replayed(tmp_path, session)
    assert of(outcome, "rtb") == []
    assert outcome.guards["rtb"].figures["undelivered"] == 1
    assert outcome.guards["rtb"].exact["undelivered"] == 1


def test_advice_to_a_call_without_a_result_is_undelivered(tmp_path):
    session = repeats(6)
    session.call("bash", {"command": "ls a"}).crash()
    outcome = replayed(tmp_path, session)
    assert of(outcome, "rtb") == []
    assert outcome.guards["rtb"].figures["undelivered"] == 1


@pytest.mark.parametrize(("before", "exact"), [(6, 1), (10, 0)])
def test_undelivered_advice_is_exact_by_where_its_call_stands(tmp_path, before, exact):
    # The call that crosses a stage stays without a result; others go on to diverge.
    session = repeats(before).call("bash", {"command": "ls a"}).step()
    for _ in range(6):
        session.call("bash", {"command": "ls a"}).result("ok")
    outcome = replayed(tmp_path, session)
    assert any(d.divergence != "none" for d in of(outcome, "rtb"))
    assert outcome.guards["rtb"].figures["undelivered"] == 1
    assert outcome.guards["rtb"].exact["undelivered"] == exact


def test_each_lifecycle_diverges_by_itself(tmp_path):
    session = repeats(8)
    session.resume().human("Again")
    for _ in range(8):
        session.call("bash", {"command": "ls a"}).result("ok")
    outcome = replayed(tmp_path, session)
    assert [(d.lifecycle, d.call, d.divergence) for d in of(outcome, "rtb")] == [
        (0, 6, "none"),
        (1, 6, "none"),
    ]


def test_measuring_the_block_changes_nothing_and_enforcing_it_stops(tmp_path):
    session = Session("s-1").human("Go")
    for n in range(2):
        session.call("bash", {"command": f"curl -s https://example.org/{n}"}).result("ok")
    measured = of(replayed(tmp_path / "a", session), "rtb")
    enforced = of(replayed(tmp_path / "b", session, plan(shell_http="enforce")), "rtb")
    assert [(d.verdict, d.ran, d.divergence) for d in measured] == [
        ("refuse", True, "none"),
        ("refuse", True, "none"),
    ]
    assert [(d.verdict, d.ran, d.divergence) for d in enforced] == [
        ("refuse", False, "none"),
        ("refuse", False, "gate"),
    ]


def test_exact_part_of_failures_ends_where_the_replay_diverges(tmp_path):
    session = Session("s-1").human("Go")
    for _ in range(5):
        session.call("bash", {"command": "make"}).result("x\n[exit code: 2]")
    outcome = replayed(tmp_path, session)
    rtb = outcome.guards["rtb"]
    assert rtb.figures["failures"] == {
        "calls": 5,
        "by_reason": {**dict.fromkeys(rtb.figures["failures"]["by_reason"], 0), "exit": 5},
    }
    assert rtb.exact["failures"]["calls"] == 3


def test_fire_of_the_reasoning_guard(tmp_path):
    loop = "Let me write. Go. OK. Emit. Now. " * 60
    session = Session("s-1").human("Go").reasoning(loop, size=40, piece_ms=10, first_ms=300)
    (fire,) = of(replayed(tmp_path, session), "rlg")
    figures = fire.reasoning
    assert (fire.verdict, fire.stage, fire.exact, fire.stream) == ("fire", "periodic-run", True, 0)
    assert figures.at_utf16 == 800
    assert figures.saved_utf16 == len(loop) - 800
    assert figures.elapsed_ms == 190
    assert figures.from_start_ms == figures.ttft_ms + figures.elapsed_ms
    assert figures.saved_ms == (len(loop) - 800) // 40 * 10 + 10 * ((len(loop) % 40) > 0)


@pytest.mark.parametrize("version", [0, 4])
@pytest.mark.parametrize(
    ("configured", "recorded", "matched"),
    [
        (None, "REASONING_LOOP_GUARD", True),
        (None, "TIMEOUT", False),
        (None, None, False),
        ("MY_LOOP", "MY_LOOP", True),
        ("MY_LOOP", "REASONING_LOOP_GUARD", False),
    ],
)
def test_recorded_fire_matches_by_the_guards_code(tmp_path, version, configured, recorded, matched):
    loop = "Let me write. Go. OK. Emit. Now. " * 40
    session = Session("s-1").human("Go")
    ended = {"outcome": "attempt", "finish": "error", "failure": recorded} if recorded else {}
    session.reasoning(loop, size=40, **ended)
    how = plan(rlg={"failureCode": configured} if configured else {})
    (fire,) = of(replayed(tmp_path, session, how, version=version), "rlg")
    assert fire.matched is matched


def test_reasoning_without_pieces_is_never_exact(tmp_path):
    loop = "Let me write. Go. OK. Emit. Now. " * 60
    session = Session("s-1").human("Go").reasoning(loop, granular=False)
    (fire,) = of(replayed(tmp_path, session), "rlg")
    assert (fire.exact, fire.divergence, fire.reasoning.granular) == (False, "none", False)
