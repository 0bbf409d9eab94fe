"""Stages that can never speak are named, with the reason, and really never speak."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_stories import STORIES, brute_force, told, written

from dsh_calibrate.calibrate.candidates import grid
from dsh_calibrate.calibrate.pareto import frontier
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.calibrate.reachability import Period, dead, observed_periods
from dsh_calibrate.calibrate.sweeping import How, measure_for
from dsh_calibrate.corpora.sessions import Session

ALL = "{exact,cmd,net,sink,host}"


def named(*texts, periods=()):
    (one,) = grid([parse_axis(text) for text in texts], {}, "0.8")
    return [str(found) for found in dead(one, one.guards, periods)]


@pytest.mark.parametrize(
    ("texts", "key", "words"),
    [
        (["rtb.warnAt=18"], "rtb.warnAt=18", "above window + 1 (17)"),
        (["rtb.summarizeAt=16"], "rtb.summarizeAt=16", "at or above every cap"),
        (["rtb.summarizeAt=12"], "rtb.summarizeAt=12", "lowest cap"),
        ([f"rtb.limits.{ALL}=6"], "rtb.warnAt=7", "host at 6"),
        (["rtb.limits.host=18"], "rtb.limits.host=18", "above window + 1"),
        (["rtb.failWarnAt=6"], "rtb.failWarnAt=6", "above failLimit (5)"),
        (["rtb.warnAt=11"], "rtb.warnAt=11", "summarizeAt is the same"),
        (["rlg.minUnits=151"], "rlg.minUnits=151", "periodTail / minPeriod"),
        (["rlg.fillerRun=4097"], "rlg.fillerRun=4097", "(window)"),
    ],
)
def test_dead_stages(texts, key, words):
    assert any(line.startswith(f"{key}:") and words in line for line in named(*texts))


@pytest.mark.parametrize(
    "texts",
    [["rtb.warnAt=7"], ["rtb.limits.host=17"], ["rtb.failWarnAt=5"], ["rlg.minUnits=150"]],
)
def test_what_can_be_reached_is_not_named(texts):
    assert named(*texts) == []


@pytest.mark.parametrize(("period", "ceiling"), [(2, 9), (3, 6), (4, 5)])
def test_a_loop_ends_at_its_ceiling(tmp_path, period, ceiling):
    """cases.md C01: a window of 16 holds at most 8 of each of two alternating calls."""
    session = Session("s-1").human("Go")
    for k in range(40):
        session.call("bash", {"command": f"ls {'abcd'[k % period]}"}).result("ok")
    logs = written(tmp_path, [session])
    sets = grid([parse_axis("rtb.warnAt=[7]")], {}, "0.8")
    with measure_for(logs, sets, ("rtb",), How(), jobs=1) as facts:
        found = observed_periods(facts)
        assert facts.frame("measures").filter(measure="exact")["next"].max() == ceiling
    assert [(p.period, p.sessions, p.ceiling(16)) for p in found] == [(period, 1, ceiling)]
    assert "cmd" in found[0].measures
    lines = named("rtb.warnAt=[7]", periods=found)
    assert any(f"= {ceiling}" in line and "limits.exact=12" in line for line in lines)
    assert any(line.startswith("rtb.warnAt=7:") for line in lines) == (ceiling < 7)
    assert not any("limits.host" in line for line in lines)


def test_no_period_without_a_steady_return(tmp_path):
    session = Session("s-1").human("Go")
    for k, gap in enumerate([1, 2, 3, 1, 2, 3, 1]):
        session.call("bash", {"command": "ls"}).result("ok")
        for other in range(gap):
            session.call("bash", {"command": f"cat {k} {other}"}).result("ok")
    sets = grid([parse_axis("rtb.warnAt=[7]")], {}, "0.8")
    with measure_for(written(tmp_path, [session]), sets, ("rtb",), How(), jobs=1) as facts:
        assert {p.period for p in observed_periods(facts) if "exact" in p.measures} == set()


@settings(max_examples=25, deadline=None)
@given(STORIES, st.integers(2, 19), st.integers(2, 19), st.sampled_from([2, 3, 6, 18]))
def test_a_stage_named_dead_for_all_never_speaks(story, warn, summarize, cap):
    texts = [f"rtb.warnAt={warn}", f"rtb.summarizeAt={summarize}", f"rtb.limits.{ALL}={cap}"]
    sets = grid([parse_axis(text) for text in texts], {}, "0.8")
    lines = [str(found) for found in dead(sets[0], ("rtb",))]
    with tempfile.TemporaryDirectory() as name:
        found = brute_force(written(Path(name), [told("s", story)]), sets, ("rtb",))
    for key, stage in (("warnAt", "warn"), ("summarizeAt", "summarize")):
        if any(line.startswith(f"rtb.{key}=") and "lowest cap" not in line for line in lines):
            assert all(stage not in outcome.whole.advisories for outcome in found.values())


def test_a_period_has_its_ceiling():
    assert Period(1, 1, ("exact",)).ceiling(16) == 17


def test_the_frontier_keeps_what_none_beats():
    assert frontier([(1, 1), (0, 2), (1, 2), (1, 1)]) == [0, 1, 3]
