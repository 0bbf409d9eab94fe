"""`explain` as a user runs it: paths and ids, formats, masking, mistakes."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

LOOP = "Secretplan to write. Go. OK. Emit now. " * 60


def run(*arguments: object, **env: str):
    return CliRunner().invoke(app, ["explain", *map(str, arguments)], env={"NO_COLOR": "1", **env})


@pytest.fixture
def home(tmp_path):
    looping = Session("s-loop").human("Go").reasoning(LOOP, size=40)
    for _ in range(13):
        looping.call("bash", {"command": "ls secretfolder\x1b[31m\u202e"}).result("ok \x07")
    root = tmp_path / "sessions"
    write_session(root, looping, 4, "zstd")
    write_session(root, Session("s-well").human("Go").call("read", {"file_path": "/a"}).result("x"))
    return tmp_path


@pytest.fixture
def log(home):
    (path,) = (home / "sessions").rglob("s-loop/session*")
    return path


def seq_of(log, call):
    rows = json.loads(run(log, "--format", "json").stdout)["timeline"]
    return next(r["seq"] for r in rows if r["kind"] == "call" and r["call"] == call)


def test_a_call_that_is_stopped(log):
    done = run(log, "--seq", seq_of(log, 11), "--guard", "rtb")
    assert done.exit_code == 0
    assert "exact:                    12         12" in done.stdout
    assert "exact  ●●●●●●●●●●●\n" in done.stdout
    assert "at its result line: exact, cmd" in done.stdout
    assert "REPEAT_TOOL_BLOCKED" in done.stdout
    assert "▲ asks, and nobody approves: exact: 12, limits.exact 12" in done.stdout
    assert done.stdout.rstrip().splitlines()[-1].startswith("  dsh-calibrate explain ")


def test_the_line_that_replay_prints_works(home, log):
    replayed = CliRunner().invoke(app, ["replay", str(home / "sessions"), "-q"])
    line = next(x for x in replayed.stdout.splitlines() if "dsh-calibrate explain" in x)
    done = run(*line.split()[2:])
    assert done.exit_code == 0
    assert "▲" in done.stdout


def test_a_call_at_which_nothing_happens(log):
    done = run(log, "--call", "2")
    assert (
        "Says nothing: no count reaches its threshold; nearest: exact: 3, warnAt 7" in done.stdout
    )
    assert "▲ reminds (run of 3)" in done.stdout


def test_a_stream(log):
    done = run(log, "--stream", "0")
    assert "judge points up to the fire" in done.stdout
    assert "minUnits 4" in done.stdout
    assert "⟦" in done.stdout
    shown = run(log, "--stream", "0", "--show-content").stdout
    assert "⟦ecretplan" in shown or "Secretplan" in shown


def test_text_is_masked_and_never_raw(log):
    for arguments in ((log,), (log, "--call", "6"), (log, "--stream", "0")):
        done = run(*arguments)
        assert "secret" not in done.stdout.lower()
        shown = run(*arguments, "--show-content").stdout
        assert "secret" in shown.lower()
        assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout + shown)
    assert "secret" not in run(log, "--call", "6", "--format", "json", "--mask").stdout.lower()


def test_timeline_narrowed_to_a_guard(log):
    whole, narrow = run(log).stdout, run(log, "--guard", "rtr").stdout
    assert "rtb warns: cmd: 7, warnAt 7 (exact)" in whole
    assert "rlg ends the stream (periodic-run)" in whole
    assert "rtb warns" not in narrow
    assert "rtr reminds (run of 3)" in narrow


@pytest.mark.parametrize("place", [(), ("--call", "6"), ("--stream", "0")])
def test_tables_in_every_format(log, tmp_path, place):
    rows = list(csv.DictReader(io.StringIO(run(log, *place, "--format", "csv").stdout)))
    parquet = tmp_path / "t.parquet"
    refused = run(log, *place, "--format", "parquet")
    assert (refused.exit_code, "-o FILE" in refused.stderr) == (2, True)
    assert run(log, *place, "--format", "parquet", "-o", parquet).exit_code == 0
    frame = pl.read_parquet(parquet)
    assert frame.columns == list(rows[0])
    assert len(frame) == len(rows) > 0
    document = json.loads(run(log, *place, "--format", "json").stdout)
    assert document["session"] == "s-loop"
    assert ("timeline" in document) is (not place)


def test_the_window_in_json(log):
    document = json.loads(run(log, "--call", "6", "--format", "json").stdout)
    rtb = document["explained"]["guards"]["rtb"]
    assert [r["call"] for r in rtb["window"]] == [0, 1, 2, 3, 4, 5]
    assert rtb["measures"][0]["window"] == [0, 1, 2, 3, 4, 5]
    assert rtb["committed_at"] == "call"
    assert rtb["decisions"][0]["setting"] == "warnAt"
    assert "notice" in rtb["decisions"][0]["given"]


@pytest.mark.parametrize("name", ["s-loop", "s-l*", "*/s-loop/*", "s…op"])
def test_ids_and_globs_below_the_home(home, name):
    done = run(name, "-q", DSH_HOME=str(home))
    assert done.exit_code == 0
    assert "call 12" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "no such session below"),
        (["s-*"], "2 logs are meant: "),
        (["s-loop", "--seq", "99999"], "nearest: call 12"),
        (["s-loop", "--stream", "0", "--guard", "rtb"], "no such stream|holds no stream"),
        (["s-loop", "--call", "3", "--guard", "rlg"], "which rlg does not look at"),
        (["s-loop", "--format", "jsonl"], "known formats: text, json, csv, parquet"),
        (["s-loop", "--set", "rtb.window=1"], "rtb.window"),
    ],
)
def test_mistakes_are_one_line(home, arguments, message):
    done = run(*arguments, DSH_HOME=str(home))
    assert done.exit_code == 2
    assert any(part in done.stderr for part in message.split("|"))
    assert "Traceback" not in done.stderr
