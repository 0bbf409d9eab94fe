"""`journal`, `journal stats` and `journal agree` as a user runs them."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import START, Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

LOOP = "Secretplan to write. Go. OK. Emit now. " * 60


def run(*arguments: object, **env: str):
    words = ["journal", *map(str, arguments)]
    return CliRunner().invoke(app, words, env={"NO_COLOR": "1", **env})


def line(**fields) -> str:
    whole = {"at": START, "rule": "periodic-run", "atChars": 800, "sessionId": "s-1"}
    whole |= {"turn": 1, "step": 1, "units": 6, "period": 64, "model": "m\x1b[31m"}
    whole |= {"preview": "Secretplan to write\u202e", **fields}
    return json.dumps(whole) + "\n"


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "dsh-reasoning-loop-guard"
    folder.mkdir()
    (folder / "fires.jsonl").write_text(
        line(at=START + 90_000_000, rule="line-repeat", sessionId="s-2") + "broken\n"
    )
    (folder / "fires.jsonl.1").write_text(line())
    write_session(tmp_path / "sessions", Session("s-1").human("Go").reasoning(LOOP, size=40))
    return tmp_path


def test_list_is_the_default_and_reads_the_rotated_file(home):
    done = run("--utc", DSH_HOME=str(home))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].startswith("2026-09-22 15:13:20+00:00  line-repeat")
    assert "periodic-run: 6 units of 64, at 800 UTF-16 units, turn 1, step 1" in done.stdout
    assert lines[-1] == "   dsh-calibrate explain s-1 --guard rlg --turn 1"
    assert "passed over lines that are broken: 1" in done.stderr
    assert "2 of 2 fires" in done.stderr
    path = home / "dsh-reasoning-loop-guard" / "fires.jsonl"
    assert run(path, "--utc", DSH_HOME=str(home)).stdout == done.stdout


def test_explain_lines_say_where_the_sessions_are(home, tmp_path):
    path = home / "dsh-reasoning-loop-guard" / "fires.jsonl"
    for command in ("list", "stats"):
        done = run(command, path, DSH_HOME=str(tmp_path / "elsewhere"))
        shown = [ln.strip() for ln in done.stdout.splitlines() if "calibrate explain" in ln]
        assert shown
        assert all(text.endswith(f" --root {home / 'sessions'}") for text in shown)
    words = shown[0].replace("s-2", "s-1").split()[1:]
    explained = CliRunner().invoke(app, words)
    assert explained.exit_code == 0, explained.stderr
    far = tmp_path / "far" / "fires.jsonl"
    far.parent.mkdir()
    far.write_text(line())
    (home / "sessions").rename(tmp_path / "gone")
    assert "--root" not in run(far, DSH_HOME=str(tmp_path / "elsewhere")).stdout


def test_content_is_masked_and_never_raw(home):
    masked = run(DSH_HOME=str(home)).stdout
    shown = run("--show-content", DSH_HOME=str(home)).stdout
    assert "Secret" not in masked
    assert "Secretplan" in shown
    assert not {"\x1b", "\u202e"} & set(masked + shown)


@pytest.mark.parametrize(
    ("arguments", "sessions"),
    [
        ([], ["s-2", "s-1"]),
        (["--rule", "line-repeat,filler-run"], ["s-2"]),
        (["--session", "*-1"], ["s-1"]),
        (["--since", "2026-09-22T00:00Z"], ["s-2"]),
        (["--limit", "1"], ["s-2"]),
    ],
)
def test_filters_and_tables(home, tmp_path, arguments, sessions):
    env = {"DSH_HOME": str(home)}
    table = run("list", *arguments, "--format", "csv", **env).stdout
    assert "\x1b" not in table
    rows = list(csv.DictReader(io.StringIO(table)))
    assert [row["session"] for row in rows] == sessions
    parquet = tmp_path / "fires.parquet"
    run("list", *arguments, "--format", "parquet", "-o", parquet, **env)
    assert pl.read_parquet(parquet)["session"].to_list() == sessions
    document = json.loads(run("list", *arguments, "--format", "json", **env).stdout)
    assert [fire["session"] for fire in document["fires"]] == sessions
    assert document["journal"]["broken"] == 1


def test_the_settings_say_where_the_journal_is(home):
    (home / "elsewhere.jsonl").write_text(line(sessionId="s-9"))
    (home / "cordis.patch.yml").write_text(
        "- insert:\n    - id: reasoning-loop-guard\n      name: dsh-reasoning-loop-guard\n"
        "      config:\n        journalPath: elsewhere.jsonl\n"
    )
    assert "explain s-9" in run(DSH_HOME=str(home)).stdout


def test_stats(home):
    env = {"DSH_HOME": str(home)}
    document = json.loads(run("stats", "--utc", "--format", "json", **env).stdout)
    assert document["stats"]["by_rule"] == {"line-repeat": 1, "periodic-run": 1}
    assert document["stats"]["by_day"] == {"2026-09-21": 1, "2026-09-22": 1}
    text = run("stats", "--utc", **env).stdout
    assert "2 fires in 2 sessions, from 2026-09-21 14:13:20+00:00" in text
    assert "\x1b" not in text
    assert text.rstrip().endswith("dsh-calibrate explain s-2 --guard rlg --turn 1")


def test_agree(home):
    env = {"DSH_HOME": str(home)}
    text = run("agree", "--utc", **env).stdout
    assert "2 journal lines, 1 agree" in text
    assert "no log of that session among those given" in text
    assert "--guard rlg --seq" in text
    document = json.loads(run("agree", "--format", "json", **env).stdout)
    assert document["totals"]["verdicts"]["agrees"] == 1
    assert document["totals"]["reasons"] == {"session_not_found": 1}
    assert document["coverage"]["found"] == 1
    other = run(
        "agree",
        *("--sessions", home / "sessions", "--set", "rlg.minChars=1200", "--format", "csv"),
        **env,
    )
    rows = list(csv.DictReader(io.StringIO(other.stdout)))
    assert [(r["verdict"], r["replay_at_utf16"]) for r in rows] == [
        ("not_replayed", ""),
        ("other_place", "1200"),
    ]


def test_filters_of_agree_leave_lines_out_and_make_no_fire_unknown(home):
    env = {"DSH_HOME": str(home)}
    done = run("agree", "--rule", "line-repeat", "--format", "json", **env)
    assert json.loads(done.stdout)["totals"]["verdicts"] == {
        "agrees": 0,
        "other_place": 0,
        "other_rule": 0,
        "not_replayed": 1,
        "not_in_journal": 0,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["/no/such.jsonl"], "no such file"),
        (["--rule", "loops"], "rules: periodic-run"),
        (["--since", "sometime"], "no date or time"),
        (["agree", "--guard", "rtb"], "journal agree replays rlg"),
        (["agree", "--sessions", "/no/such"], "no such file or folder"),
    ],
)
def test_mistakes(home, arguments, message):
    done = run(*arguments, DSH_HOME=str(home))
    assert done.exit_code == 2
    assert message in done.stderr


def test_no_home(tmp_path):
    done = run(DSH_HOME=str(tmp_path / "none"))
    assert done.exit_code == 2
    assert "name the journal, or set DSH_HOME" in done.stderr
