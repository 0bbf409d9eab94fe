"""``check`` and ``corpus init|add|verify`` as users run them, and the examples that ship."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML
from typer.testing import CliRunner

from corpora.corpus_folders import looping, make_corpus
from dsh_calibrate.corpora.manifest import read_manifest
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate_cli.main import app

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "dsh"))


@pytest.fixture(scope="module")
def agreed(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("agreed") / "corpus")


@pytest.fixture
def corpus(agreed, tmp_path):
    return shutil.copytree(agreed, tmp_path / "corpus")


@pytest.fixture
def changed(corpus):
    """The same corpus under a setting that its baseline was not written with."""
    (corpus / "settings.yml").write_text("rtb: {warnAt: 8}")
    path = corpus / "corpus.toml"
    path.write_text(path.read_text().replace("schema = 1", 'schema = 1\nconfig = "settings.yml"'))
    return corpus


def run(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_check_says_as_agreed(corpus, monkeypatch):
    result = run("check", corpus)
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        "as agreed: 3 logs, "
        f"{len((corpus / 'baseline.jsonl').read_text().splitlines()) - 1} decisions, "
        "3 expectations; 1 known misses or false alarms",
    )
    monkeypatch.chdir(corpus)
    assert run("check", "-q").stderr == ""


def test_the_outcome_is_told_once(corpus, tmp_path):
    told = run("check", corpus)
    assert told.stdout.count("as agreed:") == 1
    assert "as agreed:" not in told.stderr
    for elsewhere in (["--format", "json"], ["-o", tmp_path / "check.txt"]):
        assert run("check", corpus, *elsewhere).stderr.count("as agreed:") == 1
    updated = run("check", corpus, "--update")
    assert updated.stderr.count("as agreed:") == 1


def test_check_shows_what_changed_and_how_to_look(changed):
    before = (changed / "baseline.jsonl").read_bytes()
    result = run("check", changed)
    assert result.exit_code == 1
    assert "warning: settings of rtb are not those of the baseline" in result.stderr
    blocks = result.stdout.split("\n\n")
    loop = next(b for b in blocks if b.startswith("sessions/--w--/loop/"))
    findings = [line for line in loop.splitlines()[1:] if not line.startswith("    ")]
    explained = [line for line in loop.splitlines() if "dsh-calibrate explain" in line]
    assert len(findings) == len(explained) == 3
    assert "\x1b" not in result.stdout
    assert (changed / "baseline.jsonl").read_bytes() == before


def test_every_explain_line_shows_the_decision_of_its_finding(changed):
    """Each is run as printed: under the settings and versions of the corpus, not the defaults."""
    manifest = changed / "corpus.toml"
    text = manifest.read_text()
    versions = re.sub(r"(?m)^plugin_versions = .*$", 'plugin_versions = { rtb = "0.5.2" }', text)
    assert versions != text
    manifest.write_text(versions)
    lines = run("check", changed).stdout.splitlines()
    commands = [line.strip() for line in lines if "dsh-calibrate explain" in line]
    assert commands
    for command in commands:
        shown = run(*shlex.split(command)[1:], "--format", "json")
        assert shown.exit_code == 0
        told = json.loads(shown.stdout)
        assert told["plugin_versions"]["rtb"] == "0.5.2"
        assert told["config"]["rtb"]["warnAt"] == 8


def test_diff_shows_and_never_fails(changed):
    before = (changed / "baseline.jsonl").read_bytes()
    result = run("check", changed, "--diff")
    assert result.exit_code == 0
    assert "vanished" in result.stdout
    assert (changed / "baseline.jsonl").read_bytes() == before


def test_accept_takes_one_change_and_update_the_rest(changed):
    found = json.loads(run("check", changed, "--format", "json").stdout)
    ids = [change["id"] for name in ("new", "vanished", "changed") for change in found[name]]
    result = run("check", changed, "--accept", ids[0], "--format", "json")
    assert result.exit_code == 1
    left = json.loads(result.stdout)
    assert ids[0] not in json.dumps(left)
    result = run("check", changed, "--update")
    assert result.exit_code == 1  # the label still expects an advice at call 6
    labels = changed / "labels.toml"
    labels.write_text(labels.read_text().replace("call = 6", "call = 7"))
    assert run("check", changed).exit_code == 0


def test_accepting_everything_is_an_update(changed):
    labels = changed / "labels.toml"
    labels.write_text(labels.read_text().replace("call = 6", "call = 7"))
    copy = shutil.copytree(changed, changed.parent / "copy")
    found = json.loads(run("check", changed, "--format", "json").stdout)
    ids = [change["id"] for name in ("new", "vanished", "changed") for change in found[name]]
    assert run("check", changed, *(w for i in ids for w in ("--accept", i))).exit_code == 0
    assert run("check", copy, "--update").exit_code == 0
    assert (changed / "baseline.jsonl").read_bytes() == (copy / "baseline.jsonl").read_bytes()


USAGE = [
    (["--update", "--diff"], "--update, --accept and --diff cannot be used together"),
    (["--accept", "zz"], "--accept zz: no such change"),
    (["--format", "xml"], "--format xml: unknown here"),
]


@pytest.mark.parametrize(("arguments", "words"), USAGE)
def test_usage_is_exit_code_2_and_writes_nothing(changed, arguments, words):
    before = (changed / "baseline.jsonl").read_bytes()
    result = run("check", changed, *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert (changed / "baseline.jsonl").read_bytes() == before


def test_a_hand_edited_baseline_is_refused_even_by_update(corpus):
    path = corpus / "baseline.jsonl"
    path.write_text(path.read_text().replace('"count":7', '"count":8', 1))
    for arguments in ([], ["--update"]):
        result = run("check", corpus, *arguments)
        assert result.exit_code == 2
        assert "baseline.jsonl: line 1: does not vouch" in result.stderr
    path.unlink()
    assert run("check", corpus, "--update").exit_code == 0
    assert run("check", corpus).exit_code == 0


def test_coverage_below_the_minimum_is_exit_code_3(corpus):
    path = corpus / "sessions/--w--/short/session.v4.jsonl"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\n{broken\n", 2))
    text = (corpus / "corpus.toml").read_text()
    head = text.split("\n[[log]]")[0] + "\n"
    (corpus / "corpus.toml").write_text(head)
    assert run("corpus", "add", corpus, "--corpus", corpus, "--as-is").exit_code == 0
    result = run("check", corpus, "--update")
    assert result.exit_code == 3
    assert "coverage fell" in result.stdout


def test_every_format_is_written_in_one_run(changed, tmp_path):
    outputs = {name: tmp_path / name for name in ("json", "junit", "sarif", "github", "summary")}
    result = run(
        "check", changed, *(w for n, p in outputs.items() for w in ("--output", f"{n}={p}"))
    )
    assert result.exit_code == 1
    assert json.loads(outputs["sarif"].read_text())["version"] == "2.1.0"
    assert outputs["junit"].read_text().startswith("<?xml")
    assert outputs["github"].read_text().startswith("::error file=")
    assert outputs["summary"].read_text().startswith("## dsh-calibrate check")


# corpus init, add, verify


def test_a_corpus_is_made_step_by_step(tmp_path):
    home, folder = tmp_path / "home/sessions", tmp_path / "guards"
    write_session(home, looping("loop", "ls"), 4, "zstd")
    (tmp_path / "mine.yml").write_text("rtb: {warnAt: 8}")
    made = ["--config", tmp_path / "mine.yml", "--min-coverage", "0.9", "--licence", "CC0"]
    assert run("corpus", "init", folder, *made).exit_code == 0
    manifest = read_manifest(folder)
    assert (manifest.config, manifest.min_coverage, manifest.licence) == ("mine.yml", 90, "CC0")
    assert manifest.plugin_versions == {"rtb": "0.8"}
    assert run("check", folder).exit_code == 2
    result = run("corpus", "add", home, "--corpus", folder, "--as-is", "--provenance", "me")
    assert result.stdout == "sessions/--w--/loop/session.v4.jsonl.zstd\n"
    assert read_manifest(folder).logs[0].provenance == "me"
    assert run("corpus", "verify", folder).stdout.endswith("1 logs, 0 labelled, no baseline\n")
    assert run("check", folder, "--update").exit_code == 0
    assert run("check", folder).exit_code == 0
    result = run("corpus", "add", home, "--corpus", folder, "--as-is")
    assert result.exit_code == 2
    assert "has the same bytes as" in result.stderr


def test_logs_are_redacted_on_their_way_in(tmp_path):
    home, folder = tmp_path / "home/sessions", tmp_path / "guards"
    write_session(home, looping("loop", "cat zebrastripe.txt"))
    assert run("corpus", "init", folder).exit_code == 0
    result = run("corpus", "add", home, "--corpus", folder)
    assert result.exit_code == 0, result.stderr
    (log,) = read_manifest(folder).logs
    assert "zebrastripe" not in (folder / log.path).read_text()
    assert run("check", folder, "--update").exit_code == 0
    rows = (folder / "baseline.jsonl").read_text().splitlines()[1:]
    assert [json.loads(row)["call"] for row in rows if '"warn"' in row] == [6]
    write_session(folder / "sessions", looping("inside", "ls"))
    result = run("corpus", "add", folder, "--corpus", folder)
    assert result.exit_code == 2
    assert "lies in the corpus already, where nothing is redacted" in result.stderr


def test_init_refuses(corpus, tmp_path):
    assert "exists: this folder is a corpus already" in run("corpus", "init", corpus).stderr
    recorded = tmp_path / "dsh/sessions/mine"
    result = run("corpus", "init", recorded)
    assert (result.exit_code, recorded.exists()) == (2, False)
    (tmp_path / "bad.yml").write_text("rtr: {thresholds: [0]}")
    result = run("corpus", "init", tmp_path / "new", "--config", tmp_path / "bad.yml")
    assert (result.exit_code, (tmp_path / "new").exists()) == (2, False)
    assert run("corpus", "init", tmp_path / "new", "--plugin-version", "rtb").exit_code == 2


def test_verify_names_every_problem(corpus):
    assert run("corpus", "verify", corpus).exit_code == 0
    (corpus / "sessions/--w--/short/session.v4.jsonl").unlink()
    (corpus / "baseline.jsonl").write_text("{}\n")
    result = run("corpus", "verify", corpus)
    assert result.exit_code == 2
    assert result.stdout.count("problem: ") == 2


# The ready pieces, in a project made for the purpose


@pytest.fixture
def project(agreed, tmp_path):
    """A project that keeps a corpus in tests/corpus, as the examples assume."""
    shutil.copytree(agreed, tmp_path / "project/tests/corpus")
    return tmp_path / "project"


def broken(project):
    labels = project / "tests/corpus/labels.toml"
    labels.write_text(labels.read_text().replace("call = 6", "call = 5"))


def started(command, project, **environment):
    """Run a command with this environment's scripts first on the path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        command,
        cwd=project,
        env={**os.environ, "PATH": path, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def read_yaml(path):
    return YAML(typ="safe").load(path.read_text())


def test_the_workflow_example_works(project, tmp_path):
    (job,) = read_yaml(ROOT / "examples/github-actions/guards.yml")["jobs"].values()
    steps = [step["run"] for step in job["steps"] if "dsh-calibrate check" in step.get("run", "")]
    assert len(steps) == 1
    summary = tmp_path / "summary.md"
    bash = ["bash", "-e", "-c", steps[0]]
    result = started(bash, project, GITHUB_STEP_SUMMARY=str(summary))
    assert (result.returncode, result.stdout) == (0, "")
    broken(project)
    result = started(bash, project, GITHUB_STEP_SUMMARY=str(summary))
    assert result.returncode == 1
    assert result.stdout.startswith("::error file=tests/corpus/labels.toml,line=2,")
    assert "not as agreed" in summary.read_text()
    sarif = json.loads((project / "guards.sarif").read_text())
    assert len(sarif["runs"][0]["results"]) == 1
    assert "<failure" in (project / "guards.xml").read_text()


def test_the_pre_commit_hooks_work(project):
    hooks = {hook["id"]: hook for hook in read_yaml(ROOT / ".pre-commit-hooks.yaml")}
    example = read_yaml(ROOT / "examples/pre-commit/.pre-commit-config.yaml")
    (used,) = example["repos"][0]["hooks"]
    check = [*hooks[used["id"]]["entry"].split(), *used["args"]]
    verify = [*hooks["dsh-calibrate-verify"]["entry"].split(), *used["args"]]
    assert started(check, project).returncode == 0
    assert started(verify, project).returncode == 0
    broken(project)
    assert started(check, project).returncode == 1
    (project / "tests/corpus/labels.toml").write_text("x")
    assert started(verify, project).returncode == 2


def test_the_pytest_fixture_works(project):
    for name in ("conftest.py", "test_guards.py"):
        shutil.copy(ROOT / "examples/pytest" / name, project)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_guards.py"]
    result = started(command, project)
    assert result.returncode == 0, result.stdout
    broken(project)
    result = started(command, project)
    assert result.returncode == 1
    assert "missed" in result.stdout
    assert "dsh-calibrate explain" in result.stdout
    (project / "tests/corpus/corpus.toml").unlink()
    result = started(command, project)
    assert result.returncode == 1
    assert "corpus.toml: no such file" in result.stdout
    assert "Traceback" not in result.stdout
