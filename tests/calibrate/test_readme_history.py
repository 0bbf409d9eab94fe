"""The README's history, told by the tool on a corpus built for it (issue 5, "Must show")."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

CANDIDATES = """
old stages:
  rtb: {warnAt: 3, summarizeAt: 6, limits: {exact: 9, cmd: 9, net: 9, sink: 9, host: 9}}
new stages:
  rtb: {warnAt: 7, summarizeAt: 11, limits: {exact: 12, cmd: 12, net: 12, sink: 12, host: 16}}
old lines:
  rlg: {lineCount: 2, lineShare: 0}
new lines:
  rlg: {lineCount: 3, lineShare: 0.1}
"""
LABELS = """
[[label]]
session = "good-*"
outcome = "healthy"
[[label]]
session = "stuck-*"
outcome = "stuck"
"""
PARTS = ("parser", "lexer", "cache", "index", "buffer", "table", "queue", "stack", "graph", "tree")
REFRAIN = "I should check the build first.\n"


def repeating(name: str, peak: int) -> Session:
    session = Session(name).human("Fix the build.")
    for k in range(peak):
        session.call("bash", {"command": "make check"}).result(f"{peak - k} tests fail")
        session.call("edit", {"file_path": f"/work/app/f{k}.py"}).result("ok")
    return session.say("Done.")


def sentence(k: int) -> str:
    """One of many: no two are alike, none is long."""
    return (
        f"The {PARTS[k % 10]} of part {k} reads {PARTS[(k * 7 + 3) % 10]} number {k * k} "
        f"before {PARTS[(k * 3 + 1) % 10]} {k * 37 % 101}.\n"
    )


def thinking(name: str) -> Session:
    """Healthy reasoning that says one line twice, far apart."""
    text = REFRAIN + "".join(map(sentence, range(18))) + REFRAIN
    text += "".join(map(sentence, range(18, 40)))
    return Session(name).human("Think.").reasoning(text, size=40, answer="So.")


def circling(name: str) -> Session:
    """Reasoning that returns to one line over and over."""
    text = "".join(REFRAIN + sentence(k) for k in range(40))
    return Session(name).human("Think.").reasoning(text, size=40, answer="Hm.")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("history")
    good = [repeating("good-four", 4), repeating("good-six", 6), thinking("good-thought")]
    stuck = Session("stuck-loop").human("Go.")
    for _ in range(14):
        stuck.call("bash", {"command": "cat /work/app/missing.log"}).result("still empty")
    for session in (*good, stuck, circling("stuck-thought")):
        write_session(folder / "sessions", session, 4, "plain")
    (folder / "labels.toml").write_text(LABELS)
    (folder / "candidates.yaml").write_text(CANDIDATES)
    return folder


def told(folder, guard: str) -> dict[str, dict]:
    done = CliRunner().invoke(
        app,
        [
            "sweep",
            str(folder / "sessions"),
            f"--labels={folder / 'labels.toml'}",
            f"--candidates={folder / 'candidates.yaml'}",
            f"--guard={guard}",
            "--format=json",
            "--no-cache",
            "-q",
        ],
    )
    assert done.exit_code == 0, done.stderr
    return {one["name"]: one for one in json.loads(done.stdout)["sets"]}


def test_seven_eleven_twelve_against_three_six_nine(corpus):
    sets = told(corpus, "rtb,rlg")
    old, new = sets["old stages"], sets["new stages"]
    assert sum(new["advisories"].values()) < sum(old["advisories"].values())
    # The two good runs peak at 4 and 6 repeats: both at or above the old warnAt of 3.
    assert (old["healthy"]["disturbed"], new["healthy"]["disturbed"]) == (2, 0)
    assert new["healthy"]["of"] == 3
    assert old["stuck"]["caught"] == new["stuck"]["caught"] == 2  # by rlg the one, by rtb the other
    assert new["gates"] > 0


def test_three_lines_and_a_tenth_against_two_lines(corpus):
    sets = told(corpus, "rtb,rlg")
    old, new = sets["old lines"], sets["new lines"]
    assert (old["healthy"]["disturbed"], new["healthy"]["disturbed"]) == (1, 0)
    assert old["stuck"]["caught"] == new["stuck"]["caught"] == 2
    assert new["gates"] < old["gates"]


def test_derive_prefers_the_new_ones_where_sessions_are_enough(corpus, tmp_path):
    for k in range(60):
        peak = 4 if k % 2 else 6
        write_session(tmp_path / "sessions", repeating(f"good-{k:02}", peak), 4, "plain")
        if k < 6:
            stuck = Session(f"stuck-{k}").human("Go.")
            for _ in range(14):
                stuck.call("bash", {"command": f"cat /work/app/missing{k}.log"}).result("empty")
            write_session(tmp_path / "sessions", stuck, 4, "plain")
    (tmp_path / "labels.toml").write_text(LABELS)
    done = CliRunner().invoke(
        app,
        [
            "derive",
            str(tmp_path / "sessions"),
            f"--labels={tmp_path / 'labels.toml'}",
            f"--candidates={corpus / 'candidates.yaml'}",
            "--guard=rtb,rlg",
            "--format=json",
            "--no-cache",
            "-q",
        ],
    )
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["feasible"]
    by_name = {one["name"]: one for one in found["evidence"]["tested"]}
    assert not by_name["old stages"]["certified"]
    assert by_name["old stages"]["disturbed"]["count"] == 60
    assert found["evidence"]["chosen"]["name"] != "old stages"
    assert found["evidence"]["chosen"]["caught"]["count"] == 6
