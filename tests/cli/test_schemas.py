"""JSON documents hold to the schemas in docs/schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from dsh_calibrate.corpora.event_lines import LineOptions
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

ROOT = Path(__file__).resolve().parents[2]
CORPORA = [str(ROOT / "corpora" / name) for name in ("first-loops", "all-guards", "damaged-logs")]


def validator(name: str) -> Draft202012Validator:
    schema = json.loads((ROOT / "docs" / "schemas" / name).read_text())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def output(*arguments: str) -> str:
    done = CliRunner().invoke(app, [*arguments])
    assert done.exit_code == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("guards", ["rtb,tfb,rtr,rlg", "rtb", "rlg"])
def test_replay(guards):
    document = json.loads(output("replay", *CORPORA, "--guard", guards, "--format", "json"))
    validator("replay.schema.json").validate(document)


def test_replay_of_logs_without_token_counts(tmp_path):
    session = Session("a").human("Go.")
    for _ in range(9):
        session.call("read", "{}").result("four")
    write_session(tmp_path, session, 0, "plain", options=LineOptions(early=True))
    document = json.loads(output("replay", str(tmp_path), "--format", "json"))
    validator("replay.schema.json").validate(document)
    after = document["counterfactual"]["rtb"]["after_first"]
    assert after["calls"] == 2
    assert "output_tokens" not in after


@pytest.mark.parametrize("mode", ["measure", "enforce"])
def test_every_decision(mode):
    lines = output("replay", *CORPORA, "--shell-http", mode, "--format", "jsonl").splitlines()
    check = validator("decision.schema.json")
    assert len(lines) > 100
    for line in lines:
        check.validate(json.loads(line))


def test_schemas_refuse_what_is_wrong():
    (line, *_) = output("replay", CORPORA[0], "--format", "jsonl").splitlines()
    check = validator("decision.schema.json")
    for key, value in (("verdict", "maybe"), ("exact", 1), ("surprise", 1), ("call", -1)):
        assert not check.is_valid({**json.loads(line), key: value})


@pytest.mark.parametrize(
    "arguments",
    [
        ("allowlist", "scan"),
        ("allowlist", "candidates"),
        ("allowlist", "coverage"),
        ("failures",),
        ("reasoning", "--pieces", "40"),
        ("corpus", "stats"),
        ("sweep", "--over", "rtb.warnAt=5..6"),
        ("compare", "--a", "rtb=0.8", "--b", "rtb=0.5.2"),
    ],
)
def test_every_document_starts_alike(arguments):
    document = json.loads(output(*arguments, CORPORA[1], "--format", "json"))
    validator("envelope.schema.json").validate(document)
