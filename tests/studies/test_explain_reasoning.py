"""Judge points before a fire, and the repeat marked in the raw text."""

from __future__ import annotations

import pytest
from explained_sessions import plan, written
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.guards.reasoning_loop.config import configure
from dsh_calibrate.guards.reasoning_loop.stripping import from_units, strip, to_units
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.studies.explaining_reasoning import located, segments
from dsh_calibrate.studies.explaining_traces import trace

PROSE = "".join(f"Thought {n} is about part {n * 7}, which differs.\n" for n in range(40))
BLOCK = (
    "Rewriting the whole parser in one go is risky, so I keep the old one around for a while " * 2
)
LOOPS = {
    "periodic-run": PROSE[:900] + "Let me write. Go. OK. Emit now. " * 40,
    "line-repeat": "".join(
        f"{PROSE[n * 47 : n * 47 + 20]}\nSo I check the file again\n" for n in range(60)
    ),
    "block-repeat": "".join(f"{BLOCK} {n * 17} {PROSE[n * 31 : n * 31 + 90]} " for n in range(9)),
    "filler-run": PROSE[:900] + "." * 600,
}


def traced(folder, text, size=40, how=None):
    how = how or plan()
    session = Session("s-1").human("Go").reasoning(text, size=size)
    log = written(folder, session)
    (seen,) = trace(log, how, streams=frozenset({(0, 0)})).rlg.values()
    fires = replay_log(log, how).guards["rlg"].decisions
    return seen, (fires[0] if fires else None)


@pytest.mark.parametrize("rule", LOOPS)
@pytest.mark.parametrize("size", [8, 40, 200])
def test_points_end_where_the_guard_fires(tmp_path, rule, size):
    seen, fire = traced(tmp_path, LOOPS[rule], size)
    assert (seen.fired, fire.stage) == (rule, rule)
    assert seen.points[-1].at_utf16 == fire.reasoning.at_utf16
    assert "".join(part for part, _ in segments(seen)) == seen.text
    repeats = [part for part, repeats in segments(seen) if repeats]
    assert repeats
    if rule == "filler-run":
        assert repeats == ["." * fire.reasoning.count]
    elif rule == "periodic-run":
        assert len(repeats) == fire.reasoning.units
        assert {strip(part) for part in repeats} == {fire.reasoning.preview}
    elif rule == "line-repeat":
        assert len(repeats) == fire.reasoning.count
        assert {strip(part) for part in repeats} == {fire.reasoning.preview}
    else:
        assert len(repeats) == fire.reasoning.count
        assert all(fire.reasoning.preview.startswith(strip(part)[:20]) for part in repeats)


def test_a_quiet_stream_keeps_all_its_points_and_marks_nothing(tmp_path):
    seen, fire = traced(tmp_path, PROSE)
    assert fire is None
    assert seen.fired is None
    assert seen.spans == ()
    assert len(seen.points) > 3
    assert all(p.units < 4 for p in seen.points)


def test_a_short_stream_is_never_judged(tmp_path):
    seen, _ = traced(tmp_path, "Only a few words.")
    assert seen.points == []


@given(
    st.text(st.sampled_from("ab好😀👍🏽. \n"), min_size=1, max_size=30),
    st.integers(2, 6),
    st.sampled_from(["periodic-run", "block-repeat", "kgram-repeat", "line-repeat", "filler-run"]),
)
@settings(max_examples=200)
def test_marks_always_fit_the_text(unit, times, rule):
    config = configure(
        {"minPeriod": 2, "maxPeriod": 32, "periodTail": 64, "window": 64, "kgram": 8}
        | {"blockMin": 4, "blockCount": 2, "lineMin": 2}
    )
    raw, spans = located("x" + unit * times, rule, config)
    assert to_units(raw) == to_units("x" + unit * times)[-64:] or from_units(to_units(raw)) == raw
    done = 0
    for start, end in spans:
        assert done <= start <= end <= len(raw)
        done = end
