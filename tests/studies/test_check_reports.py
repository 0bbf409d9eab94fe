"""The reports of a check, each against its published schema or grammar."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from corpora.corpus_folders import make_corpus
from dsh_calibrate.corpora.baseline import sorted_rows
from dsh_calibrate.corpora.baseline_changes import compare
from dsh_calibrate.reports.github import check_annotations, check_summary
from dsh_calibrate.reports.junit import check_junit
from dsh_calibrate.reports.sarif import check_sarif
from dsh_calibrate.studies.check import check_corpus
from dsh_calibrate.studies.check_findings import findings

SCHEMAS = Path(__file__).parents[1] / "schemas"
HOSTILE = "a\x1b[31m`|<b>]]>&@all\u202e\ud800\n::error::x%0A, :é/s.jsonl"


@pytest.fixture(scope="module")
def fine(tmp_path_factory):
    return check_corpus(make_corpus(tmp_path_factory.mktemp("c") / "corpus"), jobs=1)


@pytest.fixture(scope="module")
def changed(fine):
    """Every kind of finding at once, one of them in a log with a hostile name."""
    first, second, *rest = fine.current.rows
    rows = [
        replace_row(first, count=99),
        *rest,
        replace_row(second, log=HOSTILE),
    ]
    judged = [
        replace(j, state=state)
        for j, state in zip(fine.expectations, ("missed", "disturbed", "fixed"), strict=True)
    ]
    return replace(
        fine,
        changes=tuple(compare(fine.current.rows, sorted_rows(rows))),
        expectations=tuple(judged),
        coverage_fell=("less was read",),
        remarks=("another engine",),
    )


def replace_row(row, **changes):
    import msgspec

    return msgspec.structs.replace(row, **changes)


@pytest.fixture(params=["fine", "changed"])
def report(request):
    return request.getfixturevalue(request.param)


def test_the_report_has_every_kind_of_finding(changed):
    kinds = {f.rule for f in findings(changed)}
    assert kinds == {"coverage", "new", "vanished", "changed", "missed", "disturbed", "fixed"}


def test_junit_keeps_to_its_schema(report, tmp_path):
    path = tmp_path / "check.xml"
    path.write_bytes(check_junit(report))
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(str(path))


def test_junit_tells_what_failed(fine, changed):
    suite = ElementTree.fromstring(check_junit(fine)).find("testsuite")
    assert suite.attrib | {"name": ""} == {
        "name": "",
        "tests": "7",
        "failures": "0",
        "errors": "0",
        "skipped": "0",
    }
    suite = ElementTree.fromstring(check_junit(changed)).find("testsuite")
    failures = {c.get("classname"): c.find("failure") for c in suite if len(c)}
    assert set(failures) == {"check.coverage", "check.baseline", "check.expectations"}
    assert int(suite.get("failures")) == len([c for c in suite if len(c)])
    assert "dsh-calibrate explain" in failures["check.expectations"].text
    assert check_junit(changed) == check_junit(changed)


def test_junit_has_a_test_for_a_log_that_is_no_longer_listed(changed):
    suite = ElementTree.fromstring(check_junit(changed)).find("testsuite")
    (case,) = [c for c in suite if c.get("name").endswith("é/s.jsonl")]
    assert case.find("failure").get("type") == "new"


def test_sarif_keeps_to_its_schema(report):
    schema = json.loads((SCHEMAS / "sarif-2.1.0-rtm.5.json").read_text())
    document = json.loads(json.dumps(check_sarif(report)))
    jsonschema.Draft4Validator(schema).validate(document)


def test_sarif_points_into_the_text_files_of_the_corpus(changed):
    folder = changed.corpus.folder
    (run,) = check_sarif(changed, folder.parent)["runs"]
    found = {
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
    }
    assert found == {"corpus/corpus.toml", "corpus/baseline.jsonl", "corpus/labels.toml"}
    for result in run["results"]:
        rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
    marks = [r["partialFingerprints"]["dshCalibrateFinding/v1"] for r in run["results"]]
    assert len(set(marks)) == len(marks)
    outside = check_sarif(changed, folder / "sessions")["runs"][0]["results"][0]
    uri = outside["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("file:///")


COMMAND = re.compile(
    r"::(error|notice) file=[^:,\s]+,line=[1-9][0-9]*,title=[^:,\n]+::[^\x00-\x1f\x7f]+"
)


def test_annotations_are_workflow_commands(fine, changed):
    assert check_annotations(fine) == ""
    lines = check_annotations(changed).splitlines()
    assert len(lines) == len(findings(changed))
    for line in lines:
        assert COMMAND.fullmatch(line), line
    assert sum(line.startswith("::notice") for line in lines) == 1


def test_the_summary_is_markdown_that_shows_names_as_they_are(fine, changed):
    assert check_summary(fine).startswith("## dsh-calibrate check `corpus`: as agreed\n")
    text = check_summary(changed)
    assert "coverage fell" in text
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e\ud800]", text)
    for row in (line for line in text.splitlines() if line.startswith("|")):
        bare = re.sub(r"(`+) ?.*?\1|\\.", "", row)
        assert bare.count("|") in (4, 6), row
        assert "<" not in bare
    assert "dsh-calibrate explain" in text
