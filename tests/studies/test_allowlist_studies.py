"""Allowlist scan, candidates and coverage: tables of calls with answers worked out by hand."""

from __future__ import annotations

import pytest

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.guards.repeat_tool_breaker.commands import HTTP_VERBS
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.studies.allowlist_candidates import candidates, listed
from dsh_calibrate.studies.allowlist_coverage import FETCH_PROGRAMS, block_coverage, fetchers_of
from dsh_calibrate.studies.allowlist_judging import Judge
from dsh_calibrate.studies.allowlist_scan import scan
from dsh_calibrate.studies.shell_calls import shell_calls

CALLS = (
    "curl -s https://example.org/a",  # target
    "curl -s https://example.org/a && wget https://example.org/b",  # target, two segments
    "git clone https://git.example.org/a.git",  # allowed
    "echo see https://example.org/docs",  # incidental
    "echo https://example.org/ | xargs curl -s",  # echo alone carries it; names curl
    "head -c 20 https://example.org/x; echo https://example.org/y",  # two carriers, incidental
    "curl --version",  # url-less
    "curl http://localhost:3000/",  # local: allowed
    "ls -la",
    "grep -r https://example.org src; cat https://example.org/z",  # grep on the list, cat not
)


def judged(tmp_path, row=None, commands=CALLS):
    session = Session("s-1").human("Go")
    for command in commands:
        session.call("bash", {"command": command}).result("ok")
    session.call("read", {"command": "curl https://example.org"}).result("no shell")
    write_session(tmp_path, session, 4, "plain")
    config = configure(row or {}, PROFILES["0.8"])
    (log,) = discover([tmp_path]).logs
    return [shell_calls(config, False, log)], Judge(config)


def test_scan(tmp_path):
    found = scan(*judged(tmp_path))
    assert (found.shell_calls, found.remote_calls) == (10, 7)
    rows = {row.verb: (row.segments, row.calls, row.exempt) for row in found.verbs}
    assert rows == {
        "curl": (2, 2, False),
        "echo": (3, 3, False),
        "cat": (1, 1, False),
        "git": (1, 1, True),
        "grep": (1, 1, True),
        "head": (1, 1, False),
        "wget": (1, 1, False),
    }
    assert {kind: len(calls) for kind, calls in found.refused.items()} == {
        "target": 3,
        "incidental": 3,
        "url_less": 1,
    }
    assert (found.cost.count, found.cost.of) == (3, 7)
    assert (found.cost_sessions.count, found.cost_sessions.of) == (1, 1)


def test_rederived_list_frees_no_call_that_fetches(tmp_path):
    logs, judge = judged(tmp_path)
    proposed = [proposal.verb for proposal in scan(logs, judge).proposed]
    # echo frees a call that hands the address to curl; curl and wget are downloaders.
    assert proposed == ["cat", "git", "grep", "head"]
    for call in logs[0].calls:
        if judge.fetches(call.command) and judge.refused(call.command, ()):
            assert judge.refused(call.command, proposed)


def test_candidates(tmp_path):
    found = {c.verb: c for c in candidates(*judged(tmp_path))}
    assert {
        v: (len(c.carried), len(c.flips), len(c.bypass), c.verdict) for v, c in found.items()
    } == {
        "echo": (3, 2, 1, "refused: bypass"),
        "cat": (1, 1, 0, "exempt"),
        "head": (1, 0, 0, "no effect"),
        "curl": (3, 2, 2, "refused: bypass"),
        "wget": (1, 0, 0, "refused: bypass"),
    }
    assert found["cat"].is_sole_cause
    assert not found["echo"].is_sole_cause


def test_no_program_that_fetches_is_ever_worth_an_exemption(tmp_path):
    """Also those that the plugin's own pattern does not name (aria2c, yt-dlp, …)."""
    programs = sorted(FETCH_PROGRAMS | HTTP_VERBS)
    commands = [*(f"{program} https://example.org/a" for program in programs), CALLS[3]]
    logs, judge = judged(tmp_path, commands=commands)
    assert [proposal.verb for proposal in scan(logs, judge).proposed] == ["echo"]
    verdicts = {c.verb: c.verdict for c in candidates(logs, judge)}
    assert verdicts.pop("echo") == "exempt"
    assert set(verdicts.values()) == {"refused: bypass"}
    assert {"aria2c", "yt-dlp", "rclone", "curl"} <= set(verdicts)


def test_pattern_tools_are_judged_by_kind(tmp_path):
    found = {c.verb: c.verdict for c in candidates(*judged(tmp_path, {"shellHttpAllow": []}))}
    assert found["grep"] == "pattern-position tool"
    assert found["git"] == "exempt"


def test_entries_of_the_list_are_judged_with_and_without(tmp_path):
    found = {c.verb: c for c in listed(*judged(tmp_path))}
    assert {v: (len(c.carried), len(c.flips), c.verdict) for v, c in found.items()} == {
        "git": (1, 1, "exempt"),
        "docker": (0, 0, "no effect"),
        "grep": (1, 0, "pattern-position tool"),  # cat is refused beside it all the same
        "rg": (0, 0, "pattern-position tool"),
    }


def test_flips_are_the_engines_answers(tmp_path):
    logs, judge = judged(tmp_path)
    for candidate in candidates(logs, judge):
        with_it = Judge(configure(
            {"shellHttpAllow": [*judge.allow, candidate.verb]}, PROFILES["0.8"]
        ))  # fmt: skip
        flips = [
            call
            for call in logs[0].calls
            if judge.refused(call.command) and not with_it.refused(call.command)
        ]
        assert list(candidate.flips) == flips


def test_block_off_is_measured_all_the_same(tmp_path):
    logs, judge = judged(tmp_path, {"blockShellHttp": False})
    assert judge.refused("curl https://example.org/")
    assert scan(logs, judge).refused["target"]


def test_coverage(tmp_path):
    commands = (
        "aria2c https://example.org/big.iso",  # refused: the verb is on no list
        "docker run alpine wget -qO- https://example.org/",  # let through
        "nc example.org 80",  # let through, no URL
        "curl http://localhost:3000/",  # local
        "echo see https://example.org/docs",  # cost
        "ls",
    )
    found = block_coverage(*judged(tmp_path, commands=commands))
    assert (found.shell_calls, found.fetching, found.refused) == (6, 3, 2)
    assert [call.command for call in found.missed] == [commands[1], commands[2]]
    assert [call.command for call in found.cost] == [commands[4]]
    assert {f.fetcher: (f.calls, f.refused, f.missed) for f in found.fetchers} == {
        "aria2c": (1, 1, 0),
        "nc": (1, 0, 1),
        "wget": (1, 0, 1),
    }


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("python3 -c 'import urllib.request'", ("python urllib",)),
        ("node -e \"fetch('x')\"", ("javascript fetch",)),
        ("pwsh -c 'irm https://example.org'", ("powershell",)),
        ("cat < /dev/tcp/example.org/80", ("bash /dev/tcp",)),
        ("git fetch origin", ()),
        ("ls curl.md libcurl src/nc", ()),
        ("/usr/bin/curl x", ("curl",)),
        ("curl.exe x", ("curl",)),
        ("yt-dlp https://example.org/v", ("yt-dlp",)),
    ],
)
def test_fetchers(command, names):
    assert fetchers_of(command) == names
