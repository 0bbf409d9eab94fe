"""``corpus redact`` and ``corpus shrink`` from the command line."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

runner = CliRunner()


@pytest.fixture
def sessions(tmp_path):
    session = Session("session-mueller", cwd="/home/mueller").human("Frag Herrn Mueller")
    for _ in range(8):
        session.call("read", {"file_path": "/home/mueller/akte.txt"}).result("Aktenzeichen 77123")
    write_session(tmp_path / "sessions", session, 4, "zstd")
    return tmp_path / "sessions"


def run(*args, **env):
    return runner.invoke(app, ["corpus", *map(str, args)], env=env)


def test_redact_reports_and_writes(sessions, tmp_path):
    result = run("redact", sessions, "-o", tmp_path / "out", "--format", "json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["totals"]["logs"] == report["totals"]["written"] == 1
    (log,) = report["logs"]
    assert (tmp_path / "out" / log["path"]).is_file()
    assert log["leak_check"]["words"] == log["leak_check"]["secrets"] == 0
    assert "mueller" not in log["path"]
    assert not (tmp_path / "out/settings.json").exists()


def test_the_key_of_the_environment_repeats_a_run(sessions, tmp_path):
    for name in ("a", "b"):
        out = tmp_path / name
        result = run("redact", sessions, "-o", out, "--key-env", "SOME_KEY", SOME_KEY="k1")
        assert result.exit_code == 0, result.output
    one, two = (sorted((tmp_path / n).rglob("*.zstd")) for n in ("a", "b"))
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in two]


def test_settings_are_rewritten_beside_the_copies(sessions, tmp_path):
    out = tmp_path / "out"
    alias = 'rtb.hostAliases."alt.mueller.example"=neu.mueller.example'
    assert run("redact", sessions, "-o", out, "--set", alias).exit_code == 0
    text = (out / "settings.json").read_text()
    assert "hostAliases" in text
    assert "mueller" not in text


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--format", "xml"], "known formats"),
        (["--key-env", "NOT_SET_ANYWHERE"], "no such environment variable"),
        (["--salvage"], "up to its damage"),
    ],
)
def test_redact_refuses(sessions, tmp_path, extra, words):
    result = run("redact", sessions, "-o", tmp_path / "out", *extra)
    assert result.exit_code == 2
    assert words in result.stderr


def test_nothing_is_written_below_what_is_read(sessions):
    result = run("redact", sessions, "-o", sessions / "copies")
    assert result.exit_code == 2
    assert "name a folder outside" in result.stderr


def test_a_log_that_cannot_be_copied_is_a_finding(sessions, tmp_path):
    (sessions / "other.jsonl").write_text('{"type":"session","createdAt":1}')
    result = run("redact", sessions, "-o", tmp_path / "out")
    assert result.exit_code in (0, 1)
    assert "mueller" not in result.stdout.lower()


def test_shrink_writes_a_smaller_log(sessions, tmp_path):
    out = tmp_path / "small.jsonl"
    result = run("shrink", sessions, "--keep", "rtb:warn@call=6", "-o", out)
    assert result.exit_code == 0, result.output
    assert "rtb advise warn at call 6" in result.stdout
    assert out.read_text().count('"tool/call"') == 7


@pytest.mark.parametrize(
    ("keep", "name", "words"),
    [
        ("rtb@call=99", "s.jsonl", "no such decision"),
        ("nobody", "s.jsonl", "expected GUARD"),
        ("rtb", "s.txt", "*.jsonl"),
    ],
)
def test_shrink_refuses(sessions, tmp_path, keep, name, words):
    result = run("shrink", sessions, "--keep", keep, "-o", tmp_path / name)
    assert result.exit_code == 2
    assert words in result.stderr
