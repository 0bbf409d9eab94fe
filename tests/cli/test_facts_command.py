"""``facts export``, ``facts merge``, ``cache path``, ``cache clear`` as typed."""

from __future__ import annotations

import json

import polars as pl
import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(folder))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "home"))
    return folder


@pytest.fixture
def logs(tmp_path):
    root = tmp_path / "logs"
    for name in ("s-1", "s-2"):
        session = Session(name, cwd="/work/app").human("Go")
        for _ in range(8):
            session.call("bash", {"command": "make"}).result("no\n[exit code: 2]")
        write_session(root, session.say("Done."))
    return root


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def test_export_writes_tables_and_says_what_was_read(logs, tmp_path, cache):
    result = run("facts", "export", logs, "-o", tmp_path / "facts")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    assert "2 logs found: 2 read" in result.stderr
    assert "2 logs, 16 calls, 0 streams" in result.stderr
    assert pl.read_parquet(tmp_path / "facts" / "calls.parquet").height == 16
    assert len(list(cache.iterdir())) == 4
    before = {p.name: p.read_bytes() for p in (tmp_path / "facts").iterdir()}
    again = run("facts", "export", logs, "-o", tmp_path / "facts", "-q", "--no-cache", "--jobs", 2)
    assert (again.exit_code, again.stderr) == (0, "")
    assert {p.name: p.read_bytes() for p in (tmp_path / "facts").iterdir()} == before


def test_mask_settings_and_guards(logs, tmp_path):
    result = run(
        *("facts", "export", logs, "-o", tmp_path / "facts", "--mask", "--guard", "rtb"),
        *("--set", "rtb.window=5"),
    )
    assert result.exit_code == 0, result.stderr
    texts = pl.read_parquet(tmp_path / "facts" / "fingerprints.parquet")["text"]
    assert texts.null_count() == len(texts) > 0
    measures = pl.read_parquet(tmp_path / "facts" / "measures.parquet")
    assert measures["next"].max() == 6  # five in the window, and this one
    manifest = json.loads((tmp_path / "facts" / "facts.json").read_text())
    assert manifest["masked"] is True
    assert manifest["feeding"]["rtb"]["window"] == 5
    assert manifest["feeding"]["tfb"] is None


def test_no_cache_leaves_the_folder_alone(logs, tmp_path, cache):
    assert run("facts", "export", logs, "-o", tmp_path / "facts", "--no-cache").exit_code == 0
    assert not cache.exists()


def test_a_cache_that_cannot_be_used_is_a_warning(logs, tmp_path, cache):
    cache.write_text("a file")
    result = run("facts", "export", logs, "-o", tmp_path / "facts")
    assert result.exit_code == 0
    assert "going on without" in result.stderr


def test_merge_of_shards(logs, tmp_path):
    parts = []
    for name in ("s-1", "s-2"):
        part = tmp_path / f"part-{name}"
        assert run("facts", "export", logs, "--session", name, "-o", part).exit_code == 0
        parts.append(part)
    assert run("facts", "export", logs, "-o", tmp_path / "whole").exit_code == 0
    result = run("facts", "merge", *parts, parts[0], "-o", tmp_path / "merged")
    assert result.exit_code == 0, result.stderr
    assert "2 logs, 16 calls" in result.stderr
    for path in (tmp_path / "whole").iterdir():
        assert (tmp_path / "merged" / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("merge", "{t}/none", "-o", "{t}/out"), "facts.json is missing"),
        (("export", "{t}/none", "-o", "{t}/out"), "no such file or folder"),
        (("export", "{t}/logs", "-o", "{t}/logs"), "holds other files"),
        (("export", "{t}/logs", "-o", "{t}/out", "--set", "rtb.window=1"), "rtb.window"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(logs, tmp_path, words, said):
    result = run("facts", *(word.format(t=tmp_path) for word in words))
    assert result.exit_code == 2
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("dsh-calibrate: ")
    assert said in last
    assert "Traceback" not in result.stderr


def test_cache_path_and_clear(logs, tmp_path, cache):
    assert run("cache", "path").stdout == f"{cache}\n"
    run("facts", "export", logs, "-o", tmp_path / "facts", "-q")
    result = run("cache", "clear")
    assert result.exit_code == 0
    assert result.stderr.startswith("4 entries removed")
    assert list(cache.iterdir()) == []
    assert run("cache", "clear").stderr.startswith("0 entries removed")
