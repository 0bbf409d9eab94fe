"""Journal lines beside a replay of the same sessions, and why they differ."""

from __future__ import annotations

from dataclasses import replace

import pytest
from explained_sessions import plan, repeated, written

from dsh_calibrate.corpora.sessions import START, Session
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.studies.journal import Fire
from dsh_calibrate.studies.journal_agreement import agree

LOOP = "Let me write. Go. OK. Emit now. " * 60


def looping() -> Session:
    session = Session("s-1").human("Go").reasoning(LOOP, size=40)
    return session.call("bash", {"command": "ls"}).result("ok")


def live(log, how) -> Fire:
    """The line that a live guard of the same settings would have written."""
    (decision,) = replay_log(log, how).guards["rlg"].decisions
    figures = decision.reasoning
    return Fire(
        "fires.jsonl",
        1,
        decision.stage,
        START + 5_000,
        figures.at_utf16,
        decision.session,
        turn=figures.turn,
        step=figures.step,
        version="0.2.0",
        thresholds=how.rlg.thresholds(),
    )


@pytest.fixture
def log(tmp_path):
    return written(tmp_path, looping())


def judged(fires, logs, how=None):
    found = agree(fires, logs, how or plan(), jobs=1)
    return [(row.verdict, row.reason) for row in found.rows]


def test_the_same_guard_agrees(log):
    fire = live(log, plan())
    assert judged([fire], [log]) == [("agrees", "")]
    assert judged([replace(fire, at_utf16=None)], [log]) == [("agrees", "")]


@pytest.mark.parametrize(
    ("change", "verdict", "reason"),
    [
        ({"at_utf16": 900}, "other_place", "other_version"),
        ({"at_utf16": 900, "version": None}, "other_place", "unexplained"),
        ({"rule": "filler-run"}, "other_rule", "other_version"),
        ({"session": "s-2"}, "not_replayed", "session_not_found"),
        ({"session": None}, "not_replayed", "place_not_told"),
        ({"step": None}, "not_replayed", "place_not_told"),
        ({"step": 7}, "not_replayed", "stream_not_in_log"),
    ],
)
def test_what_differs_is_explained(log, change, verdict, reason):
    fire = replace(live(log, plan()), **change)
    found = judged([fire], [log])
    assert found[0] == (verdict, reason)
    unmatched = verdict == "not_replayed"
    assert len(found) == 1 + unmatched
    if unmatched:
        assert found[1][0] == "not_in_journal"


def test_the_lines_own_thresholds_are_tried(log):
    fire = live(log, plan(rlg={"minChars": 1000}))
    (row,) = agree([fire], [log], plan(), jobs=1).rows
    assert (row.verdict, row.reason, row.differing) == (
        "other_place",
        "other_thresholds",
        ("minChars",),
    )
    deaf = plan(rlg={"minChars": 500_000})
    assert judged([live(log, plan())], [log], deaf) == [("not_replayed", "other_thresholds")]
    bad = replace(fire, thresholds={"minChars": -1}, version=None)
    assert judged([bad], [log])[0] == ("other_place", "unexplained")


def test_a_version_of_which_other_lines_agree_is_no_reason(log):
    fire = live(log, plan())
    odd = replace(fire, rule="filler-run", line=2)
    assert judged([odd, fire], [log])[0][0] == "not_replayed"
    assert ("agrees", "") in judged([odd, fire], [log])
    assert judged([odd, fire], [log])[0][1] == "unexplained"


def test_a_line_that_agrees_takes_its_fire_before_one_that_does_not(log):
    fire = live(log, plan())
    assert [v for v, _ in judged([fire, replace(fire, at_utf16=5)], [log])] == [
        "agrees",
        "not_replayed",
    ]


def test_damage_and_blocks_without_pieces(tmp_path):
    log = written(tmp_path / "a", looping())
    fire = live(log, plan())
    cut = log.path.read_bytes().split(b"\n")
    log.path.write_bytes(b"\n".join([*cut[:4], b"no json", b""]))
    assert judged([fire], [log])[0] == ("not_replayed", "log_incomplete")
    blocks = Session("s-1").human("Go").reasoning(LOOP, granular=False)
    whole = written(tmp_path / "b", blocks)
    assert judged([replace(fire, at_utf16=900)], [whole])[0][1] == "no_pieces"


def test_fires_that_the_journal_lacks(tmp_path, log):
    assert judged([], [log]) == [("not_in_journal", "before_journal")]
    late = Fire("f", 1, "filler-run", START + 10, session="s-9", turn=1, step=1)
    early = replace(late, at=START - 10)
    assert judged([late], [log])[1] == ("not_in_journal", "before_journal")
    assert judged([early], [log])[1] == ("not_in_journal", "unexplained")
    quiet = written(tmp_path / "q", repeated(1))
    assert judged([], [quiet]) == []
