"""`compare` as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import shlex

import polars as pl
import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app


def run(*arguments: object):
    words = ["compare", *map(str, arguments)]
    return CliRunner().invoke(app, words, env={"NO_COLOR": "1"})


@pytest.fixture
def sessions(tmp_path):
    root = tmp_path / "sessions"
    for n, count in enumerate((9, 6, 2)):
        session = Session(f"s-{n}").human("Go")
        for _ in range(count):
            session.call("bash", {"command": "curl https://secret.example.org/x"}).result("ok")
        write_session(root, session, 4, "zstd")
    return root


def test_text_names_both_sides_and_how_to_see_more(sessions):
    done = run(sessions, "--a", "rtb.warnAt=5", "--b", "rtb.warnAt=8")
    assert done.exit_code == 0
    assert "a: warns (host: 5, warnAt 5)" in done.stdout
    assert "b: nothing (host: 5, warnAt 8)" in done.stdout
    assert "secret" not in done.stdout
    line = next(x for x in done.stdout.splitlines() if "dsh-calibrate explain" in x)
    shown = CliRunner().invoke(app, shlex.split(line)[1:])
    assert "▲ warns: host: 5, warnAt 5" in shown.stdout
    assert done.stderr.rstrip().endswith("3 decisions differ, in 2 logs")


def test_json_totals_and_reasons(sessions):
    done = run(sessions, "--a", "rtb.warnAt=5", "--b", "rtb.warnAt=8", "--format", "json")
    document = json.loads(done.stdout)
    rtb = document["totals"]["guards"]["rtb"]
    assert rtb["logs"] == 3
    assert (rtb["a"]["sessions_advised"], rtb["b"]["sessions_advised"]) == (2, 1)
    assert rtb["paired"]["sessions_advised"] == {
        "a_more": 1,
        "b_more": 0,
        "alike": 2,
        "p_value": 1.0,
    }
    assert document["totals"]["changed"]["only_a"] == 2
    assert document["a"]["config"]["rtb"]["warnAt"] == 5
    first = document["changed"][0]
    assert first["b"]["decisions"] == []
    assert first["b"]["reason"]["threshold"] == 8
    assert first["a"]["decisions"][0]["fingerprint"] == "host:secret.example.org"


def test_tables(sessions, tmp_path):
    sides = ("--a", "rtb.warnAt=5", "--b", "rtb=0.5.2", "--b", "rtb.warnAt=8")
    rows = list(csv.DictReader(io.StringIO(run(sessions, *sides, "--format", "csv").stdout)))
    parquet = tmp_path / "changes.parquet"
    run(sessions, *sides, "--output", f"parquet={parquet}")
    assert pl.read_parquet(parquet)["kind"].to_list() == [r["kind"] for r in rows]
    refused = [r for r in rows if r["a_verdict"] == "refuse"]
    assert {r["names_mechanism"] for r in refused} == {"True"}
    assert len(refused) == 17


def test_same_bytes_for_any_number_of_jobs(sessions):
    sides = ("--a", "rtb.warnAt=5", "--format", "json")
    assert run(sessions, *sides).stdout == run(sessions, *sides, "--jobs", "2").stdout


def test_settings_files_and_shared_settings(sessions, tmp_path):
    file = tmp_path / "b.yml"
    file.write_text("rtb:\n  warnAt: 4\n")
    shared = ("--set", "rtb.summarizeAt=6", "--format", "json")
    document = json.loads(run(sessions, "--b", file, *shared).stdout)
    sides = [document[side]["config"]["rtb"] for side in "ab"]
    assert [s["warnAt"] for s in sides] == [7, 4]
    assert [s["summarizeAt"] for s in sides] == [6, 6]


def test_exit_codes(sessions):
    assert run(sessions, "--a", "rtb.warnAt=5", "--fail-on-change").exit_code == 1
    assert run(sessions, "--a", "rtb.warnAt=7", "--fail-on-change").exit_code == 0
    denied = run(sessions, "--b", "policy=denylist", "--fail-on-change")
    assert denied.exit_code == 0
    assert "No decision differs." in denied.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to compare"),
        (["--a", "nothing.yml"], "--a nothing.yml: no such file"),
        (["--a", "rtb.window=1"], "rtb.window"),
        (["--a", "rtb=9"], "known: rtb=0.5.2"),
        (["--b", "policy=denylist", "--shell-http", "enforce"], "measured, not enforced"),
        (["--b", "policy=denylist", "--guard", "tfb"], "rtb is not among the guards"),
        (["--a", "rtb=9.9"], "--a rtb=9.9: unknown; known: rtb=0.5.2, rtb=0.8"),
        (["--b", "rlg=2"], "--b rlg=2: unknown; known: rtb=0.5.2, rtb=0.8"),
    ],
)
def test_mistakes(sessions, arguments, message):
    done = run(sessions, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr
