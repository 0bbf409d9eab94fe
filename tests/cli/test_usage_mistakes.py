"""What Typer itself refuses is one line, as every other mistake is."""

from __future__ import annotations

import os

import pytest
import typer
from typer.testing import CliRunner

from dsh_calibrate.errors import CalibrateError
from dsh_calibrate_cli.main import app


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["replay", "--operator", "x"],
            "invalid value for '--operator': 'x' is not one of 'decline', 'approve', 'recorded' "
            "(see dsh-calibrate replay --help)",
        ),
        (
            ["replay", "--jobs", "x"],
            "invalid value for '--jobs': it should be a valid integer "
            "(see dsh-calibrate replay --help)",
        ),
        (
            ["replay", "--no-cach"],
            "no such option: --no-cach; did you mean --no-cache? (see dsh-calibrate replay --help)",
        ),
        (["nosuch"], "no such command 'nosuch' (see dsh-calibrate --help)"),
        (["--nosuch"], "no such option: --nosuch (see dsh-calibrate --help)"),
        (["replay", "--set"], "option '--set' requires an argument"),
        (
            ["conformance", "vectors"],
            "missing argument 'PATH' (see dsh-calibrate conformance vectors --help)",
        ),
        (
            ["check", "a", "b"],
            "got unexpected extra argument(s) (b) (see dsh-calibrate check --help)",
        ),
    ],
)
def test_one_line(words, line):
    done = CliRunner().invoke(app, words, prog_name="dsh-calibrate")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr == f"dsh-calibrate: {line}\n"


def test_a_named_path_that_cannot_be_read(tmp_path, monkeypatch):
    path = tmp_path / "session.jsonl"
    path.write_text("{}")
    real = os.access
    monkeypatch.setattr(os, "access", lambda p, mode: str(p) != str(path) and real(p, mode))
    done = CliRunner().invoke(app, ["conformance", "vectors", str(path)])
    assert done.exit_code == 2
    assert "Usage:" not in done.stderr
    assert [line for line in done.stderr.splitlines() if str(path) in line] != []
    assert done.stderr.splitlines()[-1].startswith("dsh-calibrate: ")


def leaves(command, path=()):
    below = getattr(command, "commands", None)
    if below is None:
        yield path, {name for p in command.params for name in p.opts}
        return
    for name, sub in below.items():
        yield from leaves(sub, (*path, name))


def test_debug_is_everywhere_and_no_cache_wherever_logs_are_named():
    commands = dict(leaves(typer.main.get_command(app)))
    assert len(commands) > 30
    assert [path for path, options in commands.items() if "--debug" not in options] == []
    reading = {path for path, options in commands.items() if {"--last", "--jobs"} <= options}
    assert ("replay",) in reading
    assert [path for path in reading if "--no-cache" not in commands[path]] == [], reading


def test_debug_shows_where(tmp_path):
    plain = CliRunner().invoke(app, ["journal", "list", str(tmp_path / "none")])
    assert plain.exit_code == 2
    assert plain.exception is None or isinstance(plain.exception, SystemExit)
    shown = CliRunner().invoke(app, ["journal", "list", str(tmp_path / "none"), "--debug"])
    assert isinstance(shown.exception, CalibrateError)


def test_a_group_without_a_command_still_shows_its_help():
    done = CliRunner().invoke(app, ["config"])
    assert done.exit_code == 2
    assert "Usage:" in done.output
    assert "validate" in done.output
