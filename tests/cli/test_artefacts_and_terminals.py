"""Data formats control no terminal and lose nothing; formats are checked before the work."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.artefact import json_bytes, jsonl_bytes
from dsh_calibrate_cli.main import app

CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]"
)
HOSTILE = "\x1b[31m\x9b2J\x7f\u202e\u2066\u2028\ufeff\t\r\n\"'<b>"


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    session = Session(f"s{HOSTILE}").human("Go")
    for _ in range(8):
        session.call(f"bash{HOSTILE}", {"command": f"ls {HOSTILE}"}).result(HOSTILE)
    write_session(tmp_path / "sessions", session, 4, "plain")
    return tmp_path / "sessions"


@pytest.mark.parametrize(
    ("command", "form"),
    [
        (command, form)
        for command in (["replay"], ["corpus", "stats"])
        for form in ("text", "json", "csv")
    ]
    + [(["replay"], "jsonl")],
)
@pytest.mark.parametrize("to_file", [False, True])
def test_no_format_controls_a_terminal(sessions, tmp_path, command, form, to_file):
    target = ["-o", str(tmp_path / "out")] if to_file else []
    done = CliRunner().invoke(app, [*command, str(sessions), "--format", form, *target])
    assert done.exit_code == 0, done.output
    out = (tmp_path / "out").read_text("utf-8") if to_file else done.stdout
    assert out
    assert CONTROLS.findall(out) == []
    assert CONTROLS.findall(done.stderr) == []


def test_json_holds_hostile_content_in_full(sessions):
    done = CliRunner().invoke(app, ["replay", str(sessions), "--format", "jsonl"])
    spoken = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert {line["tool"] for line in spoken} == {f"bash{HOSTILE}"}
    done = CliRunner().invoke(app, ["replay", str(sessions), "--format", "csv"])
    rows = list(csv.DictReader(io.StringIO(done.stdout, newline="")))
    assert len(rows) == len(spoken)


@given(
    st.recursive(st.text() | st.integers(), lambda x: st.lists(x) | st.dictionaries(st.text(), x))
)
def test_escapes_change_no_json(value):
    for text in (json_bytes(value).decode(), jsonl_bytes([value]).decode()):
        assert json.loads(text) == value
        assert CONTROLS.findall(text) == []


@pytest.mark.parametrize(
    "options", [["--format", "xml"], ["--output", "json"], ["--output", "xml=a"]]
)
def test_an_unknown_format_is_refused_before_any_log_is_read(sessions, options):
    done = CliRunner().invoke(app, ["replay", str(sessions), *options])
    assert done.exit_code == 2
    assert "logs found" not in done.output
    assert options[1].partition("=")[0] in done.output


COMMANDS = [
    ["replay"],
    ["corpus", "stats"],
    ["failures"],
    ["sweep", "--over", "rtb.warnAt=3..3"],
    ["allowlist", "scan"],
    ["reasoning"],
    ["facts", "export"],
]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_recorded_session_is_never_written_over(sessions, command):
    (log,) = (path for path in sessions.rglob("*") if path.is_file())
    before = log.read_bytes()
    done = CliRunner().invoke(app, [*command, str(sessions), "-o", str(log)])
    assert done.exit_code == 2
    assert log.read_bytes() == before
    if command[0] != "facts":
        assert "recorded session" in done.output


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", ["new.txt", "", "--work--/deep/new.txt"])
def test_nothing_is_written_where_sessions_live(sessions, command, place, monkeypatch):
    monkeypatch.setenv("DSH_HOME", str(sessions.parent))
    before = sorted(sessions.rglob("*"))
    done = CliRunner().invoke(app, [*command, str(sessions), "-o", str(sessions / place)])
    assert done.exit_code == 2
    assert "where recorded sessions live" in done.output
    assert sorted(sessions.rglob("*")) == before
