"""Failure runs under three definitions, and what each marker contributes."""

from __future__ import annotations

import pytest

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.studies.failure_markers import MARKERS, Evidence, judged, moves
from dsh_calibrate.studies.failure_runs import Counting, failure_study, log_failures

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


def evidence(text="", *, tool="bash", is_error=False, code=None, status=None, command=""):
    return Evidence(tool, text, is_error, None, code, status, command)


@pytest.mark.parametrize(
    ("given", "reason", "expected"),
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
    ],
)  # fmt: skip
def test_dropping_a_marker_asks_the_classifier_again(given, reason, expected):
    assert judged(given, PROFILE).reason == reason
    assert moves(given, reason, PROFILE) == expected
    assert set(expected) <= set(MARKERS)
