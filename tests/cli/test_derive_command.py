"""`derive` as a user runs it."""

from __future__ import annotations

import io
import json
import shlex
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from calibrate.derive_corpus import make_corpus
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.replay.settings import Inputs, resolve
from dsh_calibrate_cli.main import app

SHIPPED = Path(__file__).resolve().parents[2] / "corpora" / "first-loops"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("corpus"), healthy=60, stuck_=8, loud=1)


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path_factory):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path_factory.mktemp("cache")))


def run(*arguments: object):
    return CliRunner().invoke(
        app, ["derive", *map(str, arguments)], env={"NO_COLOR": "1", "DSH_HOME": "/nowhere"}
    )


def test_text_says_bound_choice_evidence_and_row(corpus):
    done = run(corpus, "--guard", "rtb", "--no-cache")
    assert done.exit_code == 0, done.stderr
    text = " ".join(done.stdout.split())
    for words in (
        "at most 5.00% of healthy sessions disturbed",
        "confidence 90.0%",
        "60 healthy, 8 stuck",
        "catches 8 of 8 stuck ones",
        "← choice",
        "What would change the answer",
        "Blind spots",
        "- id: repeat-tool-breaker config: warnAt: 10",
    ):
        assert words in text
    assert "catches 8 of 8" in done.stderr


def test_sessions_that_speak_against_the_choice_are_named(corpus):
    done = run(corpus, "--over=rtb.warnAt=[12,8]", "--alpha=0.1", "--no-cache", "-q")
    assert done.exit_code == 0, done.stderr
    lines = [x for x in done.stdout.splitlines() if x.startswith("  dsh-calibrate explain ")]
    assert len(lines) == 1
    assert "/healthy-000/" in lines[0]
    choice = json.loads(
        run(corpus, "--over=rtb.warnAt=[12,8]", "--alpha=0.1", "--no-cache", "--format=json").stdout
    )["settings"]["rtb"]["warnAt"]
    words = shlex.split(lines[0])[1:]
    shown = CliRunner().invoke(app, [*words, "--format", "json"])
    assert shown.exit_code == 0, shown.stderr
    assert json.loads(shown.stdout)["config"]["rtb"]["warnAt"] == choice


def test_lines_carry_the_settings_of_the_run_and_the_choice(corpus, tmp_path):
    mine = tmp_path / "mine.yml"
    mine.write_text("rtb: {failWarnAt: 4, warnAt: 3, limits: {exact: 15, site: 40}}")
    tried = tmp_path / "tried.yml"
    tried.write_text('loud: {rtb: {warnAt: 8, summarizeAt: 14, limits: {"verb:curl": 30}}}')
    done = run(corpus, "--config", mine, "--candidates", tried, "--alpha=0.1", "--no-cache", "-q")
    [line] = [x for x in done.stdout.splitlines() if x.startswith("  dsh-calibrate explain ")]
    shown = CliRunner().invoke(app, [*shlex.split(line)[1:], "--format", "json"])
    assert shown.exit_code == 0, shown.stderr
    row = json.loads(shown.stdout)["config"]["rtb"]
    assert (row["warnAt"], row["failWarnAt"]) == (8, 3)
    limits = row["limits"]
    assert (limits["exact"], limits["site"], limits["verb:curl"]) == (12, None, 30)


def test_json_yaml_and_patch_agree(corpus, tmp_path):
    files = {name: tmp_path / f"d.{name}" for name in ("yaml", "patch")}
    outputs = [f"--output={name}={path}" for name, path in files.items()]
    done = run(corpus, "--guard=rtb", "--no-cache", "-q", "--format=json", *outputs)
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["feasible"] is True
    assert (found["alpha"], found["delta"]) == (0.05, 0.1)
    assert found["settings"]["rtb"]["warnAt"] == 10
    assert found["needed"]["healthy"] == 0
    evidence = found["evidence"]
    assert (evidence["healthy"], evidence["stuck"]) == (60, 8)
    assert evidence["chosen"]["at_most"] < 0.05
    assert evidence["held_out"]["parts"] == 5
    assert evidence["against_in_force"]["healthy"]["only_before"] == 1
    assert {spot["kind"] for spot in evidence["blind_spots"]} >= {"pagination", "sub-calls"}
    assert YAML(typ="safe").load(files["yaml"].read_text()) == found
    assert YAML(typ="safe").load(files["patch"].read_text()) == found["patch"]
    again = resolve(Inputs(config=[str(files["patch"])]))
    assert again.rtb.warn_at == 10
    assert run(corpus, "--guard=rtb", "-q", "--format=json", "--jobs=2").stdout == done.stdout


