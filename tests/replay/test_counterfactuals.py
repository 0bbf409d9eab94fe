"""What lies behind the first intervention of a guard."""

from __future__ import annotations

import json

import pytest

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.counterfactuals import Amount, Counterfactual
from dsh_calibrate.replay.log import replay_log
from replay.replaying import plan


def measured(folder, session, **more):
    write_session(folder, session, 4, "plain")
    (log,) = discover([folder]).logs
    guards = replay_log(log, plan(**more)).guards
    return {guard: part.counterfactual for guard, part in guards.items()}


def reading(session, times):
    for _ in range(times):
        session.call("read", "{}", after=1000).result("four")
    return session


def test_what_follows_the_first_advice(tmp_path):
    found = measured(tmp_path, reading(Session("a").human("Go."), 13))["rtb"]
    assert (found.lifecycles, found.intervened, found.diverged) == (1, 1, 1)
    assert found.first == {"advise": 1}
    assert found.decisions == 4
    assert found.after.calls == 6  # the advice stands at the seventh result
    assert found.after.text_utf16 == 6 * (2 + 4)
    assert 6000 <= found.after.ms <= found.whole.ms
    assert found.behind == found.after
    assert found.whole.calls == 13


def test_a_guard_that_is_silent_leaves_nothing_behind(tmp_path):
    found = measured(tmp_path, reading(Session("a").human("Go."), 2))
    assert found["rtb"].after == Amount()
    assert found["rtb"].whole.calls == 2
    assert found["rtb"].first == {}


def test_lifecycles_are_measured_each_on_their_own(tmp_path):
    session = reading(Session("a").human("Go."), 9).resume().human("Go.")
    found = measured(tmp_path, reading(session, 3))["rtb"]
    assert (found.lifecycles, found.intervened) == (2, 1)
    assert found.after.calls == 2
    assert found.whole.calls == 12


def test_an_approved_question_does_not_diverge(tmp_path):
    more = {"rtb": {"warnAt": 0, "summarizeAt": 0, "failWarnAt": 0}}
    session = reading(Session("a").human("Go."), 13)
    approved = measured(tmp_path, session, operator="approve", **more)["rtb"]
    assert (approved.intervened, approved.diverged, approved.behind.calls) == (1, 0, 0)
    declined = measured(tmp_path, session, operator="decline", **more)["rtb"]
    assert (declined.diverged, declined.behind.calls) == (1, 1)


@pytest.mark.parametrize("copies", [1, 3])
def test_logs_add_up(tmp_path, copies):
    one = measured(tmp_path, reading(Session("a").human("Go."), 8))["rtb"]
    total = Counterfactual()
    for _ in range(copies):
        total.add(one)
    assert total.after.calls == copies * 1
    assert total.first == {"advise": copies}
    assert total.whole.ms == copies * one.whole.ms


def test_measured_refusals_are_no_interventions_and_enforced_ones_are(tmp_path):
    session = Session("a").human("Go.")
    for n in range(3):
        session.call("bash", {"command": f"curl https://example.org/{n}"}).result("x")
    measuring = measured(tmp_path / "a", session)["rtb"]
    assert (measuring.intervened, measuring.after.calls) == (0, 0)
    enforcing = measured(tmp_path / "b", session, shell_http="enforce")["rtb"]
    assert (enforcing.first, enforcing.after.calls) == ({"refuse": 1}, 2)


def recorded(folder, version, usage):
    """Nine like calls, with ``usage`` in every answer in place of the writer's own."""
    path = write_session(folder, reading(Session("a").human("Go."), 9), version, "plain")
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        if line["type"] == "assistant/message":
            line["data"].pop("usage", None)
            line["data"] |= usage
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    (log,) = discover([folder]).logs
    return replay_log(log, plan()).guards["rtb"].counterfactual


@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_tokens_after_the_first_intervention(tmp_path, version):
    found = recorded(tmp_path, version, {"usage": {"inputTokens": 5, "outputTokens": 7}})
    assert found.after.calls == 2
    assert (found.whole.output_tokens, found.after.output_tokens) == (9 * 7, 2 * 7)
    assert found.as_json()["after_first"]["output_tokens"] == 2 * 7


@pytest.mark.parametrize(
    ("usage", "tells"),
    [({}, False), ({"usage": {"inputTokens": 5}}, False), ({"usage": {"outputTokens": 0}}, True)],
)
def test_tokens_are_absent_when_no_answer_has_a_count(tmp_path, usage, tells):
    document = recorded(tmp_path, 4, usage).as_json()
    for part in ("after_first", "behind_divergence", "whole"):
        assert ("output_tokens" in document[part]) is tells
        assert document[part]["calls"] > 0
