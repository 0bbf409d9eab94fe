"""`demo`: what somebody sees who has only installed the package."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from typer.testing import CliRunner

from dsh_calibrate_cli.main import app


def run(*arguments: object, **env: str):
    return CliRunner().invoke(app, [*map(str, arguments)], env={"NO_COLOR": "1", **env})


def test_it_replays_made_up_sessions_and_says_what_is_next(tmp_path):
    done = run("demo", "-o", tmp_path / "demo")
    assert done.exit_code == 0, done.stderr
    assert "What each guard would have done" in done.stdout
    assert "6 made-up sessions written" in done.stderr
    assert "6 logs found: 6 read" in done.stderr
    assert len(list((tmp_path / "demo").rglob("session.v4.jsonl.zstd"))) == 6
    again = run("demo", "-o", tmp_path / "demo", "-q")
    assert (again.exit_code, again.stderr) == (0, "")
    assert again.stdout == done.stdout


def test_what_it_proposes_works(tmp_path):
    home = tmp_path / "home with space"
    done = run("demo", "-o", home)
    commands = re.findall(r"^  dsh-calibrate (.*)$", done.stderr, re.M)
    assert len(commands) == 4
    for command in commands:
        result = run(*shlex.split(command), DSH_HOME=str(home))
        assert result.exit_code == 0, (command, result.stderr)
        assert result.stdout


def test_a_temporary_folder_stays(monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = run("demo")
    (folder,) = tmp_path.glob("dsh-calibrate-demo-*")
    assert (folder / "labels.toml").is_file()
    assert str(folder / "sessions") in done.stderr


def test_a_folder_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    done = run("demo", "-o", tmp_path)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "is not empty and was not written here" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_the_scenarios_come_with_the_wheel(tmp_path, monkeypatch):
    """In an installed package the files lie in ``bundled`` beside the module."""
    from dsh_calibrate.corpora import bundled

    package = tmp_path / "site-packages/dsh_calibrate/corpora"
    shipped = Path(bundled.__file__).resolve().parents[3] / "corpora/first-loops/scenarios"
    shutil.copytree(shipped, package / "bundled")
    monkeypatch.setattr(bundled, "__file__", str(package / "bundled.py"))
    assert {path.parent for path in bundled.bundled_scenarios()} == {package / "bundled"}
