"""The command line where its streams are closed, full or strange, and with empty arguments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

COMMAND = Path(sys.executable).with_name("dsh-calibrate")


@pytest.fixture
def sessions(tmp_path):
    session = Session("s-loop").human("Go")
    for _ in range(8):
        session.call("bash", {"command": "ls a"}).result("ok")
    return write_session(tmp_path / "sessions", session, 4, "plain").parent


def shell(line: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line.replace("dsh-calibrate", str(COMMAND), 1)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=cwd,
    )


@pytest.mark.parametrize("form", ["text", "json", "jsonl", "csv"])
@pytest.mark.parametrize(
    ("streams", "code", "told"),
    [
        ("1>&-", 0, ""),
        ("1>&- 0<&- 2>&-", 0, ""),
        ("2>&-", 0, ""),
        ("1>/dev/full", 2, "cannot write to stdout"),
        ("2>/dev/full", 0, ""),
    ],
)
def test_streams_that_cannot_be_written(sessions, form, streams, code, told):
    if "full" in streams and not os.access("/dev/full", os.W_OK):
        pytest.skip("no /dev/full here")
    done = shell(f"dsh-calibrate replay . --format {form} {streams}", sessions)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert told in done.stderr
    assert bool(done.stdout) is ("1>" not in streams)


@pytest.mark.parametrize(
    "arguments",
    [
        ["replay", ""],
        ["replay", "{sessions}", ""],
        ["replay", "{sessions}", "--config", ""],
        ["replay", "{sessions}", "-o", ""],
        ["replay", "{sessions}", "--fail-on", ""],
        ["corpus", "stats", ""],
    ],
)
def test_an_empty_argument_is_a_mistake_and_never_the_current_folder(sessions, arguments):
    words = [word.replace("{sessions}", str(sessions)) for word in arguments]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "an argument is empty" in done.output


def test_what_nobody_foresaw_is_one_line(monkeypatch, capsys):
    from dsh_calibrate_cli import main

    def broken() -> None:
        raise RuntimeError("odd\x1b[31m")

    monkeypatch.setattr(main, "app", broken)
    monkeypatch.setattr(sys, "argv", ["dsh-calibrate", "replay"])
    with pytest.raises(SystemExit) as left:
        main.main()
    assert left.value.code == 2
    assert capsys.readouterr().err == (
        "dsh-calibrate: RuntimeError: odd\\x1b[31m (--debug shows where)\n"
    )
    monkeypatch.setattr(sys, "argv", ["dsh-calibrate", "replay", "--debug"])
    with pytest.raises(RuntimeError):
        main.main()
