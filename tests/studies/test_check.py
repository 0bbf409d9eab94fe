"""A corpus against its baseline and labels: what is a finding, what is refused."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from corpora.corpus_folders import LABELS, agree, looping, make_corpus
from dsh_calibrate.corpora.baseline_file import read_baseline, render_baseline
from dsh_calibrate.corpora.manifest import Manifest, ManifestError
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.studies.check import accepted, check_corpus, check_loaded, load_corpus, updated
from dsh_calibrate.studies.check_files import verify_corpus
from dsh_calibrate.studies.check_findings import findings
from dsh_calibrate.studies.check_json import check_document

SHIPPED = Path(__file__).parents[2] / "corpora"


@pytest.fixture(scope="module")
def agreed(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("agreed") / "corpus")


@pytest.fixture
def corpus(agreed, tmp_path):
    return shutil.copytree(agreed, tmp_path / "corpus")


def check(folder):
    return check_corpus(folder, jobs=1)


@pytest.mark.parametrize("name", ["first-loops", "all-guards", "damaged-logs"])
def test_the_shipped_corpora_are_as_agreed(name):
    """This project's own check: a change of the engine shows here first."""
    report = check(SHIPPED / name)
    assert [finding.text for finding in findings(report)] == []
    assert report.remarks == ()
    assert report.exit_code == 0
    assert report.corpus.logs.unlisted == ()
    assert verify_corpus(SHIPPED / name).problems == []
    committed = (SHIPPED / name / "baseline.jsonl").read_text()
    assert render_baseline(report.current) == committed


def test_a_corpus_is_as_agreed(corpus):
    report = check(corpus)
    assert report.ok
    assert [(j.point.guard, j.state) for j in report.expectations] == [
        ("rtb", "met"),
        ("rtb", "met"),
        ("tfb", "known"),
    ]


def configure(corpus, text):
    (corpus / "settings.yml").write_text(text)
    manifest = (corpus / "corpus.toml").read_text()
    changed = manifest.replace("schema = 1\n", 'schema = 1\nconfig = "settings.yml"\n')
    (corpus / "corpus.toml").write_text(changed)


def test_other_settings_show_as_changes_with_their_reason(corpus):
    configure(corpus, "rtb: {warnAt: 8}")
    report = check(corpus)
    assert report.exit_code == 1
    assert report.remarks == ("settings of rtb are not those of the baseline",)
    told = {(f.rule, f.place): f for f in findings(report) if "/loop/" in f.log}
    assert set(told) == {
        ("vanished", "rtb at call 6"),
        ("new", "rtb at call 7"),
        ("missed", "rtb at call 6"),
    }
    gone = told["vanished", "rtb at call 6"]
    assert "the baseline has advise warn, cmd 7 of 7" in gone.message
    assert "rtb first speaks at call 7 of this lifecycle now" in gone.message
    assert re.search(
        r"explain .*/loop/session\.v4\.jsonl --guard rtb --seq \d+ --config \S+/settings.yml$",
        gone.explain,
    )
    assert told["missed", "rtb at call 6"].explain == gone.explain
    lines = (corpus / "baseline.jsonl").read_text().splitlines()
    row = json.loads(lines[gone.line - 1])
    assert (row["call"], row["guard"]) == (6, "rtb")
    assert told["missed", "rtb at call 6"].line == 2


EXPECTATIONS = [
    ("rtb", "call", 6, "expect", "met"),
    ("rtb", "call", 5, "expect", "missed"),
    ("rtb", "call", 5, "quiet", "met"),
    ("rtb", "call", 6, "quiet", "disturbed"),
    ("rtb", "call", 5, "known-miss", "known"),
    ("rtb", "call", 6, "known-miss", "fixed"),
    ("rtb", "call", 6, "known-false", "known"),
    ("rtb", "call", 5, "known-false", "fixed"),
]


