"""``--shard I/N`` as typed, and what shards add up to."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for number in range(8):
        session = Session(f"s-{number}", cwd="/work/app").human("Go")
        for _ in range(number + 3):
            session.call("bash", {"command": "make"}).result("no\n[exit code: 2]")
        write_session(folder, session.say("Done."))
    return folder


@pytest.fixture(scope="module")
def lonely(tmp_path_factory):
    """A root with one log, and a shard of it that is empty."""
    folder = tmp_path_factory.mktemp("lonely")
    session = Session("s-1", cwd="/work/app").human("Go")
    write_session(folder, session.call("bash", {"command": "ls"}).result("a").say("Done."))
    found = [
        f"{number}/2"
        for number in (1, 2)
        if document("replay", folder, "--shard", f"{number}/2")["coverage"]["found"] == 0
    ]
    assert len(found) == 1
    return folder, found[0]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def document(*arguments):
    result = run(*arguments, "--format", "json", "-q")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def bytes_below(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


@pytest.mark.parametrize("of", [1, 2, 5])
def test_exports_of_all_shards_merge_to_the_export_of_everything(root, tmp_path, of):
    assert run("facts", "export", root, "-o", tmp_path / "whole").exit_code == 0
    parts = [tmp_path / f"part-{number}" for number in range(1, of + 1)]
    for number, part in enumerate(parts, 1):
        result = run("facts", "export", root, "--shard", f"{number}/{of}", "-o", part)
        assert result.exit_code == 0
        assert f"shard {number}/{of}: " in result.stderr
    assert run("facts", "merge", *reversed(parts), "-o", tmp_path / "merged").exit_code == 0
    assert bytes_below(tmp_path / "merged") == bytes_below(tmp_path / "whole")


def test_the_figures_of_all_shards_add_up_and_each_names_itself(root):
    whole = document("replay", root)
    parts = [document("replay", root, "--shard", f"{number}/3") for number in (1, 2, 3)]
    assert "shard" not in whole["coverage"]
    for number, part in enumerate(parts, 1):
        coverage = part["coverage"]
        assert coverage["shard"] == f"{number}/3"
        assert coverage["found"] + coverage["other_shards"] == 8
    for name in ("calls", "results", "lifecycles"):
        assert sum(part["totals"][name] for part in parts) == whole["totals"][name]
    keys = sorted(log["log"] for part in parts for log in part["logs"])
    assert keys == [log["log"] for log in whole["logs"]]


def test_a_selection_is_made_before_the_shards_are(root):
    parts = [document("replay", root, "--last", 3, "--shard", f"{n}/2") for n in (1, 2)]
    assert sum(part["coverage"]["found"] for part in parts) == 3


@pytest.mark.parametrize("shard", ["0/2", "3/2", "x", "1"])
def test_what_is_no_shard_is_one_line(root, shard):
    result = run("replay", root, "--shard", shard)
    assert result.exit_code == 2
    assert "write I/N with I from 1 to N" in result.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    "command",
    [
        ["replay"],
        ["replay", "--format", "jsonl"],
        ["failures"],
        ["reasoning"],
        ["corpus", "stats"],
        ["allowlist", "scan"],
        ["allowlist", "candidates"],
        ["compare", "--a", "rtb=0.5.2", "--b", "rtb=0.8"],
        ["sweep", "--over", "rtb.limits.exact=3..4"],
        ["report"],
    ],
    ids=" ".join,
)
def test_a_shard_without_a_log_is_no_error(lonely, command):
    folder, shard = lonely
    result = run(*command, folder, "--shard", shard)
    assert result.exit_code == 0, result.stderr
    assert f"shard {shard}: 0 of 1 log; the others" in result.stderr


def test_a_report_says_that_it_is_a_part(root):
    whole, part = run("report", root), run("report", root, "--shard", "1/2")
    assert "shard 1/2" in part.stdout
    assert "shard" not in whole.stdout
