"""What a trace tells of a call is what the replay decided on: counts, window, commits."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from explained_sessions import plan, plans, repeated, sessions, written
from hypothesis import given, settings

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.logs.events import Call
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.studies.explaining import Selector, explain, find
from dsh_calibrate.studies.explaining_traces import trace
from dsh_calibrate.studies.timeline import timeline


def explained(folder, session, how, **selector):
    found = timeline(written(folder, session), how)
    return explain(found, find(found, Selector(**selector), how.guards), how)


def all_calls(log):
    lifecycle, ordinals = 0, []
    for event in read_log(log, reasoning=False):
        lifecycle = getattr(event, "number", lifecycle)
        if isinstance(event, Call):
            ordinals.append((lifecycle, event.index))
    return frozenset(ordinals)


@given(sessions(), plans())
@settings(max_examples=60)
def test_traces_hold_the_numbers_behind_every_decision(session, how):
    with tempfile.TemporaryDirectory() as folder:
        log = written(Path(folder), session)
        outcome = replay_log(log, how)
        traces = trace(log, how, calls=all_calls(log))
    for decision in outcome.decisions:
        ordinal = (decision.lifecycle, decision.call)
        if decision.guard in ("tfb", "rtr"):
            seen = (traces.tfb if decision.guard == "tfb" else traces.rtr)[ordinal]
            assert seen.count == decision.hits[0].count
        elif decision.verdict != "refuse":
            found = {m.fingerprint: m for m in traces.rtb[ordinal].measures}
            for hit in decision.hits:
                measure = found[hit.fingerprint]
                if hit.track == "repeat":
                    assert measure.count == hit.count
                elif decision.verdict == "advise":
                    assert measure.streak_after == hit.count
                else:
                    assert measure.streak == hit.count
            assert traces.rtb[ordinal].ran is decision.ran


@given(sessions(), plans())
@settings(max_examples=60)
def test_the_window_is_made_of_what_earlier_calls_committed(session, how):
    with tempfile.TemporaryDirectory() as folder:
        log = written(Path(folder), session)
        traces = trace(log, how, calls=all_calls(log)).rtb
    for (lifecycle, call), seen in traces.items():
        assert len(seen.window) <= how.rtb.window
        for record in seen.window:
            assert record.call < call
            assert traces[lifecycle, record.call].committed == record.fingerprints
        for measure in seen.measures:
            held = sum(r.fingerprints.count(measure.fingerprint) for r in seen.window)
            assert measure.count == held + 1


@pytest.mark.parametrize(
    ("how", "call", "committed", "at_result", "ran"),
    [
        (plan(), 5, ("exact", "verb", "cmd"), False, True),
        (plan(), 11, ("exact", "cmd"), True, False),  # declined: at the result, blocking ones
        (plan(), 12, ("exact", "cmd"), False, False),  # refused before: denied outright
        (plan(operator="approve"), 11, ("verb",), False, True),  # exempt ones are not committed
        (plan({"onLimit": "deny"}), 11, ("exact", "cmd"), False, False),
        (plan({"exclude": ["bash"]}), 11, None, False, True),
    ],
)
def test_what_is_committed_and_when(tmp_path, how, call, committed, at_result, ran):
    seen = explained(tmp_path, repeated(14), how, call=str(call)).rtb
    kinds = None if seen.committed is None else tuple(f.split(":")[0] for f in seen.committed)
    assert (kinds, seen.at_result, seen.ran) == (committed, at_result, ran)
    assert [r.call for r in seen.window] == ([] if committed is None else list(range(call)))


def test_operator_states_are_told(tmp_path):
    asked = explained(tmp_path / "a", repeated(14), plan(), call="12").rtb
    assert {m.measure: m.refused for m in asked.measures} == {
        "exact": True,
        "verb": False,
        "cmd": True,
    }
    approved = explained(tmp_path / "b", repeated(14), plan(operator="approve"), call="12").rtb
    assert {m.measure: m.exempt for m in approved.measures} == {
        "exact": True,
        "verb": False,
        "cmd": True,
    }


def test_a_failed_result_and_its_streaks(tmp_path):
    session = repeated(3, "Traceback (most recent call last):\nKeyError: 'a'")
    seen = explained(tmp_path, session, plan(), call="2").rtb
    assert seen.failure == ("exception", "KeyError")
    assert [(m.streak, m.streak_after) for m in seen.measures if m.cap] == [(2, 3), (2, 3)]


def test_only_equal_calls_count_for_the_guards_of_whole_calls(tmp_path):
    session = Session("s-1").human("Go")
    for path in ("/a", "/a", "/b", "/a"):
        session.call("read", {"file_path": path}).result("no", error=True)
    log = written(tmp_path, session)
    traces = trace(log, plan(), calls=all_calls(log))
    assert [traces.tfb[0, n].count for n in range(4)] == [0, 1, 0, 0]
    assert [traces.rtr[0, n].count for n in range(4)] == [1, 2, 1, 1]


def test_sub_calls_and_calls_that_never_reached_a_guard(tmp_path):
    session = Session("s-1").human("Go").call("run_code", {"code": "x"})
    for _ in range(2):
        session.sub_call("bash", {"command": "make"}).sub_result("ok")
    session.result("done")
    how = plan({"warnAt": 2}, rtr={"thresholds": [2]})
    seen = explained(tmp_path, session, how, call="2")
    assert seen.call.sub
    assert seen.decisions == ()
    assert seen.rtr.count == 2
