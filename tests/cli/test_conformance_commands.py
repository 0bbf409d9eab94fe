"""``conformance plugin`` and ``conformance recorded`` on the command line."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from conformance.guarded_recordings import GuardedRecording
from conformance.live_packages import BREAKER, installed, needs_node
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.errors import CalibrateError
from dsh_calibrate_cli.commands import conformance

STAND_INS = Path(__file__).parents[1] / "conformance" / "stand_ins"
LS = '{"command": "ls"}'


@pytest.fixture(autouse=True)
def _no_ci(monkeypatch):
    monkeypatch.delenv("CI", raising=False)


def run(*arguments):
    app = typer.Typer()
    app.callback()(lambda: None)
    conformance.register(app)
    return CliRunner().invoke(app, ["conformance", *map(str, arguments)])


def recorded_log(folder, row=None):
    recording = GuardedRecording("a", row).call("bash", LS, times=13, approve=False)
    return write_session(folder / "logs", recording.session, 4, "plain")


def test_the_published_plugin_agrees(tmp_path):
    recorded_log(tmp_path)
    package = installed(BREAKER)
    result = run("plugin", "--package", package, tmp_path / "logs", "--save", tmp_path / "kept")
    assert result.exit_code == 0, result.output
    assert "beside profile 0.5.2" in result.stdout
    assert "answers agree: all agree" in result.stdout
    assert "warning: this runs code of the package dsh-repeat-tool-breaker 0.5.2" in result.stderr
    names = {path.name for path in (tmp_path / "kept").iterdir()}
    assert names == {"guard-replays.jsonl", "tool-calls.jsonl", "failures.jsonl"}
    assert run("vectors", tmp_path / "kept").exit_code == 0


def test_a_difference_is_shown_with_both_sides_and_exits_1(tmp_path):
    recorded_log(tmp_path)
    package = installed(BREAKER)
    options = ("--package", package, "--plugin-version", "rtb=0.8", "--generated", "25", "-q")
    result = run("plugin", *options, "--first", "1", "--format", "json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert told["plugin"]["profile"] == "0.8"
    assert told["differing"] > 0
    (difference,) = told["differences"]
    assert difference["plugin"] != difference["engine"]
    shown = run("plugin", *options, "--first", "1").stdout
    assert "DIFFER" in shown
    assert "more lifecycles differ" in shown
    assert "\\n" not in shown.partition("more lifecycles differ")[0].splitlines()[-1]


@needs_node
def test_an_unknown_version_runs_and_its_drift_is_told(tmp_path):
    recorded_log(tmp_path)
    result = run("plugin", "--package", STAND_INS / "shell_block", tmp_path / "logs")
    assert result.exit_code == 1
    assert "version 0.9.1 is not known here: it is compared with profile 0.8" in result.stderr
    assert "bash" in result.stdout


@needs_node
def test_a_stand_in_says_so():
    result = run("plugin", "--package", STAND_INS / "circuit", "--generated", "5")
    assert result.exit_code == 0
    assert "is on no registry" in result.stderr
    saved = run("plugin", "--package", STAND_INS / "circuit", "--generated", "5", "--save", "x")
    assert isinstance(saved.exception, CalibrateError)
    assert "vectors are kept of repeat-tool-breaker only" in str(saved.exception)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--package", "nowhere"), "no package there"),
        (("--package", STAND_INS / "circuit", "--guard", "rtb,tfb"), "a package is one guard"),
        (("--package", STAND_INS / "circuit", "nowhere"), "no such file or folder"),
        (("--package", STAND_INS / "circuit", "--guard", "tbf"), "--guard tbf: unknown"),
    ],
)
def test_what_cannot_be_run_exits_2(options, told):
    result = run("plugin", *options)
    assert isinstance(result.exception, CalibrateError)
    assert result.exception.exit_code == 2
    assert told in str(result.exception)


def test_without_node_the_message_says_what_to_do(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    result = run("plugin", "--package", STAND_INS / "circuit", "--generated", "1")
    assert isinstance(result.exception, CalibrateError)
    assert "install Node 20 or later" in str(result.exception)


def test_it_is_off_where_ci_is_set(monkeypatch):
    monkeypatch.setenv("CI", "true")
    result = run("plugin", "--package", STAND_INS / "circuit", "--generated", "1")
    assert isinstance(result.exception, CalibrateError)
    assert "--run-in-ci" in str(result.exception)


def test_a_recording_that_agrees(tmp_path):
    log = recorded_log(tmp_path)
    result = run("recorded", log)
    assert result.exit_code == 0
    assert "4 recorded interventions in 1 log\n" in result.stdout
    assert "rtb.warnAt = 7: told by 1, as given" in result.stdout
    assert result.stdout.endswith("all agree\n")


def test_agreement_about_nothing_is_not_claimed(tmp_path):
    silent = Session("s").human("Go").call("bash", {"command": "ls"}).result("ok")
    unguarded = write_session(tmp_path / "silent", silent, 4, "plain")
    idle = write_session(tmp_path / "idle", Session("t").human("Go"), 4, "plain")
    commands = [("recorded", unguarded)]
    if shutil.which("node") is not None:
        commands.append(("plugin", "--package", STAND_INS / "circuit", "--guard", "tfb", idle))
    for command in commands:
        result = run(*command)
        assert isinstance(result.exception, CalibrateError)
        assert result.exception.exit_code == 2
        assert "agree" not in result.stdout.split("agreed")[-1]
        assert re.search("nothing (to match|was compared)", " ".join(result.stdout.split()))


def test_settings_of_the_recording_are_told(tmp_path):
    log = recorded_log(tmp_path, {"warnAt": 5})
    result = run("recorded", log, "--format", "json", "-q")
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    (warn_at,) = (one for one in told["inferred"] if one["key"] == "warnAt")
    assert (warn_at["value"], warn_at["given"]) == (5, 7)
    assert told["as_given"]["parts"]["rtb"]["missed"] == 1
    assert told["as_inferred"]["parts"]["rtb"]["missed"] == 0


def test_a_mismatch_exits_1_and_nothing_raw_is_shown(tmp_path):
    recording = GuardedRecording("b").call("bash", '{"command": "ls \\u001b[31m"}', times=3)
    recording.session.notice(
        "Consider whether the current route is actually working.",
        producer="dsh-repeat-tool-breaker",
        summary="cmd:ls:ls \x1b[31m\u202e × 7",
    )
    log = write_session(tmp_path, recording.session, 4, "plain")
    result = run("recorded", log)
    assert result.exit_code == 1
    assert "missed rtb advice" in result.stdout
    assert "DIFFER" in result.stdout
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
