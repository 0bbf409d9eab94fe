"""The engine beside the published plugins: nothing differs, and every injected fault shows."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from conformance.differential_strategies import rows, sessions
from conformance.live_packages import BREAKER, REMINDER, installed
from dsh_calibrate.conformance.plugin_comparison import PluginComparison, open_plugin, plugin_row
from dsh_calibrate.conformance.plugin_package import read_package
from dsh_calibrate.conformance.plugin_run import PluginRun, run_plugin
from dsh_calibrate.guards.repeat_reminder import config as reminder
from dsh_calibrate.guards.repeat_tool_breaker import memo, stages
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.discovery import discover
from shared_material import ROOT, needs_shared

OLD = PROFILES["0.5.2"]
CORPORA = sorted(Path(__file__).parents[2].glob("corpora/*/sessions"))
PLAIN = sorted(Path(__file__).parents[2].glob("corpora/*/sessions/v0-plain"))


def run(spec, *, config=None, paths=CORPORA, **more):
    package = read_package(installed(spec))
    default = configure({}, OLD) if package.guard == "rtb" else reminder.configure({})
    logs = discover(paths).logs if paths else ()
    return run_plugin(PluginRun(package, {}, config or default, logs=logs, **more))


def told(outcome):
    return [(d.log, d.site, d.plugin, d.engine) for d in outcome.differences]


@pytest.mark.parametrize("operator", ["decline", "approve"])
def test_the_shipped_corpora(operator):
    outcome = run(BREAKER, operator=operator)
    assert told(outcome) == []
    assert outcome.all_agree
    assert outcome.loaded.probed
    assert outcome.tally.unread == 0
    assert outcome.tally.spoken > 100
    assert outcome.tally.calls > 1000


@needs_shared
@pytest.mark.parametrize("spec", [BREAKER, REMINDER])
def test_the_recorded_logs(spec):
    outcome = run(spec, paths=[ROOT / "corpora"])
    assert told(outcome) == []
    assert outcome.tally.calls > 100


@pytest.mark.slow
def test_two_thousand_made_up_sessions():
    outcome = run(BREAKER, paths=(), generated=2000, seed=20)
    assert told(outcome) == []
    assert outcome.tally.traces == 2000
    assert outcome.tally.spoken > 5000
    assert outcome.tally.unread == 0


def test_the_reminder_over_corpora_and_made_up_sessions():
    outcome = run(REMINDER, generated=300)
    assert told(outcome) == []
    assert "@deepseek-ai/schemastery" in outcome.loaded.stubs
    assert outcome.tally.spoken > 300


@pytest.fixture(scope="module")
def breaker():
    package = read_package(installed(BREAKER))
    with open_plugin(package, {}) as process:
        yield process


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(rows, sessions())
def test_any_session_under_any_settings(breaker, row, trace):
    breaker.configure(plugin_row("rtb", row))
    comparison = PluginComparison(breaker, "rtb", configure(row, OLD))
    comparison.run("hypothesis", trace)
    assert comparison.differences == []


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"limits": {"exact": 13}}, "hits"),
        ({"limits": {"cmd": 11}}, "verdict"),
        ({"warnAt": 8}, "advisories"),
        ({"summarizeAt": 10}, "advisories"),
        ({"failWarnAt": 4}, "advisories"),
        ({"failLimit": 6}, "verdict"),
        ({"window": 15}, "hits"),
    ],
)
def test_a_changed_threshold_is_caught(row, key):
    outcome = run(BREAKER, config=configure(row, OLD), paths=PLAIN, generated=20)
    assert not outcome.all_agree
    keys = {place.key.partition("[")[0] for d in outcome.differences for place in d.places}
    assert key in keys


def test_a_swapped_rank_is_caught(monkeypatch):
    ranks = {**stages._RANKS, "host": stages._RANKS["net"], "net": stages._RANKS["host"]}
    monkeypatch.setattr(stages, "_RANKS", ranks)
    assert memo.rank_of("net") == 0
    assert not run(BREAKER, paths=PLAIN).all_agree


def test_an_off_by_one_stage_is_caught(monkeypatch):
    real = stages.reached

    def late(counts, streaks, caps, ranks, thresholds):
        found = real(counts, streaks, caps, ranks, thresholds)
        shifted = real([count - 1 for count in counts], streaks, caps, ranks, thresholds)
        return stages.Reached(found.hits, shifted.advisory)

    monkeypatch.setattr("dsh_calibrate.guards.repeat_tool_breaker.breaker.reached", late)
    outcome = run(BREAKER, paths=PLAIN)
    assert not outcome.all_agree
    assert all(d.event == "result" for d in outcome.differences)


@pytest.mark.parametrize("switch", ["unescapes_urls", "drops_ipv6_brackets", "aborted_is_failure"])
def test_every_switch_of_the_profile_is_caught(switch):
    profile = dataclasses.replace(OLD, **{switch: not getattr(OLD, switch)})
    outcome = run(BREAKER, config=configure({}, profile), paths=(), generated=100, seed=3)
    assert not outcome.all_agree


def test_another_reminder_is_caught():
    other = reminder.configure({"thresholds": [3, 6, 8]})
    assert not run(REMINDER, config=other, paths=PLAIN).all_agree
