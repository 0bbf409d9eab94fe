"""What a corpus holds: profiles of logs, their sums, peaks, masking, the queue of labels."""

from __future__ import annotations

import re

import pytest

from dsh_calibrate.corpora.labels import Label, Labels
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.reports.masked_profiles import mask_model, masked_profiles
from dsh_calibrate.studies.corpus_stats import PeakStats, Share, corpus_stats
from dsh_calibrate.studies.label_queue import label_queue, nearest_text
from dsh_calibrate.studies.log_profile import Measuring, profile_log

RTB = configure({}, PROFILES["0.8"])
DENIAL = "Error: REPEAT_TOOL_BLOCKED: no"
CHAIN = "Error: The identical bash call already failed 3 times"


def fetch(session: Session, count: int, url: str = "https://api.example.org/x") -> Session:
    for k in range(count):
        session.call("bash", {"command": f"curl {url}?p={k}"}).result("[exit code: 22]")
    return session


@pytest.fixture
def profiles(tmp_path):
    looping = fetch(Session("looping").human(), 6)
    looping.call("bash", {"command": "make"}).result(DENIAL, error=True)
    looping.call("bash", {"command": "make"}).result(CHAIN, error=True)
    looping.human().call("read", {"file_path": "/a"}).result("x")
    thinking = Session("thinking").human()
    thinking.reasoning("Wait, let me see. " * 300, outcome="attempt", finish="aborted")
    thinking.end_turn("aborted", abort="user")
    thinking.human().reasoning("Done.", answer="All done.")
    thinking.end_turn()
    guarded = Session("guarded").human()
    guarded.reasoning("Hm. " * 50, outcome="attempt", failure="REASONING_LOOP_GUARD")
    guarded.notice("again", producer="dsh-repeat-tool-reminder", summary="x")
    guarded.say("Well.")
    for session, version, encoding in (
        (looping, 0, "plain"),
        (thinking, 4, "zstd"),
        (guarded, 4, "plain"),
    ):
        write_session(tmp_path, session, version, encoding)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    measuring = Measuring(RTB, ReasoningConfig())
    return {
        p.log.split("/")[1] if "/" in p.log else p.log: p
        for p in (profile_log(measuring, log) for log in discover([tmp_path]).logs)
    }


def test_a_log_of_calls(profiles):
    found = profiles["looping"]
    assert (found.calls, found.results, found.errors, found.failures) == (9, 9, 2, 7)
    assert found.tools == {"bash": 8, "read": 1}
    assert found.verbs == {"curl": 6, "make": 2}
    assert found.hosts == {"api.example.org": 6}
    assert (found.turns, found.resets, found.resets_after_abort) == (2, 2, 0)
    assert [(t.turn, t.calls) for t in found.busiest_turns] == [(1, 8), (2, 1)]
    assert found.recorded == {"rtb denials": 1, "tfb denials": 1}
    assert found.peaks.occurrences == {
        "exact": 2,
        "cmd": 2,
        "net": 1,
        "verb": 6,
        "site": 6,
        "host": 6,
        "family": 6,
    }
    assert found.peaks.streaks["host"] == 6
    nearest = found.peaks.nearest
    assert (nearest.measure, nearest.figure, nearest.threshold) == ("host failures", 6, 5)


def test_a_log_of_reasoning(profiles):
    found = profiles["thinking"]
    assert (found.calls, found.streams, found.turns) == (0, 2, 2)
    assert found.abandoned_reasoning == 1
    assert found.resets_after_abort == 1
    assert found.endings == {"aborted:user": 1, "completed": 1}
    assert found.reasoning_utf16 == 300 * 18 + 5
    assert found.models == {"deepseek-official/deepseek-v4-flash": 2}
    assert found.peaks.rules["periodic-run"] >= 60
    assert found.peaks.nearest.ratio > 1


def test_an_abort_after_a_call_is_not_abandoned_reasoning(tmp_path):
    session = Session("s").human().reasoning("Hm.").call("read", {"file_path": "/a"}).result("x")
    path = write_session(tmp_path, session.end_turn("aborted", abort="user"))
    found = profile_log(Measuring(RTB, ReasoningConfig()), discover([path]).logs[0])
    assert (found.endings, found.abandoned_reasoning) == ({"aborted:user": 1}, 0)


