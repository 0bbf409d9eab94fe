"""A label that points at a place its log does not have is named by sweep and derive."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app


@pytest.fixture
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path / "cache"))
    session = Session("s-loop").human("Go")
    for _ in range(6):
        session.call("bash", {"command": "ls a"}).result("ok")
    session.reasoning("Think again. " * 100, size=40)
    write_session(tmp_path / "sessions", session, 4, "plain")
    return tmp_path


def told(root, point, command, *more):
    (root / "labels.toml").write_text(
        '[[label]]\nsession = "s-loop"\noutcome = "stuck"\n'
        f'[[label.at]]\n{point}\nexpect = "expect"\n',
        encoding="utf-8",
    )
    words = [command, str(root / "sessions"), "--labels", str(root / "labels.toml"), "--jobs=1"]
    done = CliRunner().invoke(app, [*words, *more])
    assert done.exit_code == 0, done.stderr
    return [line for line in done.stderr.splitlines() if "label.at" in line]


OVER = {"sweep": ("--over=rtb.warnAt=3..4",), "derive": ("--over=rtb.warnAt=3..4",)}


@pytest.mark.parametrize("command", OVER)
@pytest.mark.parametrize(
    ("point", "words"),
    [
        ("guard = 'rtb'\nlifecycle = 0\ncall = 5", None),
        ("guard = 'rtb'\nlifecycle = 0\ncall = 6", "no call 6 in lifecycle 0, which has 6 calls"),
        ("guard = 'rtb'\nlifecycle = 0\ncall = 99999", "no call 99999 in lifecycle 0"),
        ("guard = 'rtb'\nlifecycle = 3\ncall = 0", "no call 0 in lifecycle 3, which has 0 calls"),
        ("guard = 'rlg'\nlifecycle = 0\nstream = 7", None),  # rlg is not measured here
    ],
)
def test_places_of_calls(root, command, point, words):
    lines = told(root, point, command, *OVER[command])
    assert len(lines) == (words is not None)
    assert words is None or words in lines[0]


def test_places_of_streams(root):
    over = "--over=rlg.minUnits=4..5"
    assert told(root, "guard = 'rlg'\nlifecycle = 0\nstream = 0", "sweep", over) == []
    [line] = told(root, "guard = 'rlg'\nlifecycle = 0\nstream = 1", "sweep", over)
    assert "there is no stream 1 in lifecycle 0, which has 1 stream (from 0)" in line
    assert line.startswith("warning: ")
