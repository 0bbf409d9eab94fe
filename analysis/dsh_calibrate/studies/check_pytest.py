"""A pytest fixture for suites of plugin authors: fail when a corpus is not as agreed.

In ``conftest.py``::

    pytest_plugins = ["dsh_calibrate.studies.check_pytest"]

and in a test::

    def test_guards_behave(check_dsh_corpus):
        check_dsh_corpus("tests/corpus")
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.studies.check import CheckReport, check_corpus
from dsh_calibrate.studies.check_findings import findings

_SHOWN = 20

CheckCorpus = Callable[[Path | str], CheckReport]
"""Checks a corpus, fails the test when it is not as agreed, returns the report."""


@pytest.fixture(scope="session")
def check_dsh_corpus(pytestconfig: pytest.Config) -> CheckCorpus:
    """Give a function that checks the corpus in a folder (relative to pytest's root)."""

    def run(folder: Path | str) -> CheckReport:
        __tracebackhide__ = True
        try:
            report = check_corpus(pytestconfig.rootpath / folder, jobs=1)
        except CalibrateError as wrong:
            pytest.fail(str(wrong), pytrace=False)
        if not report.ok:
            pytest.fail(failure_text(report), pytrace=False)
        return report

    return run


def failure_text(report: CheckReport) -> str:
    """What a failing test shows: the findings that fail, and how to look and to agree."""
    found = [finding for finding in findings(report) if finding.level == "error"]
    lines = [f"{report.corpus.folder}: {len(found)} findings", *report.remarks]
    for finding in found[:_SHOWN]:
        log = f"{finding.log!a}: " if finding.log else ""
        lines.append(f"  {finding.rule} {finding.id}: {log}{finding.text}")
        if finding.explain:
            lines.append(f"    {finding.explain}")
    if len(found) > _SHOWN:
        lines.append(f"  and {len(found) - _SHOWN} more")
    lines.append(f"review: dsh-calibrate check {report.corpus.folder} (then --update)")
    return "\n".join(lines)