def test_what_guards_did_while_recording(profiles):
    assert profiles["guarded"].recorded == {"rlg fires": 1, "rtr notices": 1}


def test_a_resume_starts_the_counts_afresh(tmp_path):
    session = fetch(Session("s").human(), 4)
    path = write_session(tmp_path, fetch(session.resume().human(), 3))
    found = profile_log(Measuring(RTB, None), discover([path]).logs[0])
    assert (found.lifecycles, found.peaks.occurrences["host"]) == (2, 4)
    assert found.peaks.rules == {}


def test_without_settings_of_a_guard_its_figures_stay_empty(tmp_path):
    path = write_session(tmp_path, fetch(Session("s").human(), 4))
    found = profile_log(Measuring(None, ReasoningConfig()), discover([path]).logs[0])
    assert (found.calls, found.results, found.failures, found.verbs) == (4, 4, 0, {})


def test_the_corpus_adds_up(profiles):
    stats = corpus_stats(list(profiles.values()))
    assert stats.logs == 4
    assert stats.sums["calls"] == sum(p.calls for p in profiles.values())
    assert stats.versions == (
        Share("unknown plain", 1, 1),
        Share("v0 plain", 1, 1),
        Share("v4 plain", 1, 1),
        Share("v4 zstd", 1, 1),
    )
    assert stats.tools == (Share("bash", 8, 1), Share("read", 1, 1))
    looping = profiles["looping"].log
    assert stats.calls_per_log == PeakStats("calls", "calls", 1, 9, 9, 9, looping)
    host = next(p for p in stats.peaks if (p.track, p.measure) == ("occurrences", "host"))
    assert host == PeakStats("host", "occurrences", 1, 6, 6, 6, looping)
    assert [p.track for p in stats.peaks] == sorted(
        (p.track for p in stats.peaks), key=["occurrences", "failures", "reasoning"].index
    )


@pytest.mark.parametrize(
    ("values", "median", "high"),
    [([3], 3, 3), ([1, 2], 1, 2), ([1, 2, 3, 4, 5], 3, 5), (list(range(1, 101)), 50, 95)],
)
def test_quantiles_are_values_that_occur(profiles, values, median, high):
    from dataclasses import replace

    made = [replace(profiles["looping"], log=f"{v:03}", calls=v) for v in values]
    each = corpus_stats(made).calls_per_log
    assert (each.p50, each.p95, each.max) == (median, high, max(values))


def test_masked_profiles_hold_nothing_private(profiles):
    masked = masked_profiles(list(profiles.values()))
    text = repr(masked)
    for word in ("example", "looping", "thinking", "guarded", "/work/app", "work-app"):
        assert not re.search(word, text), word
    assert [p.calls for p in masked] == [p.calls for p in profiles.values()]
    assert sum(p.hosts.total() for p in masked) == 6


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("deepseek-official/deepseek-v4-flash", "deepseek-official/deepseek-v4-flash"),
        ("initech-gateway/deepseek-initech-v2", "i…-g…/deepseek-i…-v2"),
        ("?/qwen3-coder-480b", "?/qwen3-coder-480b"),
    ],
)
def test_models(name, shown):
    assert mask_model(name) == shown


def test_the_queue_asks_for_what_decides_first(profiles):
    queue = label_queue(profiles.values(), Labels({}))
    names = [item.session for item in queue]
    assert names[:2] == ["thinking", "looping"]
    assert "empty.jsonl" not in [item.log for item in queue]
    assert queue[0].hints == (
        "the user aborted 1 turn after reasoning alone",
        "1 of 2 turns completed",
    )
    assert queue[1].hints[:3] == (
        "recorded rtb denials: 1",
        "recorded tfb denials: 1",
        "7 of 9 results failed",
    )
    assert nearest_text(queue[1].nearest) == "host failures 6 of 5 (120%)"
    labelled = Labels({queue[0].log: Label("stuck")})
    assert [i.session for i in label_queue(profiles.values(), labelled)] == names[1:]
