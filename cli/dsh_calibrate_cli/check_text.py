"""A check for people: what changed, log by log, each with its id and how to look at it."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

from dsh_calibrate.studies.check import CheckReport
from dsh_calibrate.studies.check_findings import RULES, Finding, findings
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import printable


def check_text(report: CheckReport) -> bytes:
    """The text, UTF-8. It names logs, measures and figures, and holds no content of a log."""
    lines: list[str] = []
    found = sorted(findings(report), key=lambda finding: finding.log)
    for log, members in groupby(found, key=lambda finding: finding.log):
        lines.append(printable(log) if log else "the corpus as a whole")
        for finding in members:
            lines += _finding(finding)
        lines.append("")
    if any(finding.id for finding in found):
        lines.append("Take one change over: check --accept ID; all of them: check --update.")
    lines.append(one_line(report))
    return ("\n".join(lines) + "\n").encode("utf-8", "backslashreplace")


def one_line(report: CheckReport) -> str:
    """The outcome in a line: counts, and whether it is as agreed."""
    counts = Counter(finding.rule for finding in findings(report))
    parts = [f"{counts[rule]} {rule}" for rule in RULES if counts[rule]]
    known = sum(judged.state == "known" for judged in report.expectations)
    if known:
        parts.append(counted(known, "known miss or false alarm", "known misses or false alarms"))
    verdict = {0: "as agreed", 1: "not as agreed", 3: "coverage fell"}[report.exit_code]
    words = (
        f"{verdict}: {counted(report.coverage.found, 'log')}, "
        f"{counted(len(report.current.rows), 'decision')}, "
        f"{counted(len(report.expectations), 'expectation')}"
    )
    return f"{words}; {', '.join(parts)}" if parts else words


def _finding(finding: Finding) -> list[str]:
    head = f"  {finding.rule}" + (f" {finding.id}" if finding.id else "")
    lines = [f"{head}: {printable(finding.text)}"]
    if finding.explain:
        lines.append(f"    {printable(finding.explain)}")
    return lines
