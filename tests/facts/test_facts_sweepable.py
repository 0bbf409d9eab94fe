"""Thresholds held against stored facts decide as the guards do: facts hold all it takes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import STORIES, plan, told, written

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.facts import collect
from dsh_calibrate.facts.limits import HashedLimits, fingerprint_id
from dsh_calibrate.guards.reasoning_loop.figures import held
from dsh_calibrate.guards.reasoning_loop.verdict import Figures
from dsh_calibrate.guards.repeat_tool_breaker.config import cap_of
from dsh_calibrate.guards.repeat_tool_breaker.stages import (
    Thresholds,
    failure_advisory,
    rank_of,
    reached,
)
from dsh_calibrate.replay.recorded import same_summary

HIGH = {"limits": dict.fromkeys(("exact", "cmd", "net", "sink", "host"), 1000), "failLimit": 1000}


def advice_of(facts, config):
    """What the breaker would say, from facts alone: (line, call, stage, measure, count)."""
    limits = HashedLimits(config.limits)
    stages = Thresholds(config.warn_at, config.summarize_at, None, config.fail_limit)
    spoken = []
    for row in facts.vectors().iter_rows(named=True):
        line = row["result_line"]
        if line is None or row["sub"]:
            continue
        caps = [limits.cap(m, fp) for m, fp in zip(row["measure"], row["fp"], strict=True)]
        ranks = [rank_of(measure) for measure in row["measure"]]
        found = reached(row["next"], row["streak"], caps, ranks, stages)
        assert not found.hits
        after = [streak or 0 for streak in row["streak_after"]]
        named = failure_advisory(after, caps, ranks, config.fail_warn_at)
        if named is not None:
            spoken.append((line, row["call"], "failure", row["measure"][named], after[named]))
        if found.advisory is not None:
            stage, at = found.advisory
            spoken.append((line, row["call"], stage, row["measure"][at], row["next"][at]))
    return sorted(spoken, key=lambda s: (s[0], s[2] != "failure"))


@settings(max_examples=60, deadline=None)
@given(STORIES, st.integers(2, 5), st.integers(3, 6), st.integers(2, 3), st.integers(4, 12))
def test_breaker_advice_from_facts_is_that_of_the_replay(story, warn, more, fail, window):
    row = {"warnAt": warn, "summarizeAt": warn + more, "failWarnAt": fail, "window": window}
    how = plan({**HIGH, **row, "blockShellHttp": False})
    with tempfile.TemporaryDirectory() as name:
        logs = written(Path(name), [told("s-1", story)])
        with collect(logs, how, jobs=1) as facts:
            rows = facts.frame("decisions").to_dicts()
            live = [
                (r["line"], r["call"], r["stage"], r["measure"], r["count"])
                for r in rows
                if r["guard"] == "rtb"
            ]
            assert sorted(live, key=lambda s: (s[0], s[2] != "failure")) == advice_of(
                facts, how.rtb
            )
            assert {r["line"] for r in rows if r["matched"]} <= matchable(facts, rows)


def matchable(facts, rows):
    """Lines of advice for which the recording holds a notice in its time."""
    notices = facts.frame("notices").to_dicts()
    texts = dict(facts.frame("fingerprints").select("fp", "text").iter_rows())
    found = set()
    for row in rows:
        if row["verdict"] == "advise" and row["guard"] == "rtb":
            sign = "failed x" if row["stage"] == "failure" else "× "
            expected = f"{texts[row['fp']]} {sign}{row['count']}"
            if any(
                n["since_line"] < row["line"] < n["line"] and same_summary(n["summary"], expected)
                for n in notices
                if n["guard"] == "rtb" and n["lifecycle"] == row["lifecycle"]
            ):
                found.add(row["line"])
    return found


@pytest.mark.parametrize("calls_between", [0, 1])
def test_a_notice_belongs_to_the_advice_of_the_step_before_it(tmp_path, calls_between):
    session = Session("s-1").human("Go")
    for _ in range(2):
        session.call("bash", {"command": "ls a"}).result("ok")
    for _ in range(calls_between):
        session.call("bash", {"command": "make"}).result("ok")
    session.step().notice(
        "Stop.", producer="dsh-repeat-tool-breaker", summary='exact:bash:{"command":"ls a"} × 2'
    )
    logs = written(tmp_path, [session.say("Done.")])
    with collect(logs, plan({"warnAt": 2, "summarizeAt": None}), jobs=1) as facts:
        (advice,) = facts.frame("decisions").filter(guard="rtb").to_dicts()
        (notice,) = facts.frame("notices").to_dicts()
        assert (notice["guard"], notice["line"] > advice["line"]) == ("rtb", True)
        assert (notice["since_line"] < advice["line"]) == (calls_between == 0)


@settings(max_examples=60, deadline=None)
@given(STORIES, st.integers(1, 3))
def test_circuit_breaker_first_denial_and_reminders_come_from_facts(story, failures):
    how = plan(tfb={"maxFailures": failures}, rtr={"thresholds": [2, 3]})
    with tempfile.TemporaryDirectory() as name:
        logs = written(Path(name), [told("s-1", story)])
        with collect(logs, how, jobs=1) as facts:
            rows = facts.frame("decisions").to_dicts()
            calls = facts.frame("calls").to_dicts()
    for lifecycle in {c["lifecycle"] for c in calls}:
        mine = [c for c in calls if c["lifecycle"] == lifecycle]
        denied = [r for r in rows if r["guard"] == "tfb" and r["lifecycle"] == lifecycle]
        reaching = [c["call"] for c in mine if (c["tfb_chain"] or 0) >= failures]
        assert [r["call"] for r in denied][:1] == reaching[:1]
        reminded = [
            (r["call"], r["count"])
            for r in rows
            if r["guard"] == "rtr" and r["lifecycle"] == lifecycle
        ]
        expected = [
            (c["result_line"], c["call"], c["rtr_run"])
            for c in mine
            if c["rtr_run"] in (2, 3) and not c["sub"]
        ]
        assert reminded == [(call, run) for _, call, run in sorted(expected)]


LOOPS = (
    "Wait, let me look at the file again before I go on.\n" * 60,
    "I check the value of x and then y; " * 80,
    "".join(f"Line {k} tells something new about number {k * k}.\n" for k in range(90)),
    "ok " * 20 + "." * 1500,
)


@pytest.mark.parametrize("text", LOOPS)
@pytest.mark.parametrize("size", [7, 300])
def test_the_first_judge_point_that_holds_is_the_fire(tmp_path, text, size):
    session = Session("s-1").human("Go").reasoning(text, size=size).reasoning("Short.")
    logs = written(tmp_path, [session.say("Done.")])
    how = plan()
    with collect(logs, how, jobs=1) as facts:
        fires = [r for r in facts.frame("decisions").to_dicts() if r["guard"] == "rlg"]
        points = facts.frame("judgements").to_dicts()
        streams = facts.frame("streams").to_dicts()
    firsts = {}
    for point in points:
        rule = held(as_figures(point), how.rlg)
        if rule is not None and point["stream"] not in firsts:
            firsts[point["stream"]] = (rule, point["at_utf16"], point["seq"], point["line"])
    assert firsts == {r["stream"]: (r["stage"], r["at_utf16"], r["seq"], r["line"]) for r in fires}
    assert [s["utf16"] for s in streams] == [len(text), len("Short.")]
    assert [s["judge_points"] for s in streams] == [len(points), 0]
    # Also past the fire: the figures go on to the end of the stream.
    assert points[-1]["at_utf16"] > len(text) - 200 - size


def as_figures(point):
    return Figures(**{name: point[name] for name in Figures.__struct_fields__})


@given(
    st.dictionaries(
        st.sampled_from(["exact", "verb", "verb:curl", "verb:wget", "family:http-fetch", "host"]),
        st.one_of(st.none(), st.integers(2, 20)),
    ),
    st.sampled_from(
        ["exact:a:{}", "verb:curl", "verb:ls", "family:http-fetch", "host:b", "site:c"]
    ),
)
def test_caps_by_digest_are_the_caps_of_the_text(limits, text):
    kind = text.partition(":")[0]
    assert HashedLimits(limits).cap(kind, fingerprint_id(text)) == cap_of(limits, text)
