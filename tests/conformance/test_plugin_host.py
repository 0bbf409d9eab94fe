"""The host for live plugins, tested with stand-ins of their interface."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from conformance.live_packages import needs_node
from dsh_calibrate.conformance.driver import process
from dsh_calibrate.conformance.driver.process import find_node
from dsh_calibrate.conformance.generated_sessions import generated_sessions, with_sites
from dsh_calibrate.conformance.plugin_comparison import PluginComparison, open_plugin
from dsh_calibrate.conformance.plugin_package import profile_of, read_package
from dsh_calibrate.conformance.plugin_run import PluginRun, run_plugin
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.circuit_breaker import config as circuit
from dsh_calibrate.guards.reasoning_loop import config as reasoning
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.discovery import discover

STAND_INS = Path(__file__).parent / "stand_ins"
CORPORA = sorted(Path(__file__).parents[2].glob("corpora/*/sessions/v0-plain"))


def run(name, config, *, paths=CORPORA, row=None, **more):
    package = read_package(STAND_INS / name)
    logs = discover(paths).logs if paths else ()
    return run_plugin(PluginRun(package, row or {}, config, logs=logs, **more))


def session_of(*calls, **row):
    """Compare the stand-in of rtb over calls given as (tool, arguments)."""
    package = read_package(STAND_INS / "shell_block")
    config = configure({}, PROFILES["0.8"])
    events = [
        {"kind": "call", "id": f"c{n}", "tool": tool, "arguments": raw, "approve": False}
        for n, (tool, raw) in enumerate(calls)
    ]
    with open_plugin(package, row) as plugin:
        comparison = PluginComparison(plugin, "rtb", config)
        comparison.run("log", with_sites(events))
    return comparison


@needs_node
@pytest.mark.parametrize("guard", ["rlg", "tfb", "rtr"])
def test_a_package_is_not_taken_for_another_guards(tmp_path, guard):
    name = "dsh-repeat-tool-breaker"
    (tmp_path / "package.json").write_text(json.dumps({"name": name, "version": "0.8.0"}))
    (tmp_path / "index.js").write_text("export default class {}")
    assert read_package(tmp_path, guard="rtb").guard == read_package(tmp_path).guard == "rtb"
    with pytest.raises(UsageError, match=f"is the package of rtb, not of {guard}"):
        read_package(tmp_path, guard=guard)


def test_the_circuit_breaker_through_its_stand_in():
    outcome = run("circuit", circuit.configure({}), generated=200)
    assert [(d.log, d.site, d.plugin, d.engine) for d in outcome.differences] == []
    assert outcome.tally.spoken > 5
    assert outcome.tally.unread == 0
    assert not run("circuit", circuit.configure({"maxFailures": 3}), generated=200).all_agree


@needs_node
def test_the_reasoning_guard_through_its_stand_in(tmp_path):
    unit = "Let me check the file once more before I go on. "
    looping = Session("looping").human("Go.").reasoning(unit * 60, size=7).say("Done.")
    healthy = Session("healthy").human("Go.")
    for number in range(4):
        words = " ".join(str(k * k + number) for k in range(400))
        healthy.reasoning(words, size=23).say("Done.").human("Go on.")
    for session in (looping, healthy):
        write_session(tmp_path, session, 4, "plain")
    # The stand-in knows one rule: the others are put out of reach.
    row = {"blockCount": 4000, "blockMin": 2, "lineCount": 4000, "kgramThreshold": 4000}
    row |= {"fillerRun": 4000, "window": 8000}
    outcome = run("reasoning", reasoning.configure(row), paths=[tmp_path], row=row)
    assert [(d.plugin, d.engine) for d in outcome.differences] == []
    assert outcome.tally.streams == 5
    assert outcome.tally.spoken == 1
    assert outcome.loaded.stubs == ["@deepseek-ai/cordis"]
    other = reasoning.configure({**row, "minChars": 900})
    assert not run("reasoning", other, paths=[tmp_path], row=row).all_agree
    with pytest.raises(UsageError, match="made-up calls only"):
        run("reasoning", reasoning.configure(row), paths=(), generated=1)


@needs_node
def test_a_later_version_in_other_words():
    curl = ("bash", '{"command": "curl https://example.org/"}')
    comparison = session_of(curl, ("read", "{}"), ("read", "{}"), ("read", "{}"))
    assert comparison.tally.agreed == 3
    (difference,) = comparison.differences
    assert difference.site.ordinal == 3
    assert difference.plugin["verdict"] == "deny"
    assert [place.key for place in difference.places] == ["verdict"]


@needs_node
def test_a_guard_that_throws_is_a_difference():
    comparison = session_of(("bash", '{"command": "throw"}'), ("read", "{}"))
    (difference,) = comparison.differences
    assert difference.plugin == {"threw": "Error: inside the guard"}
    assert comparison.tally.answers == 2


@needs_node
@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"broken": True}, "these settings are refused"),
        ({"exits": True}, "ended or hung"),
        ({"hangs": True}, "ended or hung"),
    ],
)
def test_a_plugin_that_does_not_answer(monkeypatch, row, told):
    monkeypatch.setattr(process, "_ANSWER_SECONDS", 2.0)
    with pytest.raises(UsageError, match=told):
        session_of(("read", "{}"), **row)


@needs_node
def test_the_plugin_gets_a_home_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("A_SECRET", "hidden")
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1", "type": "module"}')
    (tmp_path / "index.js").write_text(
        "export function apply(ctx) { ctx.tools.guard(() => JSON.stringify("
        "[process.env.A_SECRET ?? null, process.env.HOME === process.env.DSH_HOME,"
        " process.cwd() === process.env.DSH_HOME])) }"
    )
    with open_plugin(read_package(tmp_path, guard="rtb"), {}) as plugin:
        call = {"kind": "call", "id": "c0", "tool": "t", "arguments": "{}"}
        (told,) = plugin.answers([call])
        home = Path(plugin._home.name)
        assert home.is_dir()
    assert told["denied"] == "[null,true,true]"
    assert not home.exists()


def test_without_node(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="no node on the PATH: install Node 20"):
        find_node()


@pytest.mark.parametrize("version", ["v18.19.0", "deno", ""])
def test_an_old_node(tmp_path, monkeypatch, version):
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(UsageError, match="Node 20 or later is needed"):
        find_node()


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.5.2", ("0.5.2", True)),
        ("0.5.20", ("0.5.2", False)),
        ("0.5.3", ("0.5.2", False)),
        ("0.8.1", ("0.8", True)),
        ("0.8.0-rc.1", ("0.8", True)),
        ("0.80.0", ("0.8", False)),
        ("1.2", ("0.8", False)),
        ("0.4.1", ("0.5.2", False)),
        ("odd", ("0.5.2", False)),
    ],
)
def test_profile_of(version, expected):
    assert profile_of(version) == expected


@pytest.mark.parametrize(
    ("manifest", "told"),
    [
        (None, "no package there"),
        ("{", "cannot be read as JSON"),
        ("[]", "not an object"),
        ('{"name": "x"}', "no name or no version"),
        ('{"name": "x", "version": "1"}', "none of the guards"),
        ('{"name": "dsh-repeat-tool-breaker", "version": "1"}', "no such file"),
        ('{"name": "dsh-repeat-tool-breaker", "version": "1", "main": "a.js"}', "a.js"),
    ],
)
def test_what_is_no_plugin(tmp_path, manifest, told):
    if manifest is not None:
        (tmp_path / "package.json").write_text(manifest)
    with pytest.raises(UsageError, match=told):
        read_package(tmp_path)


def test_made_up_sessions_follow_from_their_seed():
    assert list(generated_sessions(4, 30)) == list(generated_sessions(4, 30))
    assert list(generated_sessions(4, 30)) != list(generated_sessions(5, 30))
    rows = [row for row, _ in generated_sessions(4, 30)]
    assert len(rows) == 2
    assert rows[0] == {}
