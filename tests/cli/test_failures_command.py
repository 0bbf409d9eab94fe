"""`failures` as a user runs it."""

from __future__ import annotations

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app


def run(*arguments: object):
    return CliRunner().invoke(app, ["failures", *map(str, arguments)])


@pytest.fixture
def logs(tmp_path):
    for name, fails in (("stuck", 5), ("well", 1)):
        session = Session(f"s-{name}").human("Go")
        for _ in range(fails):
            session.call("bash", {"command": "make secretproject"}).result("[exit code: 2]")
        write_session(tmp_path / "s", session, 4, "zstd")
    return tmp_path / "s"


def test_json(logs):
    document = json.loads(run(logs, "--format", "json").stdout)
    assert (document["calls"], document["failures"]) == (6, 6)
    assert document["by_reason"]["exit"] == 6
    assert document["thresholds"] == {
        "3": {"global": 1, "per_fingerprint": 1, "per_target": 0},
        "5": {"global": 1, "per_fingerprint": 1, "per_target": 0},
    }
    assert document["markers"]["[exit code: N]"]["becomes_success"] == 6
    assert document["exit_codes"] == {"2": 6}
    assert document["exit_code_thresholds"]["2"] == document["thresholds"]
    dropped = document["markers"]["[exit code: N]"]["thresholds"]["5"]
    assert set(dropped.values()) == {0}
    assert document["rates"]["thresholds"]["5"]["global"]["of"] == 2
    assert document["rates"]["failures"]["count"] == 6


def test_data_formats_are_whole_unless_masked(logs, tmp_path):
    whole = run(logs, "--format", "json", "-q").stdout
    assert "secretproject" in whole
    masked = run(logs, "--format", "json", "--mask", "-q").stdout
    assert "secretproject" not in masked
    assert "s-stuck" not in masked
    counts = ("calls", "by_reason", "thresholds", "markers", "rates")
    (a, b) = json.loads(whole), json.loads(masked)
    assert [a[k] for k in counts] == [b[k] for k in counts]
    out = tmp_path / "f.parquet"
    assert run(logs, "--format", "parquet", "-o", out).exit_code == 0
    assert pl.read_parquet(out)["per_fingerprint"].sort().to_list() == [1, 5]
    head, *rows = run(logs, "--format", "csv").stdout.splitlines()
    assert head.startswith("log,session,calls,failures,global,")
    assert len(rows) == 2


def test_labels_tell_healthy_logs_apart(logs, tmp_path):
    labels = tmp_path / "labels.toml"
    labels.write_text('[[label]]\nsession = "s-well"\noutcome = "healthy"\n')
    document = json.loads(run(logs, "--labels", labels, "--format", "json").stdout)
    assert document["healthy"]["logs"] == 1
    assert document["healthy"]["thresholds"]["3"]["global"] == 0


def test_text_masks_and_explains(logs):
    done = run(logs, "--threshold", "2")
    assert done.exit_code == 0
    assert "6 of 6 calls failed" in done.stdout
    assert "≥ 2 in a row" in done.stdout
    assert "dsh-calibrate explain" in done.stdout
    assert "secretproject" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--guard", "tfb"], "name rtb"),
        (["--labels", "/no/labels.toml"], "/no/labels.toml"),
        (["--format", "xml"], "--format xml"),
    ],
)
def test_mistakes(logs, arguments, message):
    done = run(logs, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
