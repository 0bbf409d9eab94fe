"""Selection as a user types it: on commands that take PATH…, on stderr, in the coverage."""

from __future__ import annotations

import json
import time

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

DAY = 86_400_000


@pytest.fixture
def sessions(tmp_path):
    root = tmp_path / "sessions"
    now = int(time.time() * 1000)
    made = [
        ("new", "/work/app", now - DAY // 2, 4),
        ("older", "/work/app", now - 3 * DAY, 3),
        ("oldest", "/work/lib", now - 30 * DAY, 0),
    ]
    for name, cwd, start, version in made:
        session = Session(name, cwd=cwd, start=start).human()
        write_session(root, session.call("read", {"file_path": "/a"}).result("x"), version)
    return root


def run(*arguments: object):
    return CliRunner().invoke(app, [*map(str, arguments)], env={"NO_COLOR": "1"})


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], {"new", "older", "oldest"}),
        (["--since", "7d"], {"new", "older"}),
        (["--until", "2d"], {"older", "oldest"}),
        (["--since", "7d", "--until", "24h"], {"older"}),
        (["--last", 1], {"new"}),
        (["--project", "*lib"], {"oldest"}),
        (["--project", "app", "--project", "lib"], {"new", "older", "oldest"}),
        (["--project", "app", "--last", 1], {"new"}),
        (["--session", "old*"], {"older", "oldest"}),
        (["--format-version", 0, "--format-version", 4], {"new", "oldest"}),
    ],
)
@pytest.mark.parametrize("command", [["replay"], ["corpus", "stats"]])
def test_what_is_selected_is_what_is_counted(sessions, command, options, expected):
    done = run(*command, sessions, "--format", "json", *options)
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    assert {log["session"] for log in document["logs"]} == expected
    assert document["coverage"]["found"] == len(expected)
    assert (f"{len(expected)} of 3 logs selected" in done.stderr) is (len(expected) < 3)


def test_stderr_says_what_left_them_out(sessions):
    done = run("replay", sessions, "--since", "7d", "--last", 1)
    assert "1 of 3 logs selected; left out by --since 1, --last 1" in done.stderr
    assert "selected" not in run("replay", sessions, "--last", 1, "-q").stderr


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--session", "nobody"], "none of the 3 logs found is selected (left out by --session 3)"),
        (["--since", "soon"], "--since soon: no date or time"),
        (["--until", "3 d"], "--until 3 d: no date or time"),
        (["--since", "1d", "--until", "2d"], "--since 1d lies after --until 2d"),
        (["--last", "0"], "invalid value for '--last'"),
        (["--generation", "lowest"], "invalid value for '--generation'"),
    ],
)
def test_bad_selections_exit_2(sessions, options, words):
    done = run("replay", sessions, *options)
    assert done.exit_code == 2
    assert words in done.stderr
    assert not done.stdout


def test_generation_highest_insists(tmp_path):
    lower = Session("s").human().call("read", {"file_path": "/a"}).result("x")
    higher = Session("s").human()
    lower.call("read", {"file_path": "/b"}).result("x", after=9000)
    write_session(tmp_path, higher.call("read", {"file_path": "/a"}).result("x"), 4)
    write_session(tmp_path, lower, 3)

    def version(*options: object) -> int:
        done = run("replay", tmp_path, "--format", "json", *options)
        return json.loads(done.stdout)["logs"][0]["format_version"]

    assert version() == 3
    assert version("--generation", "highest") == 4