@pytest.mark.parametrize(("guard", "kind", "ordinal", "expect", "state"), EXPECTATIONS)
def test_expectations_are_judged(corpus, guard, kind, ordinal, expect, state):
    (corpus / "labels.toml").write_text(
        f'[[label]]\nsession = "loop"\noutcome = "stuck"\n[[label.at]]\nguard = "{guard}"\n'
        f'{kind} = {ordinal}\nexpect = "{expect}"\n'
    )
    report = check(corpus)
    assert [judged.state for judged in report.expectations] == [state]
    assert report.exit_code == (1 if state in ("missed", "disturbed") else 0)
    shown = [(f.rule, f.level) for f in findings(report)]
    assert shown == {
        "missed": [("missed", "error")],
        "disturbed": [("disturbed", "error")],
        "fixed": [("fixed", "note")],
    }.get(state, [])


def test_another_engine_is_compared_with_a_remark(corpus):
    path = corpus / "baseline.jsonl"
    before = read_baseline(path)
    path.write_text(render_baseline(replace(before, engine="0.0.9")))
    report = check(corpus)
    assert report.ok
    assert report.remarks == ("the baseline was written by dsh-calibrate 0.0.9, this is 0.1.0",)


@pytest.mark.parametrize(("lines", "code"), [(10_000, 3), (1, 0)])
def test_lines_that_are_no_longer_read_are_a_fall(corpus, lines, code):
    path = corpus / "baseline.jsonl"
    before = read_baseline(path)
    path.write_text(
        render_baseline(replace(before, coverage=replace(before.coverage, lines=lines)))
    )
    report = check(corpus)
    assert report.exit_code == code
    assert all("lines were read, 10000 then" in text for text in report.coverage_fell)
    # Another set of logs has other lines.
    path.write_text(
        render_baseline(
            replace(before, coverage=replace(before.coverage, lines=lines), corpus="00" * 16)
        )
    )
    assert check(corpus).exit_code == 0


