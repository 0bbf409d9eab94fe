"""A sweep gives what a replay of every log under every set gives (issue 5, item 3)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweep_stories import LOOP, STORIES, brute_force, told, written

from dsh_calibrate.calibrate.candidates import grid, in_force
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.calibrate.sweeping import How, measure_for, sweep
from dsh_calibrate.calibrate.sweeping_outcomes import SILENT
from dsh_calibrate.corpora.sessions import Session

GUARDS = ("rtb", "tfb", "rtr", "rlg")
AXES = {
    "rtb": (
        "rtb.warnAt=[null,2,3,5]",
        "rtb.summarizeAt=[2,4,17]",
        "rtb.failWarnAt=1..3",
        "rtb.failLimit=[null,2,3]",
        "rtb.limits.{exact,cmd}=[2,3,5,12]",
        "rtb.limits.site=[null,2.5]",
        'rtb.limits."verb:curl"=[null,3]',
        "rtb.onLimit=[ask,deny]",
        "rtb.window=[4,16]",
        "rtb.blockShellHttp=[true,false]",
    ),
    "tfb": ("tfb.maxFailures=1..4", "tfb.exclude=[[],[bash]]"),
    "rtr": ("rtr.thresholds=[[2],[2,3],[3,5,8]]",),
    "rlg": (
        "rlg.minUnits=[3,4,40]",
        "rlg.blockCount=[2,4,9]",
        "rlg.lineCount=2..4",
        "rlg.lineShare=[0.05,0.1,1]",
        "rlg.kgramThreshold=[2,12]",
        "rlg.fillerRun=[50,400]",
        "rlg.minChars=[200,800]",
        "rlg.enabled=[true,false]",
    ),
}


@st.composite
def grids(draw):
    """A guard and a few of its axes, 16 sets at most."""
    guard = draw(st.sampled_from(GUARDS))
    chosen = draw(st.lists(st.sampled_from(AXES[guard]), min_size=1, max_size=3, unique=True))
    sets = grid([parse_axis(text) for text in chosen], {}, "0.8")
    return guard, draw(st.permutations(sets))[:16]


def swept(logs, sets, guards, how):
    with measure_for(logs, sets, guards, how, jobs=1) as facts:
        found = sweep(facts, logs, sets, guards, how, jobs=1)
    return {
        (number, guard, log.key): outcome
        for number in range(len(sets))
        for guard in guards
        for log in logs
        if (outcome := found.outcome(number, guard, log.key)) != SILENT
    }


@settings(max_examples=60, deadline=None)
@given(
    st.lists(STORIES, min_size=1, max_size=2),
    grids(),
    st.sampled_from([0, 2, 3, 4]),
    st.sampled_from(["decline", "approve", "recorded"]),
    st.sampled_from(["measure", "enforce"]),
)
def test_a_sweep_equals_brute_force(stories, chosen, version, operator, block):
    guard, sets = chosen
    how = How(operator=operator, shell_http=block)
    with tempfile.TemporaryDirectory() as name:
        sessions = [told(f"s-{k}", story) for k, story in enumerate(stories)]
        logs = written(Path(name), sessions, version=version)
        expected = brute_force(logs, sets, (guard,), operator=operator, shell_http=block)
        assert swept(logs, sets, (guard,), how) == expected


@pytest.mark.parametrize("jobs", [1, 2])
def test_all_guards_together_whatever_the_processes(tmp_path, jobs):
    looping = Session("s-loop").human("Go").reasoning(LOOP * 40, size=50)
    for _ in range(14):
        looping.call("bash", {"command": "make"}).result("no\n[exit code: 2]")
    failing = Session("s-fail").human("Go")
    for _ in range(5):
        failing.call("read", {"file_path": "/a"}).result("Error: gone", error=True)
    logs = written(tmp_path, [looping, failing])
    axes = [parse_axis("rtb.limits.{exact,cmd}=4..8:2"), parse_axis("tfb.maxFailures=[2,9]")]
    sets = [in_force({}, "0.8"), *grid(axes, {}, "0.8")]
    with measure_for(logs, sets, GUARDS, How(), jobs=jobs) as facts:
        found = sweep(facts, logs, sets, GUARDS, How(), jobs=jobs)
    expected = brute_force(logs, sets, GUARDS)
    assert {k for k in expected if k[1] == "tfb"}
    for number in range(len(sets)):
        for guard in GUARDS:
            for log in logs:
                outcome = expected.get((number, guard, log.key), SILENT)
                assert found.outcome(number, guard, log.key) == outcome


@settings(max_examples=40, deadline=None)
@given(STORIES, st.sampled_from(["decline", "approve", "recorded"]), st.integers(2, 5))
def test_stages_share_the_replay_of_a_gate(story, operator, cap):
    calls = [("call", k % 3 % 2, "fail" if k % 2 else "ok") for k in range(10)]
    axes = (
        "rtb.warnAt=[2,3]",
        "rtb.{summarizeAt,failWarnAt}=[null,2,4]",
        f"rtb.limits.{{exact,cmd}}=[{cap}]",
    )
    sets = grid([parse_axis(text) for text in axes], {}, "0.8")
    with tempfile.TemporaryDirectory() as name:
        logs = written(Path(name), [told("s-1", calls + story)])
        expected = brute_force(logs, sets, ("rtb",), operator=operator)
        assert swept(logs, sets, ("rtb",), How(operator=operator)) == expected
        assert expected


def test_what_the_recording_stopped_itself_stays_exact(tmp_path):
    story = [("call", 0, "ok")] * 2 + [("call", 0, "denied")] * 2 + [("call", 2, "ok")] * 2
    logs = written(tmp_path, [told("s-1", story)])
    axes = ("rtb.{warnAt,summarizeAt}=[null,2,17]", "rtb.limits.{exact,cmd}=[3]")
    sets = grid([parse_axis(text) for text in axes], {}, "0.8")
    found = swept(logs, sets, ("rtb",), How())
    assert found == brute_force(logs, sets, ("rtb",))
    (key,) = {log.key for log in logs}
    assert found[0, "rtb", key].exact.gates == 2
    assert found[1, "rtb", key].exact.gates == 0
