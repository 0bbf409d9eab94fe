"""Sums over sessions: the history that led to the shipped thresholds, labels, asks, slices."""

from __future__ import annotations

import pytest
from sweep_stories import LOOP, written

from dsh_calibrate.calibrate.candidates import from_file, grid, in_force, with_pieces
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.calibrate.reasoning_sweep import closeness
from dsh_calibrate.calibrate.sweeping import How, measure_for, sweep
from dsh_calibrate.calibrate.sweeping_figures import compared, figures, first_caught, sliced
from dsh_calibrate.corpora.labels import Label, Labels
from dsh_calibrate.corpora.sessions import Session

HISTORY = """
old: {rtb: {warnAt: 3, summarizeAt: 6, limits: {exact: 9, cmd: 9, net: 9, sink: 9, host: 9}}}
new: {rtb: {warnAt: 7, summarizeAt: 11, limits: {host: 16}}}
"""


def fetching(name, calls, *, provider="one"):
    """A run that fetches ``calls`` different pages of one host."""
    session = Session(name, cwd=f"/work/{name}", provider=provider).human("Go")
    for k in range(calls):
        session.call("web_fetch", {"url": f"https://docs.example.org/p{k}"}).result("ok")
    return session


def stuck(name, calls=20):
    session = Session(name, provider="two").human("Go")
    for _ in range(calls):
        session.call("bash", {"command": "make"}).result("ok")
    return session


def labelled(logs):
    outcomes = {log.key: "stuck" if "stuck" in log.key else "healthy" for log in logs}
    return Labels({key: Label(outcome) for key, outcome in outcomes.items()})


def test_the_retune_is_quieter_and_still_catches_the_stuck_run(tmp_path):
    logs = written(tmp_path / "s", [fetching("good-1", 5), fetching("good-2", 6), stuck("stuck")])
    file = tmp_path / "history.yaml"
    file.write_text(HISTORY)
    sets = from_file(file, {}, "0.8")
    with measure_for(logs, sets, ("rtb",), How(), jobs=1) as facts:
        found = sweep(facts, logs, sets, ("rtb",), How(), jobs=1)
    labels, sessions = labelled(logs), found.counted()
    old, new = (figures(found, k, sessions, labels, exact=True) for k in (0, 1))
    assert (old.healthy.count, new.healthy.count, new.healthy.of) == (2, 0, 2)
    assert (old.stuck.count, new.stuck.count, new.stuck.of) == (1, 1, 1)
    whole = [figures(found, k, sessions, labels, exact=False).tally.advised for k in (0, 1)]
    assert whole[0] > whole[1]
    assert [c.call for k in (0, 1) for c in first_caught(found, k, sessions, labels)] == [2, 6]
    test = compared(found, 0, 1, sessions, exact=True)
    assert (test.disturbed.a, test.disturbed.b, test.disturbed.alike) == (2, 0, 1)
    assert test.advisories.value == pytest.approx(-2 / 3)


def test_asks_are_told_per_session(tmp_path):
    sessions = [stuck(f"stuck-{k}", 12 if k else 20) for k in range(3)] + [fetching("good", 2)]
    logs = written(tmp_path, sessions)
    sets = grid([parse_axis("rtb.onLimit=[ask,deny]")], {}, "0.8")
    with measure_for(logs, sets, ("rtb",), How(), jobs=1) as facts:
        found = sweep(facts, logs, sets, ("rtb",), How(), jobs=1)
    asked, denied = (figures(found, k, found.counted(), None, exact=False) for k in (0, 1))
    assert (asked.tally.asks, asked.asks_mean, asked.asks_p95, asked.asks_max) == (3, 0.75, 1, 1)
    assert (denied.tally.asks, denied.tally.gates, denied.gated.count) == (0, 11, 3)
    assert asked.tally.blocked_calls == asked.tally.gates == 11
    assert asked.tally.by_measure["exact"][1] == 11


