"""What the tables hold, column by column, and that other tools open them as they are."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest
from measured import TABLE_NAMES, plan, written

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.facts import TABLES, Facts, collect
from dsh_calibrate.facts.limits import fingerprint_id
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.plan import Plan

DOCUMENT = Path(__file__).parents[2] / "docs" / "facts.md"


def story(name="s-1"):
    session = Session(name, cwd="/work/app").human("Go")
    for _ in range(2):
        session.call("bash", {"command": "curl -s https://api.example.org/x"})
        session.result("curl: (6) no host\n[exit code: 6]")
    session.call("bash", {"command": "curl -s https://api.example.org/x"}).result("fine")
    session.call("todo_write", {"todos": []}).result("ok")
    session.human("Again").call("bash", {"command": "make"}).result("Error: gone", error=True)
    session.reasoning("The same words once more, and again. " * 50)
    session.end_turn("aborted", abort="user")
    return session.resume().human("On").call("read", {"file_path": "/a"})


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("facts")
    logs = written(folder / "logs", [story("s-1"), story("s-2").human("Stop")])
    return collect(logs, plan(), jobs=1, folder=folder / "tables")


def test_tables_are_named_and_every_column_is_explained():
    assert tuple(TABLES) == TABLE_NAMES
    for table in TABLES.values():
        names = [column.name for column in table.columns]
        assert len(set(names)) == len(names)
        assert names[0] == "log"
        assert set(table.key) <= set(names)
        for column in table.columns:
            assert column.meaning.endswith("."), f"{table.name}.{column.name}"


def test_the_document_tells_every_table_and_column():
    text = DOCUMENT.read_text(encoding="utf-8")
    told = {}
    for part in re.split(r"^### ", text, flags=re.M)[1:]:
        name = part.split("\n")[0].strip("` ")
        told[name] = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]*) \| (.+) \|$", part, flags=re.M)
    assert told == {
        table.name: [
            (c.name, str(c.type).replace("|", "\\|"), c.unit or "–", c.meaning.replace("|", "\\|"))
            for c in table.columns
        ]
        for table in TABLES.values()
    }


@pytest.mark.parametrize("name", TABLE_NAMES)
def test_files_have_the_documented_schema_and_open_in_polars_and_duckdb(facts, name):
    path = facts.folder / f"{name}.parquet"
    schema = pq.read_schema(path)
    assert schema.equals(TABLES[name].schema)
    assert schema.field(0).metadata[b"meaning"]
    rows = pl.read_parquet(path)
    connection = duckdb.connect()
    ((count,),) = connection.execute("select count(*) from read_parquet(?)", [str(path)]).fetchall()
    told = connection.execute("describe select * from read_parquet(?)", [str(path)]).fetchall()
    columns = [column.name for column in TABLES[name].columns]
    assert [row[0] for row in told] == rows.columns == columns
    assert count == rows.height
    key = list(TABLES[name].key)
    assert rows.select(key).is_duplicated().sum() == 0


def test_logs_say_how_many_rows_the_other_tables_have(facts):
    for row in facts.frame("logs").to_dicts():
        for name in TABLE_NAMES[1:]:
            rows = facts.frame(name).filter(pl.col("log") == row["log"]).height
            assert row[f"rows_{name}"] == rows, name


def test_counts_streaks_and_resets(facts):
    rows = facts.vectors().filter(pl.col("log").str.contains("s-1")).to_dicts()
    fetch = [r for r in rows if "host" in r["measure"]]
    assert [r["call"] for r in fetch] == [0, 1, 2]
    assert [set(r["next"]) for r in fetch] == [{1}, {2}, {3}]
    assert [set(r["streak"]) for r in fetch] == [{0}, {1}, {2}]
    assert [set(r["streak_after"]) for r in fetch] == [{1}, {2}, {0}]
    assert [r["refused"] for r in fetch] == [True] * 3
    # Uncapped measures are there too, in order of emission.
    assert fetch[0]["measure"] == [
        "exact",
        "verb",
        "family",
        "cmd",
        "net",
        "site",
        "host",
    ]
    assert [r["tool"] for r in rows] == ["bash", "bash", "bash", "bash", "read"]
    assert [r["resets"] for r in rows] == [1, 1, 1, 2, 1]
    read = rows[-1]
    assert (read["lifecycle"], read["call"], read["result_line"]) == (1, 0, None)
    assert read["streak_after"] == [None]


def test_results_and_calls(facts):
    results = facts.frame("results").filter(pl.col("log").str.contains("s-1")).to_dicts()
    assert [(r["failure"], r["detail"], r["settles"]) for r in results] == [
        ("exit", "6", True),
        ("exit", "6", True),
        (None, None, True),
        (None, None, False),
        ("error", "", True),
    ]
    calls = facts.frame("calls").filter(pl.col("log").str.contains("s-1")).to_dicts()
    assert [c["rtb_tracked"] for c in calls] == [True, True, True, False, True, True]
    assert [c["rtr_run"] for c in calls] == [1, 2, 3, None, 1, None]
    assert [c["result_line"] for c in calls[:-1]] == [r["line"] for r in results]


def test_log_row(facts):
    row = facts.frame("logs").to_dicts()[0]
    expected = {
        "session": "s-1",
        "status": "read",
        "project": "app",
        "version": 4,
        "top_level": True,
        "human_turns": 3,
        "resets_after_abort": 1,
        "lifecycles": 2,
        "streams": 1,
        "reasoning_utf16": 37 * 50,
        "rtb_tracked": 5,
        "tfb_tracked": 6,
        "turns_user_aborted": 1,
        "aborts_in_reasoning": 1,
        "error_results": 1,
        "rlg_fires": 0,
    }
    assert {name: row[name] for name in expected} == expected
    assert row["model"] == facts.frame("streams")["model"][0]


def test_fingerprints_are_hashed_and_told_once_a_log(facts):
    rows = facts.frame("fingerprints").to_dicts()
    assert all(r["fp"] == fingerprint_id(r["text"]) for r in rows)
    assert all(r["text"].startswith(f"{r['measure']}:") for r in rows)
    assert set(facts.frame("measures")["fp"]) == {r["fp"] for r in rows}
    assert fingerprint_id("exact:\ud800") != fingerprint_id("exact:\\ud800")


def test_decisions_are_those_of_the_replay(tmp_path):
    session = Session("s-1").human("Go")
    for _ in range(14):
        session.call("bash", {"command": "make"}).result("no\n[exit code: 2]")
    (log,) = written(tmp_path, [session])
    how = plan()
    with collect([log], how, jobs=1) as facts:
        rows = facts.frame("decisions").to_dicts()
        names = ("guard", "call", "line", "verdict", "stage", "ran", "divergence", "exact")
        live = replay_log(log, how).decisions
        assert [[r[n] for n in names] for r in rows] == [
            [getattr(d, n) for n in names] for d in live
        ]
        assert [r["count"] for r in rows] == [d.hits[0].count for d in live]
        assert [len(r["hits"]) for r in rows] == [len(d.hits) for d in live]
        assert facts.coverages()[log.key] == replay_log(log, how).coverage


def test_guards_that_do_not_run_leave_nothing_and_reasoning_is_not_read(tmp_path):
    logs = written(tmp_path, [story()])
    with collect(logs, Plan(tfb=plan().tfb), jobs=1, decisions=False) as facts:
        assert facts.frame("measures").height == facts.frame("judgements").height == 0
        calls = facts.frame("calls")
        assert calls["rtb_tracked"].null_count() == calls["rtr_run"].null_count() == calls.height
        assert calls["tfb_chain"].to_list() == [0] * 6
        assert facts.frame("decisions").height == 0
        assert facts.manifest.deciding is None


def test_hostile_values_are_stored_all_the_same(tmp_path):
    session = (
        Session("s-1").human("Go").call("bash", '{"command":"echo \\ud800"}').result("\\ud800")
    )
    (log,) = written(tmp_path, [session])
    text = log.path.read_text(encoding="utf-8")
    assert '"time":' in text
    huge = re.sub(
        r'"type":"tool/call","seq":(\d+),"time":\d+',
        r'"type":"tool/call","seq":\1,"time":9e99',
        text,
    )
    log.path.write_text(huge, encoding="utf-8")
    assert list(read_log(log))
    with collect([log], plan(), jobs=1) as facts:
        (shown,) = facts.frame("fingerprints").filter(measure="exact")["text"]
        assert "\\ud800" in shown
        assert facts.frame("calls").height == 1


def test_an_older_folder_of_facts_is_told(facts, tmp_path):
    from dsh_calibrate.errors import UsageError

    with pytest.raises(UsageError, match=r"facts\.json is missing"):
        Facts.open(tmp_path)
    (tmp_path / "facts.json").write_text(
        (facts.folder / "facts.json")
        .read_text()
        .replace('"schema_version": 1', '"schema_version": 99')
    )
    with pytest.raises(UsageError, match="schema 99"):
        Facts.open(tmp_path)
