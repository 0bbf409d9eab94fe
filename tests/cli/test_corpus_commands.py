"""`corpus synth`, `corpus stats` and `corpus label` as a user runs them."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.label_reading import read_labels
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

SCENARIOS = Path(__file__).resolve().parents[2] / "corpora/first-loops/scenarios"


def run(*arguments: object, typed: str | None = None, **env: str):
    arguments_ = ["corpus", *map(str, arguments)]
    return CliRunner().invoke(app, arguments_, input=typed, env={"NO_COLOR": "1", **env})


@pytest.fixture
def corpus(tmp_path):
    looping = Session("s-loop").human()
    for _ in range(13):
        looping.call("bash", {"command": "curl https://api.example.org/v"}).result("ok")
    thought = " ".join(str(k * k) for k in range(400))
    thinking = Session("s-think").human().reasoning(thought, outcome="attempt")
    thinking.end_turn("aborted", abort="user")
    quiet = Session("s-quiet").human().call("read", {"file_path": "/a"}).result("x")
    for session in (looping, thinking, quiet):
        write_session(tmp_path / "sessions", session, 4, "plain")
    return tmp_path


def key(name: str) -> str:
    return f"sessions/--work-app--/{name}/session.v4.jsonl"


def labelled(path: Path) -> dict[str, str]:
    return {entry.log or entry.session or "": entry.outcome for entry in read_labels(path)}


# synth


def test_synth_writes_what_it_prints(tmp_path):
    out = tmp_path / "made"
    done = run("synth", SCENARIOS, "-o", out, "--version", 3, "--encoding", "plain")
    assert done.exit_code == 0, done.stderr
    paths = [Path(line) for line in done.stdout.splitlines()]
    assert sorted(paths) == sorted(path for path in out.rglob("*") if path.is_file())
    assert all(path.name in ("session.v3.jsonl", "labels.toml") for path in paths)
    assert "6 logs of 6 scenarios" in done.stderr
    before = {path: path.read_bytes() for path in paths}
    again = run(
        "synth",
        *sorted(SCENARIOS.glob("*.toml")),
        "-o",
        out,
        "--version",
        3,
        "-q",
        "--encoding",
        "plain",
    )
    assert (again.exit_code, again.stderr) == (0, "")
    assert {path: path.read_bytes() for path in paths} == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--version", "9"], "format version 9 cannot be written"),
        (["--encoding", "gzip"], "encoding 'gzip' cannot be written"),
        ([], "is not empty and was not written here"),
    ],
)
def test_bad_synth_exits_2(tmp_path, arguments, words):
    if not arguments:
        (tmp_path / "mine.txt").write_text("x")
    done = run("synth", SCENARIOS, "-o", tmp_path, *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr


def test_synth_of_an_empty_folder_and_into_a_file(tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no scenario file" in run("synth", empty, "-o", tmp_path / "x").stderr
    (tmp_path / "file").write_text("x")
    done = run("synth", SCENARIOS, "-o", tmp_path / "file" / "below")
    assert done.exit_code == 2
    assert "Traceback" not in done.stderr


# stats


def test_stats_text_is_masked_unless_asked(corpus):
    done = run("stats", corpus)
    assert done.exit_code == 0, done.stderr
    assert "3 logs" in done.stdout
    assert "curl" in done.stdout
    assert "a…e.org" in done.stdout
    assert "example" not in done.stdout
    assert "api.example.org" in run("stats", corpus, "--show-content").stdout


def test_stats_json_is_whole_unless_masked(corpus):
    document = json.loads(run("stats", corpus, "--format", "json").stdout)
    assert document["hosts"] == [{"name": "api.example.org", "count": 13, "logs": 1}]
    assert document["totals"]["abandoned_reasoning"] == 1
    assert document["coverage"]["read"] == 3
    assert {log["log"] for log in document["logs"]} == {
        key("s-loop"),
        key("s-quiet"),
        key("s-think"),
    }
    masked = run("stats", corpus, "--format", "json", "--mask").stdout
    assert "example.org" not in masked
    assert json.loads(masked)["totals"] == document["totals"]
    assert json.loads(masked)["corpus_digest"] == document["corpus_digest"]


def test_stats_csv_has_a_row_a_log(corpus):
    rows = list(csv.DictReader(io.StringIO(run("stats", corpus, "--format", "csv").stdout)))
    assert [row["log"] for row in rows] == [key("s-loop"), key("s-quiet"), key("s-think")]
    assert [row["occurrences net"] for row in rows] == ["13", "0", "0"]


def test_stats_thresholds_follow_the_settings(corpus):
    done = run("stats", corpus, "--set", "rtb.limits.verb=99")
    assert [line.split()[-1] for line in done.stdout.splitlines() if " verb " in line][-1] == "99"


# label by hand


def test_labels_are_set_by_glob_and_changed_in_place(corpus):
    file = corpus / "labels.toml"
    done = run("label", corpus, "--log", "**/s-loop/*", "--outcome", "stuck", "--split", "train")
    assert done.exit_code == 0, done.stderr
    assert "1 of 3 logs labelled; 1 stuck, 0 healthy, 0 undecided, 2 without" in done.stderr
    done = run("label", file, "--session", "s-q*", "--outcome", "healthy", "--note", "fine")
    assert labelled(file) == {"**/s-loop/*": "stuck", "s-q*": "healthy"}
    run("label", file, "--log", "**/s-loop/*", "--outcome", "undecided")
    assert labelled(file) == {"**/s-loop/*": "undecided", "s-q*": "healthy"}
    assert [entry.split for entry in read_labels(file)] == ["train", None]
    assert [entry.note for entry in read_labels(file)] == ["", "fine"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--log", "nope", "--outcome", "stuck"], "--log nope: log: 'nope' matches none of the 3"),
        (["--log", "**", "--outcome", "stcuk"], "outcome: 'stcuk' is not known: use one of stuck"),
        (["--log", "**", "--outcome", "healthy"], "healthy contradicts stuck"),
        (["--log", "**"], "add --outcome"),
        (["--outcome", "stuck"], "add --log GLOB or --session GLOB"),
        (["--outcome", "stuck", "--log", "**", "--queue"], "--outcome and --queue do different"),
        (["--split", "both"], "split: 'both' is not known"),
        (["--labels", "nowhere/labels.toml"], "nowhere: no such folder"),
        (["--queue", "--format", "parquet"], "--format parquet: unknown here"),
    ],
)
def test_bad_labels_exit_2_and_change_nothing(corpus, arguments, words):
    run("label", corpus, "--session", "s-loop", "--outcome", "stuck")
    before = (corpus / "labels.toml").read_bytes()
    done = run("label", corpus, *arguments, typed="s\n")
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr
    assert (corpus / "labels.toml").read_bytes() == before


def test_which_labels_file(corpus, tmp_path):
    log = corpus / key("s-loop")
    assert "which labels file?" in run("label", log, "--queue").stderr
    labels = tmp_path / "mine.toml"
    done = run("label", log, "--labels", labels, "--session", "*", "--outcome", "stuck")
    assert (done.exit_code, labelled(labels)) == (0, {"*": "stuck"})
    both = run("label", corpus / "labels.toml", "--labels", labels, "--queue")
    assert "two labels files are named" in both.stderr


def test_nothing_is_written_among_recorded_sessions(corpus):
    home = {"DSH_HOME": str(corpus)}
    done = run("label", corpus / "sessions", "--session", "*", "--outcome", "stuck", **home)
    assert done.exit_code == 2
    assert "nothing is written there" in done.stderr
    assert not (corpus / "sessions/labels.toml").exists()


def test_import(corpus, tmp_path):
    table = tmp_path / "labels.csv"
    table.write_text('session,outcome,note\ns-loop,stuck,\ns-quiet,healthy,"a, b"\n')
    done = run("label", corpus, "--import", table)
    assert done.exit_code == 0, done.stderr
    assert labelled(corpus / "labels.toml") == {"s-loop": "stuck", "s-quiet": "healthy"}
    table.write_text("session,outcome\ns-think,stuck\nnobody,healthy\n")
    done = run("label", corpus, "--import", table)
    assert done.exit_code == 2
    assert "line 3" in done.stderr
    assert len(labelled(corpus / "labels.toml")) == 2


@pytest.mark.parametrize(
    "rows",
    [
        "s-loop,stuck,\ns-loop,healthy,",
        "s-*,stuck,\ns-loop,healthy,",
        "s-loop,healthy,\n*,undecided,",
        "s-loop,stuck,train\ns-loop,stuck,test",
    ],
)
def test_a_table_that_contradicts_itself_is_refused_whole(corpus, tmp_path, rows):
    table = tmp_path / "labels.csv"
    table.write_text(f"session,outcome,split\n{rows}\n")
    done = run("label", corpus, "--import", table)
    assert done.exit_code == 2
    assert "line 3" in done.stderr
    assert "contradicts" in done.stderr
    assert "line 2" in done.stderr
    assert not (corpus / "labels.toml").exists()


# the queue


def test_the_queue_is_printed_most_informative_first(corpus):
    document = json.loads(run("label", corpus, "--queue", "--format", "json").stdout)
    assert [item["session"] for item in document["queue"]] == ["s-loop", "s-think", "s-quiet"]
    first = document["queue"][0]
    assert (first["figure"], first["threshold"]) == (13, 12)
    assert "the user aborted 1 turn after reasoning alone" in document["queue"][1]["hints"]
    text = run("label", corpus, "--queue").stdout
    assert "13 of 12 (108%)" in text
    assert "corpus label" in text


def test_a_filled_in_queue_can_be_imported(corpus, tmp_path):
    rows = list(csv.reader(io.StringIO(run("label", corpus, "--queue", "--format", "csv").stdout)))
    for row in rows[1:]:
        row[1] = "undecided"
    table = tmp_path / "filled.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert run("label", corpus, "--import", table).exit_code == 0
    assert "Every log" in run("label", corpus, "--queue").stdout


def test_walking_the_queue(corpus):
    file = corpus / "labels.toml"
    done = run("label", corpus, "--note", "by eye", typed="x\nS\n\nhealthy\n")
    assert done.exit_code == 0
    assert "x: not an answer" in done.stderr
    assert "labels written: 2; logs still without one: 1" in done.stderr
    assert labelled(file) == {key("s-loop"): "stuck", key("s-quiet"): "healthy"}
    assert {entry.note for entry in read_labels(file)} == {"by eye"}
    done = run("label", corpus, typed="u\n")
    assert labelled(file)[key("s-think")] == "undecided"
    assert "every log that a guard looks at has a label" in run("label", corpus, typed="").stderr


@pytest.mark.parametrize(("typed", "count"), [("q\n", 0), ("", 0), ("s\nquit\nh\n", 1), ("s\n", 1)])
def test_stopping_keeps_what_was_answered(corpus, typed, count):
    done = run("label", corpus, typed=typed)
    assert done.exit_code == 0
    file = corpus / "labels.toml"
    assert (len(labelled(file)) if file.exists() else 0) == count


def test_every_answer_is_written_at_once(corpus):
    from dsh_calibrate.logs.discovery import discover
    from dsh_calibrate.studies.label_queue import QueueItem
    from dsh_calibrate_cli.label_walk import walk
    from dsh_calibrate_cli.labels_file import LabelsFile

    file = LabelsFile(corpus / "labels.toml")
    seen = []

    def ask(question: str) -> str:
        seen.append(len(labelled(file.path)) if file.path.exists() else 0)
        return "h"

    found = discover([corpus])
    items = [QueueItem(log.key, None, "", 0, 0, 0, None, ()) for log in found.logs]
    assert walk(items, file, found, ask=ask) == 3
    assert seen == [0, 1, 2]


def test_hostile_names_reach_no_terminal(tmp_path):
    session = Session("s\x1b[31m").human().call("t\x1b[2J", {}).result("x")
    path = write_session(tmp_path, session, 4, "plain")
    path.rename(tmp_path / "a\x1b[31m.jsonl")
    for command in (["stats"], ["stats", "--show-content"], ["label", "--queue"], ["label"]):
        done = run(command[0], tmp_path, *command[1:], typed="q\n")
        assert done.exit_code == 0, done.stderr
        assert "\x1b" not in done.stdout + done.stderr
