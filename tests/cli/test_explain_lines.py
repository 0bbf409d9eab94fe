"""Every printed ``explain`` line, run as printed, is under the settings of the run before it."""

from __future__ import annotations

import json
import shlex

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


@pytest.fixture
def log(tmp_path, monkeypatch):
    home = tmp_path / "dsh"
    (home / "sessions").mkdir(parents=True)
    monkeypatch.setenv("DSH_HOME", str(home))
    session = Session("s-1").human("Go")
    for _ in range(6):
        session.call("bash", {"command": "git clone https://git.example.org/a"})
        session.result("[exit code: 2]")
    (tmp_path / "my row.yml").write_text("rtb: {limits: {exact: 4}}")
    return write_session(home / "sessions", session, 4, "plain")


def explained(result):
    """What the ``explain`` lines of a text show, as JSON, with the words of each line."""
    assert result.exit_code == 0, result.stderr
    for line in result.stdout.splitlines():
        if line.strip().startswith("dsh-calibrate explain"):
            words = shlex.split(line)[1:]
            shown = run(*words, "--format", "json")
            assert shown.exit_code == 0, shown.stderr
            yield words, json.loads(shown.stdout)


COMMANDS = {
    "replay": ["replay"],
    "failures": ["failures"],
    "scan": ["allowlist", "scan"],
    "candidates": ["allowlist", "candidates"],
    "coverage": ["allowlist", "coverage"],
    "timeline": ["explain"],
    "place": ["explain", "--seq", "33"],
}
EMPTY = "rtb.shellHttpAllow=[]"


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("with_file", [True, False], ids=["file", "no file"])
def test_settings_are_carried_over(log, tmp_path, name, with_file):
    options = ["--set", EMPTY, "--set", "rtb.warnAt=3"]
    if with_file:
        options += ["--config", tmp_path / "my row.yml"]
    shown = list(explained(run(*COMMANDS[name], log, *options)))
    assert shown
    for _, document in shown:
        row = document["config"]["rtb"]
        assert (row["shellHttpAllow"], row["warnAt"]) == ([], 3)
        assert row["limits"]["exact"] == (4 if with_file else 12)


@pytest.mark.parametrize("name", ["scan", "candidates", "coverage"])
@pytest.mark.parametrize("allow", ["", "echo", 'echo,"x'])
def test_a_tried_list_is_carried_over(log, name, allow):
    shown = list(explained(run(*COMMANDS[name], log, f"--allow={allow}")))
    assert shown
    for _, document in shown:
        assert document["config"]["rtb"]["shellHttpAllow"] == [v for v in allow.split(",") if v]


@pytest.mark.parametrize("name", ["replay", "timeline", "place"])
def test_how_it_was_replayed_is_carried_over(log, name):
    options = ["--operator", "approve", "--shell-http", "enforce", "--salvage"]
    options += ["--plugin-version", "rtb=0.5.2"]
    shown = list(explained(run(*COMMANDS[name], log, *options)))
    assert shown
    for words, document in shown:
        assert set(options) <= set(words)
        assert document["plugin_versions"]["rtb"] == "0.5.2"


@pytest.mark.parametrize("name", ["replay", "failures"])
def test_what_the_home_says_is_carried_over(log, name):
    """Without PATH the home's settings are in force; with the printed path only if asked for."""
    for words, _ in explained(run(*COMMANDS[name])):
        assert words[-2:] == ["--config", "auto"]


@pytest.mark.parametrize("name", COMMANDS)
def test_defaults_add_nothing(log, name):
    for words, _ in explained(run(*COMMANDS[name], log)):
        assert not {"--config", "--set", "--operator", "--shell-http", "--salvage"} & set(words)
