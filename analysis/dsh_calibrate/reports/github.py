"""A check for GitHub Actions: workflow commands that annotate, and a job summary."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from dsh_calibrate.studies.check import CheckReport
from dsh_calibrate.studies.check_findings import RULES, Finding, findings
from dsh_calibrate.wording import counted

SHOWN = 50
"""Findings listed in a job summary; the rest is counted."""

_COMMANDS = {"error": "error", "note": "notice"}
_CONTROL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def check_annotations(report: CheckReport, base: Path | None = None) -> str:
    """One ``::error`` or ``::notice`` line a finding; empty when there is none.

    Paths below ``base`` (default: the current folder) are relative to it.
    """
    here = (base or Path()).resolve()
    return "".join(_annotation(finding, here) for finding in findings(report))


def check_summary(report: CheckReport) -> str:
    """The job summary: a verdict, counts, the first findings, in Markdown."""
    found = findings(report)
    counts = Counter(finding.rule for finding in found)
    folder = _code(report.corpus.folder.name or str(report.corpus.folder))
    verdict = {0: "as agreed", 1: "not as agreed", 3: "coverage fell"}[report.exit_code]
    lines = [f"## dsh-calibrate check {folder}: {verdict}", ""]
    lines.append(
        f"{counted(report.coverage.found, 'log')}, "
        f"{counted(len(report.current.rows), 'decision')}, "
        f"{counted(len(report.expectations), 'expectation')}."
    )
    lines += ["", *(f"- {_plain(remark)}" for remark in report.remarks)]
    if counts:
        lines += ["", "| what | how many | meaning |", "|---|---:|---|"]
        lines += [f"| {r} | {counts[r]} | {RULES[r]} |" for r in RULES if counts[r]]
        lines += ["", "| id | what | log | where | why |", "|---|---|---|---|---|"]
        lines += [_row(finding) for finding in found[:SHOWN]]
    if len(found) > SHOWN:
        lines += ["", f"and {len(found) - SHOWN} more"]
    shown = next((finding.explain for finding in found if finding.explain), "")
    if shown:
        lines += ["", f"See why, for example: {_code(shown)}"]
    return "\n".join(lines) + "\n"


def _annotation(finding: Finding, here: Path) -> str:
    whole = finding.file.resolve()
    path = whole.relative_to(here) if whole.is_relative_to(here) else whole
    title = f"dsh-calibrate check: {finding.rule}"
    properties = f"file={_property(path.as_posix())},line={finding.line},title={_property(title)}"
    text = f"{finding.log}: {finding.text}" if finding.log else finding.text
    if finding.explain:
        text += f"\n{finding.explain}"
    return f"::{_COMMANDS[finding.level]} {properties}::{_data(text)}\n"


def _data(text: str) -> str:
    """Text as the value of a workflow command."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return _visible(escaped)


def _property(text: str) -> str:
    """Text as a property of a workflow command."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _row(finding: Finding) -> str:
    cells = (
        _code(finding.id) if finding.id else "",
        finding.rule,
        _code(finding.log) if finding.log else "",
        _plain(finding.place),
        _plain(finding.message),
    )
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    shown = re.sub(r"([\\`*_\[\]<>#|~&!])", r"\\\1", _visible(text))
    return shown.replace("@", "@\u2060")  # nobody is mentioned


def _code(text: str) -> str:
    """A code span, in a table cell or not."""
    shown = _visible(text).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall("`+", shown)), default=0) + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _visible(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