def test_the_shipped_corpus_has_no_answer():
    done = run(SHIPPED, "--format", "json", "--no-cache")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["feasible"] is False
    assert (found["settings"], found["patch"]) == (None, None)
    assert found["needed"]["healthy"] == 45 - found["evidence"]["healthy"]
    assert f"label at least {found['needed']['healthy']} more healthy sessions" in done.stderr
    assert run(SHIPPED, "--no-cache", "-q", "--fail-on", "infeasible").exit_code == 1


def test_merging_into_a_patch(corpus, tmp_path):
    patch = tmp_path / "cordis.patch.yml"
    patch.write_text("# mine\n- id: repeat-tool-breaker\n  config:\n    warnAt: 4 # too early\n")
    done = run(corpus, "--guard=rtb", "--config", patch, "--merge-into", patch, "--no-cache")
    assert done.exit_code == 0, done.stderr
    assert "# mine\n" in patch.read_text()
    assert "warnAt: 10 # too early" in patch.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["cordis.patch.yml"]
    before = patch.read_bytes()
    assert run(SHIPPED, "--guard=rtb", "--merge-into", patch, "-q").exit_code == 0
    assert patch.read_bytes() == before


def test_named_candidates(corpus, tmp_path):
    candidates = tmp_path / "c.yaml"
    candidates.write_text("quiet: {rtb: {warnAt: 12}}\nloud: {rtb: {warnAt: 5}}\n")
    done = run(
        corpus, "--candidates", candidates, "--over=rtb.warnAt=[9,10]", "--format=json", "-q"
    )
    assert done.exit_code == 0, done.stderr
    found = json.loads(done.stdout)
    names = [one["name"] for one in found["evidence"]["tested"]]
    assert names == ["quiet", "rtb.warnAt=10", "rtb.warnAt=9", "loud"]
    assert found["evidence"]["chosen"]["name"] == "rtb.warnAt=10"
    given = run(
        corpus, "--over=rtb.warnAt=[5,9]", "--order=given", "--format=json", "--no-cache", "-q"
    )
    assert not json.loads(given.stdout)["feasible"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--over", "rtb.warnAt=9..3"], "empty"),
        (["--over", "rtb.warnAt=[]"], "empty"),
        (["--over", "rtb.limits.exact=1"], "rtb.limits.exact=1"),
        (["--over", "rtb.wornAt=1..3"], "did you mean warnAt"),
        (["--alpha", "0"], "--alpha must lie between 0 and 1"),
        (["--delta", "1.5"], "--delta must lie between 0 and 1"),
        (["--folds", "1"], "folds"),
        (["--folds", "100000"], "folds"),
        (["--guard", "tfb", "--over", "rtb.warnAt=3..4"], "--guard leaves rtb out"),
        (["--guard", "rtr", "--disturbed-by", "gate"], "--disturbed-by any"),
        (
            ["--fail-on", "advise"],
            "derive never finds that, replay does; derive finds",
        ),
        (["--merge-into", "/nowhere/p.yml"], "no such file"),
        (["--labels", "/nowhere/labels.toml"], "no such folder"),
        (["--format", "csv"], "known formats"),
        (["--candidates", "/nowhere/c.yaml"], "no such file"),
    ],
)
def test_mistakes_are_one_line_and_exit_2(corpus, arguments, words):
    done = run(corpus, "-q", *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("labels", "code", "words"),
    [
        ("", 2, "no log is labelled healthy or stuck"),
        ('[[label]]\nsession = "absent"\noutcome = "stuck"\n', 2, "matches none"),
        ('[[label]]\nsession = "s-1"\noutcome = "fine"\n', 2, "outcome"),
        ('[[label]]\nsession = "s-1"\noutcome = "stuck"\n', 0, "no session is labelled healthy"),
        ('[[label]]\nsession = "s-1"\noutcome = "healthy"\n', 0, "no session is labelled stuck"),
    ],
)
def test_labels_that_do_not_do(tmp_path, labels, code, words):
    session = Session("s-1").human("Go").call("bash", {"command": "ls"}).result("ok")
    write_session(tmp_path, session, 4)
    (tmp_path / "labels.toml").write_text(labels)
    done = run(tmp_path, "--no-cache")
    assert done.exit_code == code
    assert words in done.stderr


def test_yaml_is_what_it_says(corpus):
    done = run(SHIPPED, "--format=yaml", "-q")
    assert list(YAML(typ="safe").load(io.StringIO(done.stdout)))[:2] == ["schema_version", "tool"]
