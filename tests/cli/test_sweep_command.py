"""`sweep` as a user runs it: formats, figures, labels, exit codes, bad input."""

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
from dsh_calibrate_cli.sweep_text import _p_value


@pytest.fixture
def run(monkeypatch, tmp_path):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path / "cache"))

    def invoke(*arguments):
        return CliRunner().invoke(app, ["sweep", *map(str, arguments)], env={"NO_COLOR": "1"})

    return invoke


@pytest.fixture
def root(tmp_path):
    looping = Session("s-loop").human("Go")
    for _ in range(13):
        looping.call("bash", {"command": "ls a"}).result("ok")
    healthy = Session("s-well").human("Go")
    for _ in range(4):
        healthy.call("read", {"file_path": "/a"}).result("x")
    folder = tmp_path / "sessions"
    write_session(folder, looping, 4, "zstd")
    write_session(folder, healthy, 0, "plain")
    (tmp_path / "labels.toml").write_text(
        '[[label]]\nsession = "s-loop"\noutcome = "stuck"\n'
        '[[label]]\nsession = "s-well"\noutcome = "healthy"\n'
    )
    return folder


def document(done):
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_json_has_the_shape_of_the_contract(run, root):
    over = ("--over", "rtb.warnAt=3..7:4", "--over", "rtb.limits.{exact,cmd}=[9,12]")
    labels = ("--labels", root.parent / "labels.toml")
    found = document(run(root, *over, *labels, "--format", "json"))
    assert found["coverage"]["read"] == 2
    assert [one["settings"]["rtb"]["warnAt"] for one in found["sets"]] == [3, 3, 7, 7]
    first = found["sets"][0]
    assert first["advisories"] == {"warn": 2, "summarize": 0, "failure": 0}
    assert (first["gates"], first["blocked_calls"], first["asks"]) == (5, 5, 1)
    assert first["exact"]["gates"] == 0
    assert first["stuck"] == {"caught": 1, "of": 1}
    assert first["healthy"] == {"disturbed": 1, "of": 1}
    assert found["sets"][3]["healthy"] == {"disturbed": 0, "of": 1}
    assert found["sets"][3]["first_caught"][0]["call"] == 6
    assert "rtb.summarizeAt=11" in first["dead"][0]
    assert found["in_force"]["advisories"]["warn"] == 1
    assert first["compared"]["disturbed"]["only_this"] == 1


def test_the_same_bytes_whatever_jobs_and_cache(run, root):
    arguments = (root, "--over", "rtb.limits.{exact,cmd}=5..9", "--format", "json")
    first = run(*arguments, "--no-cache").stdout
    assert first
    assert run(*arguments, "--jobs", "2").stdout == first
    assert run(*arguments).stdout == first


def test_text_csv_and_parquet(run, root, tmp_path):
    over = ("--over", "rtb.warnAt=3..4")
    text = run(root, *over)
    assert text.exit_code == 0
    assert "2 sets over 2 logs (rtb)" in text.stdout
    assert "counted are logs" in " ".join(text.stdout.split())
    assert "2 sets over 2 logs; " in text.stderr
    rows = list(csv.DictReader(io.StringIO(run(root, *over, "--format", "csv").stdout)))
    assert [(r["set"], r["part"]) for r in rows[2:4]] == [
        ("rtb.warnAt=3", "whole"),
        ("rtb.warnAt=3", "exact"),
    ]
    assert run(root, *over, "--format", "parquet", "-o", tmp_path / "out").exit_code == 0
    sets = pl.read_parquet(tmp_path / "out" / "sets.parquet")
    assert [str(v) for v in sets["advisories"]] == [r["advisories"] for r in rows]
    sessions = pl.read_parquet(tmp_path / "out" / "sessions.parquet")
    assert (
        sessions.filter(set="rtb.warnAt=4")["advisories"].sum()
        == sets.filter(set="rtb.warnAt=4", part="whole")["advisories"].item()
    )


