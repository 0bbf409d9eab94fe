"""The `allowlist` commands as a user runs them."""

from __future__ import annotations

import io
import json

import polars as pl
import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app


def run(*arguments: object):
    return CliRunner().invoke(app, ["allowlist", *map(str, arguments)])


@pytest.fixture
def logs(tmp_path):
    session = Session("s-1").human("Go")
    for command in ("curl -s https://secret.example.org/a", "pip install https://example.org/b"):
        session.call("bash", {"command": command}).result("ok")
    write_session(tmp_path / "s", session, 4, "zstd")
    return tmp_path / "s"


def test_scan_json_and_text(logs):
    document = json.loads(run("scan", logs, "--format", "json").stdout)
    assert document["shell_calls"] == document["remote_calls"] == 2
    assert document["refused"] == {"calls": 2, "target": 1, "incidental": 1, "url_less": 0}
    assert document["verbs"][0] == {"verb": "curl", "segments": 1, "calls": 1, "exempt": False}
    assert document["coverage"]["read"] == 1
    text = run("scan", logs).stdout
    assert "TARGET" in text
    assert "dsh-calibrate explain" in text
    assert "secret.example.org" not in text
    assert "secret.example.org" in run("scan", logs, "--show-content").stdout


def test_another_list(logs):
    document = json.loads(run("scan", logs, "--allow", "pip,curl", "--format", "json").stdout)
    assert document["refused"]["calls"] == 0
    assert document["allow"] == ["pip", "curl"]


def test_candidates_json_csv_and_parquet(logs, tmp_path):
    document = json.loads(run("candidates", logs, "--format", "json").stdout)
    by_verb = {row["verb"]: row for row in document["candidates"]}
    assert by_verb["pip"]["verdict"] == "exempt"
    assert by_verb["curl"]["bypass"] == 1
    assert by_verb["curl"]["calls"]["bypass"][0]["command"].startswith("curl -s")
    rows = run("candidates", logs, "--format", "csv").stdout.splitlines()
    assert rows[0] == "verb,carried,flips,bypass,sole_cause,verdict"
    out = tmp_path / "c.parquet"
    assert run("candidates", logs, "--format", "parquet", "-o", out).exit_code == 0
    assert pl.read_parquet(io.BytesIO(out.read_bytes())).height == 2


def test_the_list_itself_is_judged(logs):
    arguments = ("candidates", logs, "--allow", "pip,docker")
    document = json.loads(run(*arguments, "--format", "json").stdout)
    rows = {row["verb"]: (row["flips"], row["verdict"]) for row in document["listed"]}
    assert rows == {"pip": (1, "exempt"), "docker": (0, "no effect")}
    assert "nothing here depends on it: docker" in run(*arguments).stdout


@pytest.mark.parametrize("command", ["scan", "candidates", "coverage"])
def test_data_formats_are_whole_unless_masked(logs, command):
    whole = run(command, logs, "--format", "json").stdout
    masked = run(command, logs, "--format", "json", "--mask").stdout
    private = ("work-app", "example.org/b")
    for text in private:
        assert text in whole
        assert text not in masked


def test_artefact_comes_before_the_coverage_that_is_missing(logs):
    (log,) = logs.rglob("*.zstd")
    (logs / "cut.jsonl.zstd").write_bytes(log.read_bytes()[:-40] + b"\0" * 40)
    done = run("scan", logs, "--min-coverage", "100", "--format", "json")
    assert done.exit_code == 3
    assert json.loads(done.stdout)["coverage"]["found"] == 2


def test_coverage_names_fetchers(logs):
    document = json.loads(run("coverage", logs, "--format", "json").stdout)
    assert document["fetchers"] == [{"fetcher": "curl", "calls": 1, "refused": 1, "missed": 0}]
    assert document["cost"] == 1
    assert document["rates"]["missed"]["of"] == 1
    assert document["rates"]["cost"]["count"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--guard", "rlg"], "name rtb"),
        (["--plugin-version", "rtb=0.5.2"], "no shell-HTTP block"),
    ],
)
def test_mistakes(logs, arguments, message):
    done = run("scan", logs, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
