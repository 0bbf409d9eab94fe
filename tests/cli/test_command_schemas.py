"""JSON documents of the commands beside replay and report hold to docs/schemas."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from calibrate.derive_corpus import make_corpus
from conformance.live_packages import needs_node
from dsh_calibrate.corpora.sessions import START, Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

ROOT = Path(__file__).resolve().parents[2]
FIRST, ALL, DAMAGED = (
    str(ROOT / "corpora" / n) for n in ("first-loops", "all-guards", "damaged-logs")
)
LABELS = f"{ALL}/labels.toml"
STAND_IN = str(ROOT / "tests" / "conformance" / "stand_ins" / "shell_block")

COMMANDS = [
    ("allowlist-scan", ["allowlist", "scan", FIRST, DAMAGED]),
    ("allowlist-scan", ["allowlist", "scan", ALL]),
    ("allowlist-candidates", ["allowlist", "candidates", FIRST, ALL]),
    ("allowlist-coverage", ["allowlist", "coverage", FIRST]),
    ("failures", ["failures", FIRST, ALL]),
    ("failures", ["failures", FIRST, "--per-turn", "--all-measures"]),
    ("compare", ["compare", FIRST, "--a", "rtb.warnAt=4", "--b", "rtb=0.5.2"]),
    ("compare", ["compare", ALL, "--b", "policy=denylist"]),
    ("compare", ["compare", ALL, "--guard", "rlg", "--b", "rlg.minUnits=9"]),
    ("reasoning", ["reasoning", ALL, "--pieces", "40"]),
    ("corpus-stats", ["corpus", "stats", ALL, DAMAGED]),
    ("sweep", ["sweep", ALL, "--over=rtb.warnAt=3..4", f"--labels={LABELS}", "--by=model"]),
    ("sweep", ["sweep", ALL, "--over=rlg.minUnits=3..4"]),
    ("sweep", ["sweep", FIRST, "--over=tfb.maxFailures=2..3", "--over=rtr.thresholds=[[3],[4]]"]),
    ("derive", ["derive", FIRST, "--guard", "rtb"]),
    ("derive", ["derive", "{feasible}", "--over=rtb.warnAt=[12,8]", "--alpha=0.1"]),
    ("check", ["check", FIRST]),
    ("check", ["check", "{changed}", "--diff"]),
    ("config-show", ["config", "show"]),
    ("config-show", ["config", "show", "--plugin-version", "rtb=0.5.2", "--set", "rtb.warnAt=9"]),
    ("config-validate", ["config", "validate", "--set", "rtb.warnAt=x", "--set", "rtb.foo=3"]),
    ("conformance-vectors", ["conformance", "vectors", str(ROOT / "tests" / "vectors")]),
    ("conformance-vectors", ["conformance", "vectors", "{vectors}"]),
    ("conformance-recorded", ["conformance", "recorded", ALL]),
    ("conformance-recorded", ["conformance", "recorded", ALL, "--set", "rtb.limits.exact=9"]),
    ("journal-list", ["journal", "list", "{journal}"]),
    ("journal-stats", ["journal", "stats", "{journal}"]),
    ("journal-agree", ["journal", "agree", "{journal}", "--sessions", "{sessions}"]),
    pytest.param(
        "conformance-plugin",
        ["conformance", "plugin", FIRST, "--package", STAND_IN, "--run-in-ci"],
        marks=needs_node,
    ),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    folder = tmp_path_factory.mktemp("schemas")
    changed = folder / "changed"
    shutil.copytree(ALL, changed)
    (changed / "s.yml").write_text("rtb: {warnAt: 4, limits: {exact: 8}}\nrlg: {minUnits: 9}\n")
    toml = changed / "corpus.toml"
    toml.write_text(toml.read_text().replace("schema = 1", 'schema = 1\nconfig = "s.yml"'))
    vectors = folder / "vectors"
    vectors.mkdir()
    (vectors / "failures.jsonl").write_text(
        '{"in": {"tool": "read", "text": "fine"}, "expect": 3, "note": "wrong"}\n'
    )
    fires = folder / "fires.jsonl"
    line = {"at": START, "rule": "line-repeat", "atChars": 800, "sessionId": "s-1", "turn": 1}
    fires.write_text(json.dumps({**line, "step": 1, "count": 4}) + "\nbroken\n")
    session = Session("s-1").human("Go").reasoning("Emit now. Go. " * 90, size=40)
    write_session(folder / "sessions", session, 4, "plain")
    return {
        "feasible": make_corpus(tmp_path_factory.mktemp("corpus"), healthy=60, stuck_=8, loud=1),
        "changed": changed,
        "vectors": vectors,
        "journal": fires,
        "sessions": folder / "sessions",
    }


def document(places, words, monkeypatch, tmp_path):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "home"))
    named = [word.format(**places) if word[0] == "{" else word for word in words]
    done = CliRunner().invoke(app, [*named, "--format", "json"])
    assert done.exit_code in (0, 1, 2), done.stderr
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def validator(name):
    schema = json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def objects(value):
    if isinstance(value, dict):
        yield value
        for below in value.values():
            yield from objects(below)
    elif isinstance(value, list):
        for below in value[:1]:
            yield from objects(below)


@pytest.mark.parametrize(("name", "words"), COMMANDS)
def test_output_holds_to_its_schema(name, words, places, monkeypatch, tmp_path):
    found = document(places, words, monkeypatch, tmp_path)
    check = validator(name)
    check.validate(found)
    for key in check.schema["required"]:
        assert not check.is_valid({k: v for k, v in found.items() if k != key}), key
        renamed = {(f"{k}_" if k == key else k): v for k, v in found.items()}
        assert not check.is_valid(renamed), key


def test_a_renamed_key_further_down_is_refused(places, monkeypatch, tmp_path):
    found = document(places, ["allowlist", "scan", FIRST], monkeypatch, tmp_path)
    check = validator("allowlist-scan")
    refused = 0
    for place, _ in enumerate(objects(found)):
        changed = copy.deepcopy(found)
        spoilt = list(objects(changed))[place]
        if "verb" in spoilt or "rate" in spoilt or "seq" in spoilt:
            key = next(iter(spoilt))
            spoilt[f"{key}_"] = spoilt.pop(key)
            assert not check.is_valid(changed)
            refused += 1
    assert refused >= 4


def test_every_schema_is_listed_in_the_docs():
    listed = (ROOT / "docs" / "schemas" / "README.md").read_text()
    for path in (ROOT / "docs" / "schemas").glob("*.schema.json"):
        assert f"({path.name})" in listed
