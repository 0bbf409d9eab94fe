"""Failure runs under three definitions, and what each marker contributes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.guards.repeat_tool_breaker.ungated import UngatedBreaker
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.studies.failure_logs import Counting, log_failures
from dsh_calibrate.studies.failure_markers import MARKERS, Evidence, judged, moves
from dsh_calibrate.studies.failure_runs import FAILED, Runs
from dsh_calibrate.studies.failure_study import failure_study

PROFILE = PROFILES["0.8"]


def measured(tmp_path, session, **how):
    write_session(tmp_path, session, 4, "plain")
    (log,) = discover([tmp_path]).logs
    return log_failures(Counting(configure({}, PROFILE), **how), log)


def lengths(found):
    return {name: run.length for name, run in found.runs.items()}


def curl(n: int) -> dict[str, str]:
    return {"command": f"curl -s https://api.example.invalid/v{n}"}


def test_three_definitions_differ(tmp_path):
    session = Session("s-1").human("Go")
    for n in range(4):
        session.call("bash", curl(n)).result("curl: (6) no\n[exit code: 6]")
        if n == 1:
            session.call("read", {"file_path": "/a"}).result("fine")
    found = measured(tmp_path, session)
    # A read between them cuts "any calls"; exact and cmd differ each time; the host stays.
    assert lengths(found) == {"global": 2, "per_fingerprint": 4, "per_target": 4}
    assert found.runs["per_target"].fingerprint == "host:api.example.invalid"
    assert found.failures == {("bash", "exit"): 4}
    assert found.exits == {"6": 4}
    assert found.calls == {"bash": 4, "read": 1}


def test_runs_go_on_across_humans_unless_cut(tmp_path):
    session = Session("s-1")
    for _ in range(3):
        session.human("Go").call("bash", {"command": "make"}).result("x\n[exit code: 2]")
    assert lengths(measured(tmp_path / "a", session))["per_fingerprint"] == 3
    cut = measured(tmp_path / "b", session, per_turn=True)
    assert lengths(cut) == {"global": 1, "per_fingerprint": 1, "per_target": 0}


def test_measures_without_a_cap_only_on_request(tmp_path):
    session = Session("s-1").human("Go")
    for n in range(3):
        session.call("bash", {"command": f"curl -s https://h{n}.example.org/"}).result(
            "[exit code: 7]"
        )
    assert lengths(measured(tmp_path / "a", session))["per_fingerprint"] == 1
    assert lengths(measured(tmp_path / "b", session, all_measures=True))["per_fingerprint"] == 3


def test_a_new_lifecycle_starts_a_new_run(tmp_path):
    session = Session("s-1").human("Go")
    for _ in range(2):
        session.call("bash", {"command": "make"}).result("[exit code: 2]")
    session.resume().human("Again").call("bash", {"command": "make"}).result("[exit code: 2]")
    assert lengths(measured(tmp_path, session)) == {
        "global": 2,
        "per_fingerprint": 2,
        "per_target": 0,
    }


def test_own_denials_of_the_recording_settle_nothing(tmp_path):
    session = Session("s-1").human("Go")
    for _ in range(3):
        session.call("bash", {"command": "ls"}).result("Error: REPEAT_TOOL_BLOCKED", error=True)
    found = measured(tmp_path, session)
    assert (found.calls, found.failures) == ({}, {})


def test_study_counts_logs_and_healthy_ones_apart(tmp_path):
    logs = []
    for name, fails in (("a", 6), ("b", 3), ("c", 1)):
        session = Session(f"s-{name}").human("Go")
        for _ in range(fails):
            session.call("bash", {"command": "make"}).result("[exit code: 2]")
        logs.append(measured(tmp_path / name, session))
    keys = [log.log for log in logs]
    study = failure_study(logs, [3, 5], frozenset([keys[0], keys[2]]))
    assert study.reaching[3]["per_fingerprint"] == 2
    assert study.reaching[5]["global"] == 1
    assert study.calls == study.failures == 10
    assert failure_study(logs, [3], None).healthy is None


def test_rates_have_intervals_and_tools_their_reasons(tmp_path):
    session = Session("s-1").human("Go")
    session.call("bash", {"command": "make"}).result("[exit code: 2]")
    session.call("bash", {"command": "ls"}).result("ok")
    session.call("read", {"file_path": "/a"}).result("no", error=True, code="ENOENT")
    study = failure_study([measured(tmp_path, session)], [3], None)
    assert study.by_tool["bash"].by_reason == {"exit": 1}
    assert study.by_tool["read"].by_reason == {"error": 1}
    assert (study.rate.count, study.rate.of) == (2, 3)
    assert 0 < study.rate.low < 2 / 3 < study.rate.high < 1


def test_runs_per_exit_code(tmp_path):
    session = Session("s-1").human("Go")
    for code in (1, 1, 2, 1, 1, 1):  # C84: expected exits, told apart from real ones
        session.call("bash", {"command": "diff -q a b"}).result(f"differ\n[exit code: {code}]")
    found = measured(tmp_path, session)
    assert lengths(found)["per_fingerprint"] == 6
    assert {code: runs["per_fingerprint"] for code, runs in found.exit_runs.items()} == {
        "1": 3,
        "2": 1,
    }
    study = failure_study([found], [3, 5], None)
    assert study.exit_reaching["1"][3]["per_fingerprint"] == 1
    assert study.exit_reaching["1"][5]["per_fingerprint"] == 0


def test_a_dropped_marker_shortens_runs(tmp_path):
    session = Session("s-1").human("Go")
    for text in ("[exit code: 1]", "ValueError: x", "[exit code: 1]"):
        session.call("bash", {"command": "make"}).result(text)
    session.call("web_fetch", {"url": "https://example.org/"}).result("x", status=200, error=False)
    study = failure_study([measured(tmp_path, session)], [2, 3], None)
    assert study.reaching[3]["per_fingerprint"] == 1
    dropped = study.markers["exception line"]
    assert (dropped.lost, dropped.gained, dropped.renamed) == (1, 0, {})
    assert dropped.reaching[3]["per_fingerprint"] == dropped.reaching[2]["per_fingerprint"] == 0
    assert study.markers["curl: (n)"].reaching == study.reaching


def test_dropping_a_final_status_can_gain_failures(tmp_path):
    session = Session("s-1").human("Go")
    session.call("bash", {"command": "get"}).result("x\n[exit code: 1]", status=200)
    study = failure_study([measured(tmp_path, session)], [3], None)
    assert study.failures == 0
    assert study.markers["meta.statusCode"].gained == 1
    assert study.markers["meta.statusCode"].reaching[3]["global"] == 0


CALL = st.tuples(st.sampled_from(["make", "curl https://a.example.org/x", "ls"]), st.booleans())


@given(st.lists(CALL, max_size=30))
def test_runs_are_the_engines_streaks(calls):
    config = configure({}, PROFILE)
    engine, runs = UngatedBreaker(config), Runs()
    longest = {}
    for key, (command, failed) in enumerate(calls):
        engine.call(key, "bash", json.dumps({"command": command}))
        outcome = Outcome(text="[exit code: 1]" if failed else "ok")
        settled = engine.result(key, outcome)
        runs.settle(key, settled.fingerprints, FAILED if settled.failure else None)
        for fingerprint, streak in zip(settled.fingerprints, settled.streaks, strict=True):
            longest[fingerprint] = max(streak, longest.get(fingerprint, 0))
    assert runs.of(FAILED)["per_fingerprint"].length == max(longest.values(), default=0)
    targets = [n for f, n in longest.items() if f.startswith(("host:", "net:"))]
    assert runs.of(FAILED)["per_target"].length == max(targets, default=0)
    in_a_row = "".join("x" if failed else " " for _, failed in calls).split()
    assert runs.of(FAILED)["global"].length == max(map(len, in_a_row), default=0)


def evidence(text="", *, tool="bash", is_error=False, code=None, status=None, command=""):
    return Evidence(tool, text, is_error, None, code, status, command)


@pytest.mark.parametrize(
    ("case", "reason", "expected"),
    [
        (evidence("x\n[exit code: 1]"), "exit", {"[exit code: N]": ""}),
        (evidence("slow\n[timed out after 5ms]\n[exit code: 143]"), "exit",
         {"[exit code: N]": "timeout"}),
        (evidence("Error: no", is_error=True), "error", {"isError": ""}),
        (evidence("(HTTP 404)"), "http", {"(HTTP nnn)": ""}),
        (evidence("page", tool="web_fetch", status=500), "http", {"meta.statusCode": ""}),
        (evidence("404", command="curl -w '%{http_code}' u"), "http", {"write-out status": ""}),
        (evidence("HTTP Error 404: x\ncurl: (22) y"), "http", {"HTTP Error nnn": "curl"}),
        (evidence("Traceback (most recent call last)\nKeyError: 1"), "exception", {}),
        (evidence("ValueError: x"), "exception", {"exception line": ""}),
        (evidence("(HTTP 404)", command="curl -w '%{http_code}' u"), "http", {"(HTTP nnn)": ""}),
        (evidence("x\n[exit code: 1]", status=200), "", {"meta.statusCode": "exit"}),
    ],
)  # fmt: skip
def test_dropping_a_marker_asks_the_classifier_again(case, reason, expected):
    found = judged(case, PROFILE)
    assert (found.reason if found is not None else "") == reason
    assert moves(case, reason, PROFILE) == expected
    assert set(expected) <= set(MARKERS)