def test_slices_divide_the_sessions(tmp_path):
    sessions = [fetching("good", 3), stuck("stuck"), fetching("other", 3, provider="two")]
    for session in sessions:
        session.reasoning("Let me see.").say("Done.")
    logs = written(tmp_path, sessions)
    sets = [in_force({}, "0.8")]
    with measure_for(logs, sets, ("rtb",), How(), jobs=1, with_models=True) as facts:
        found = sweep(facts, logs, sets, ("rtb",), How(), jobs=1)
    sizes = {k: len(v) for k, v in sliced(found.counted(), "provider").items()}
    assert sizes == {"one": 1, "two": 2}
    assert list(sliced(found.counted(), "project")) != [""]
    assert list(sliced(found.counted(), "format")) == ["4"]


def reasoning_corpus(tmp_path):
    looping = Session("stuck").human("Go").reasoning(LOOP * 60, size=40).say("Done.")
    twice = "I look at the very same line again and again here.\n" + "A sentence of its own. "
    healthy = Session("good").human("Go")
    healthy.reasoning(
        "".join(twice + f"Then number {k} of {k * k}, which is new.\n" for k in range(2))
        + "".join(f"Point {k} differs from point {k * 7}.\n" for k in range(40)),
        size=40,
    ).say("Done.")
    return written(tmp_path, [looping, healthy])


def test_margins_and_curves_of_reasoning(tmp_path):
    logs = reasoning_corpus(tmp_path)
    sets = [in_force({}, "0.8"), *grid([parse_axis("rlg.lineCount=2..3")], {}, "0.8")]
    with measure_for(logs, sets, ("rlg",), How(), jobs=1) as facts:
        found = sweep(facts, logs, sets, ("rlg",), How(), jobs=1)
        close = closeness(facts, sets[0].rlg, [log.key for log in logs], labelled(logs))
    by_key = {c.key: c for c in close}
    assert max(c.lowest_positive or 0 for c in close) >= 1
    assert all(c.highest_negative < 1 for c in close if c.key != "lineShare")
    for one in close:
        streams = [point.streams for point in one.curve]
        assert streams == sorted(streams, reverse=True)
        assert any(point.value == one.threshold for point in one.curve)
    in_force_fires = [s for s in found.sessions if found.of_set(0, s.log)]
    assert len(in_force_fires) == 1
    assert by_key["minUnits"].rule == "periodic-run"


def test_every_point_of_a_curve_counts_the_streams_that_the_rule_holds_in(tmp_path):
    logs = reasoning_corpus(tmp_path)
    base = in_force({}, "0.8")
    with measure_for(logs, [base], ("rlg",), How(), jobs=1) as facts:
        close = closeness(facts, base.rlg, [log.key for log in logs], None)
        rows = facts.frame("judgements").rows(named=True)
    config = base.rlg
    holds = {
        "minUnits": lambda row, least: row["units"] >= least,
        "blockCount": lambda row, least: (
            row["block_count"] >= least and row["stripped_utf16"] >= config.block_min * least
        ),
        "lineCount": lambda row, least: (
            row["line_count"] >= least and row["line_share"] >= config.line_share
        ),
        "lineShare": lambda row, least: (
            row["line_count"] >= config.line_count and row["line_share"] >= least
        ),
        "kgramThreshold": lambda row, least: row["kgram_count"] >= least,
        "fillerRun": lambda row, least: row["filler_run"] >= least,
    }
    assert any(row["line_count"] < config.line_count for row in rows)
    for one in close:
        for point in one.curve:
            held = [row for row in rows if holds[one.key](row, point.value)]
            streams = {(row["log"], row["lifecycle"], row["stream"]) for row in held}
            assert point.streams == len(streams), (one.key, point)
            assert point.sessions == len({log for log, _, _ in streams}), (one.key, point)


@pytest.mark.parametrize("size", [1, 40, 5000])
def test_pieces_cut_anew_are_an_upper_bound(tmp_path, size):
    logs = reasoning_corpus(tmp_path)
    sets = with_pieces([in_force({}, "0.8")], [size])
    with measure_for(logs, sets, ("rlg",), How(), jobs=1) as facts:
        found = sweep(facts, logs, sets, ("rlg",), How(), jobs=1)
    whole = figures(found, 0, found.counted(), labelled(logs), exact=False)
    exact = figures(found, 0, found.counted(), labelled(logs), exact=True)
    assert (whole.stuck.count, whole.healthy.count, exact.stuck.count) == (1, 0, 0)