def test_slices_and_candidates(run, root, tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("old: {rtb: {warnAt: 3}, tfb: {maxFailures: 3}}\nnew: {rtb: {}}\n")
    found = document(run(root, "--candidates", file, "--by", "format", "--format", "json"))
    assert [one["name"] for one in found["sets"]] == ["old", "new"]
    assert found["guards"] == ["rtb", "tfb"]
    slices = found["sets"][0]["slices"]
    assert {value: part["sessions"] for value, part in slices.items()} == {"0": 1, "4": 1}
    assert sum(part["advisories"]["warn"] for part in slices.values()) == 2
    text = run(root, "--candidates", file, "--by", "format")
    assert "format: 0" in text.stdout


def test_a_sweep_of_reasoning_shows_margins(run, tmp_path):
    line = "Wait, let me look at the file again before I go on.\n"
    session = Session("s-1").human("Go").reasoning(line * 60, size=60).say("Done.")
    write_session(tmp_path / "s", session, 4)
    over = ("--over", "rlg.minUnits=[4,500]")
    found = document(run(tmp_path / "s", *over, "--pieces", "100", "--format", "json"))
    assert [one["pieces"] for one in found["sets"]] == [100, 100]
    assert found["in_force"]["gates"] == 1
    assert found["sets"][0]["exact"]["gates"] == 0 < found["sets"][0]["gates"]
    assert set(found["reasoning"]) >= {"minUnits", "lineShare"}
    assert any("minUnits=500" in text for text in found["sets"][1]["dead"])
    assert "how close to each threshold" in run(tmp_path / "s", *over).stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "sweep what?"),
        (["--over", "rtb.warnAt=9..3"], "empty"),
        (["--over", "rtb.warnAt=3..9:0"], "step"),
        (["--over", "rtb.limits.exact=1..3"], "rtb.limits.exact=1: must be"),
        (["--over", "rtb.wrnAt=1..3"], "did you mean warnAt"),
        (["--over", "rtb.warnAt=1..90", "--over", "rtb.failWarnAt=1..90"], "too many"),
        (["--over", "rtb.warnAt=1..3", "--by", "modle"], "did you mean model"),
        (["--over", "rtb.warnAt=1..3", "--guard", "rlg"], "leaves rtb out"),
        (["--over", "rtb.warnAt=1..3", "--format", "xml"], "known formats"),
        (["--over", "rtb.warnAt=1..3", "--labels", "none.toml"], "none.toml"),
        (["--candidates", "none.yaml"], "none.yaml"),
        (["--over", "rtb.warnAt=1..3", "--pieces", "5", "--pieces", "5"], "twice"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(run, root, arguments, words):
    done = run(root, *arguments, "-q")
    assert done.exit_code == 2
    mistakes = [line for line in done.stderr.splitlines() if line.startswith("dsh-calibrate:")]
    assert len(mistakes) == 1
    assert words in mistakes[0]
    assert done.stdout == ""


@pytest.mark.parametrize("outcome", ["stuck", "healthy", "undecided"])
def test_labels_without_healthy_or_stuck_sessions_say_so(run, root, outcome):
    labels = root.parent / "one-sided.toml"
    labels.write_text(f'[[label]]\nlog = "**"\noutcome = "{outcome}"\n')
    done = run(root, "--over", "rtb.warnAt=3..4", "--labels", labels)
    assert done.exit_code == 0
    told = {word for word in ("stuck", "healthy") if f"labelled {word}: " in done.stderr}
    assert told == {"stuck", "healthy"} - {outcome}


def test_no_candidate_goes_by_the_name_of_what_is_in_force(run, root, tmp_path):
    (tmp_path / "c.yaml").write_text("in force: {rtb: {warnAt: 3}}\n")
    done = run(root, "--candidates", tmp_path / "c.yaml")
    assert done.exit_code == 2
    assert "in force: that is what" in done.stderr


def test_labels_of_sessions_that_are_not_there(run, root):
    labels = root.parent / "more.toml"
    labels.write_text('[[label]]\nsession = "s-gone"\noutcome = "stuck"\n')
    done = run(root, "--over", "rtb.warnAt=3..4", "--labels", labels, "-q")
    assert done.exit_code == 2
    assert "s-gone" in done.stderr


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "1.000"), (0.125, "0.125"), (0.0005, "0.001"), (0.0004, "<0.001"), (1e-12, "<0.001")],
)
def test_a_small_p_is_never_nought(value, shown):
    assert _p_value(value) == shown