def damage(corpus):
    """Break one listed log and list it as it is now."""
    path = corpus / "sessions/--w--/short/session.v4.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"{broken\n", *lines[3:]]))
    manifest = (corpus / "corpus.toml").read_text()
    from dsh_calibrate.replay.envelope import file_digest

    old = re.search(r'short/session.v4.jsonl"\ndigest = "(\w+)"', manifest)[1]
    (corpus / "corpus.toml").write_text(manifest.replace(old, file_digest(path)))


def test_coverage_that_falls_is_exit_code_3(corpus):
    damage(corpus)
    report = check(corpus)
    assert report.exit_code == 3
    assert report.coverage_fell == (
        "2 of 3 logs were read whole, less than the 100% of min_coverage",
        "2 of 3 logs were read whole, 3 of 3 when the baseline was written",
    )
    assert "the logs listed are not those of the baseline" in report.remarks
    # The baseline can be written anew; the minimum of corpus.toml stays.
    assert updated(report).coverage_fell == report.coverage_fell[:1]


def test_one_change_or_all_are_taken(corpus):
    configure(corpus, "rtb: {warnAt: 8}")
    report = check(corpus)
    first, *others = report.changes
    left = accepted(report, [first.id])
    assert left.changes == tuple(others)
    assert left.baseline.settings == report.baseline.settings
    (corpus / "baseline.jsonl").write_text(render_baseline(left.baseline))
    again = check(corpus)
    assert [change.id for change in again.changes] == [change.id for change in others]
    done = accepted(again, [change.id for change in others])
    assert done.baseline == updated(report).baseline == report.current
    assert done.remarks == ()
    with pytest.raises(UsageError, match="no such change"):
        accepted(report, ["00000000x"])


REFUSED = {
    "a missing log": (
        lambda c: (c / "sessions/--w--/short/session.v4.jsonl").unlink(),
        "listed log 'sessions/--w--/short/session.v4.jsonl' is missing",
    ),
    "another digest": (
        lambda c: (c / "sessions/--w--/short/session.v4.jsonl").open("a").write("\n"),
        "log 'sessions/--w--/short/session.v4.jsonl' has another digest",
    ),
    "an older generation": (
        lambda c: write_session(c / "sessions", looping("other-loop", "cat notes.txt", 14), 4),
        "other-loop/session.jsonl.zstd' is an older generation",
    ),
    "no manifest": (lambda c: (c / "corpus.toml").unlink(), "corpus.toml: no such file"),
    "no baseline": (lambda c: (c / "baseline.jsonl").unlink(), "baseline.jsonl: no baseline yet"),
    "no logs": (
        lambda c: (c / "corpus.toml").write_text("schema = 1\n"),
        "corpus.toml: lists no log: add some",
    ),
    "no settings file": (
        lambda c: (c / "corpus.toml").write_text("schema = 1\nconfig = 'x.yml'\n"),
        "corpus.toml: config: 'x.yml' is no file here",
    ),
    "an unknown version": (
        lambda c: (c / "corpus.toml").write_text("schema = 1\nplugin_versions = {rtb = '9'}\n"),
        "corpus.toml: ",
    ),
    "a label that matches nothing": (
        lambda c: (c / "labels.toml").write_text(
            LABELS + '[[label]]\nsession = "gone"\noutcome = "stuck"\n'
        ),
        "session: 'gone' matches none of the 3 logs",
    ),
    "a label at a call that is not there": (
        lambda c: (c / "labels.toml").write_text(LABELS.replace("call = 6", "call = 12")),
        "has no such call: correct the label",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_with_a_corpus_is_named(corpus, name):
    change, words = REFUSED[name]
    change(corpus)
    with pytest.raises(CalibrateError) as wrong:
        check(corpus)
    assert words in str(wrong.value)
    assert "\n" not in str(wrong.value)
    assert wrong.value.exit_code == 2
    seen = verify_corpus(corpus)
    texts = seen.problems + (seen.remarks if name == "no baseline" else [])
    assert any(words in text for text in texts)


def test_refused_settings_name_the_corpus(corpus):
    configure(corpus, "rtr: {thresholds: [0]}")
    with pytest.raises(ManifestError, match=r"corpus\.toml: .*settings\.yml.*rtr\.thresholds"):
        load_corpus(corpus)


def test_all_that_is_wrong_is_listed(corpus):
    (corpus / "sessions/--w--/short/session.v4.jsonl").unlink()
    (corpus / "sessions/--w--/loop/session.v4.jsonl").open("a").write("\n")
    (corpus / "baseline.jsonl").write_text("{}\n")
    assert len(verify_corpus(corpus).problems) == 3
    with pytest.raises(ManifestError, match="and 1 more; `corpus verify` lists them all"):
        load_corpus(corpus)


def test_a_log_that_is_not_listed_is_left_out_and_named(corpus):
    write_session(corpus / "sessions", looping("more", "ls"))
    report = check(corpus)
    assert report.ok
    assert report.corpus.logs.unlisted == ("sessions/--w--/more/session.v4.jsonl",)


def test_a_guard_that_is_switched_off_is_not_judged(tmp_path):
    labels = LABELS.replace("call = 1", "call = 2")
    folder = make_corpus(tmp_path / "c", labels)
    configure(folder, "rlg: {enabled: false}")
    assert check(folder).ok


def test_a_corpus_without_labels_is_checked(corpus):
    (corpus / "labels.toml").unlink()
    report = check(corpus)
    assert report.ok
    assert report.expectations == ()


def test_the_version_of_a_plugin_is_part_of_the_corpus(tmp_path):
    folder = make_corpus(tmp_path / "c", manifest=Manifest(plugin_versions={"rtb": "0.5.2"}))
    assert check(folder).current.plugin_versions == {"rtb": "0.5.2"}
    text = (folder / "corpus.toml").read_text()
    (folder / "corpus.toml").write_text(text.replace("0.5.2", "0.8"))
    report = check(folder)
    assert report.remarks[0].startswith("plugin versions are rtb=0.8, the baseline was written")


def test_the_document_says_what_the_contract_says(corpus):
    configure(corpus, "rtb: {warnAt: 8}")
    document = check_document(check(corpus))
    assert list(document)[:6] == [
        *("schema_version", "tool", "plugin_versions", "config", "corpus_digest", "coverage")
    ]
    assert {"new", "vanished", "changed", "expectations"} <= set(document)
    assert document["config"]["rtb"]["warnAt"] == 8
    gone = document["vanished"][0]
    assert gone["id"]
    assert gone["reasons"]
    assert "seq" not in gone
    assert json.loads(json.dumps(document)) == document


def test_the_result_is_the_same_for_any_number_of_processes(corpus):
    one = check_loaded(load_corpus(corpus), None, 1)
    two = check_loaded(load_corpus(corpus), None, 2)
    assert render_baseline(one.current) == render_baseline(two.current)
    agree(corpus)
    assert check(corpus).ok
