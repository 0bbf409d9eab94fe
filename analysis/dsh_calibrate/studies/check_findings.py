"""The findings of a check, one by one, as every report lists them: what, where, how bad."""

from __future__ import annotations

import bisect
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dsh_calibrate.corpora.baseline import Row
from dsh_calibrate.corpora.baseline_changes import Change
from dsh_calibrate.corpora.expectations import Judged
from dsh_calibrate.corpora.globs import matches
from dsh_calibrate.corpora.label_reading import read_labels
from dsh_calibrate.corpora.labels import Point
from dsh_calibrate.corpora.manifest import BASELINE, LABELS, MANIFEST
from dsh_calibrate.guards.repeat_tool_breaker import profiles
from dsh_calibrate.studies.check import CheckReport

Rule = Literal["coverage", "new", "vanished", "changed", "missed", "disturbed", "fixed"]
Level = Literal["error", "note"]

RULES: dict[Rule, str] = {
    "coverage": "Less of the corpus can be read than agreed",
    "new": "A guard decision that the baseline does not have",
    "vanished": "A guard decision of the baseline that no longer happens",
    "changed": "A guard decision that differs from the baseline's",
    "missed": "A guard is silent where a label expects it to speak",
    "disturbed": "A guard speaks where a label expects it to be quiet",
    "fixed": "A known miss or a known false alarm is gone; the label can say so",
}
"""What each kind of finding means."""

_LINE = re.compile(r"\(line ([0-9]+)\)")


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    ``log`` is empty for coverage; ``place`` says which call or stream (``rtb at call 12``);
    ``file`` and ``line`` point into a text file of the corpus, for annotations; ``explain``
    is the command that shows the place, ``id`` what ``--accept`` takes (changes only).
    """

    rule: Rule
    level: Level
    message: str
    file: Path
    line: int = 1
    log: str = ""
    place: str = ""
    explain: str = ""
    id: str = ""

    @property
    def text(self) -> str:
        """Place and message in one line."""
        return f"{self.place}: {self.message}" if self.place else self.message


def findings(report: CheckReport) -> list[Finding]:
    """Everything found: coverage, changes, then expectations; errors and notes."""
    manifest = report.corpus.folder / MANIFEST
    found = [Finding("coverage", "error", text, manifest) for text in report.coverage_fell]
    keys = [row.sort_key for row in report.baseline.rows]
    found += [_change(report, change, keys) for change in report.changes]
    judged = [j for j in report.expectations if j.fails or j.state == "fixed"]
    lines = _LabelLines(report) if judged else None
    found += [_expectation(report, j, lines) for j in judged if lines is not None]
    return found


def place_of(where: Row | Point) -> str:
    """Which call or stream a decision or an expectation is about: ``rtb at call 12``."""
    words = f"{where.guard} at {where.kind} {where.ordinal}"
    return f"{words} of lifecycle {where.lifecycle}" if where.lifecycle else words


def explain_line(report: CheckReport, log: str, guard: str, seq: int | None) -> str:
    """The command that shows a place of a log, under the settings of the corpus.

    Empty when its seq is not known.
    """
    if seq is None:
        return ""
    corpus = report.corpus
    words = ["dsh-calibrate", "explain", str(corpus.folder / log)]
    words += ["--guard", guard, "--seq", str(seq)]
    if corpus.manifest.config is not None:
        words += ["--config", str(corpus.folder / corpus.manifest.config)]
    for plugin, version in corpus.settings.plugin_versions.items():
        if version != profiles.DEFAULT:
            words += ["--plugin-version", f"{plugin}={version}"]
    return shlex.join(words)


def _change(report: CheckReport, change: Change, keys: list[tuple[object, ...]]) -> Finding:
    row = change.row
    sought = change.before if change.before is not None else row
    return Finding(
        rule=change.kind,
        level="error",
        message="; ".join(change.reasons),
        file=report.corpus.folder / BASELINE,
        line=min(bisect.bisect_left(keys, sought.sort_key) + 2, len(keys) + 1),
        log=row.log,
        place=place_of(row),
        explain=explain_line(report, row.log, row.guard, report.seqs.get(change.id)),
        id=change.id,
    )


def _expectation(report: CheckReport, judged: Judged, lines: _LabelLines) -> Finding:
    point = judged.point
    message = {
        "missed": "expected to speak and is silent",
        "disturbed": "expected to be quiet and speaks",
        "fixed": f"labelled {point.expect} and no longer so: the label can say "
        f"{'expect' if point.expect == 'known-miss' else 'quiet'}",
    }[judged.state]
    rule: Rule = "fixed"
    if judged.state == "missed" or judged.state == "disturbed":
        rule = judged.state
    return Finding(
        rule=rule,
        level="error" if judged.fails else "note",
        message=message,
        file=report.corpus.folder / LABELS,
        line=lines.line(judged),
        log=judged.log,
        place=place_of(point),
        explain=explain_line(report, judged.log, point.guard, judged.seq),
    )


class _LabelLines:
    """At which line of ``labels.toml`` the entry with an expectation begins."""

    def __init__(self, report: CheckReport) -> None:
        self._entries = read_labels(report.corpus.folder / LABELS)
        self._sessions = {
            log.key: log.header.session for log in report.corpus.logs.logs if log.header is not None
        }

    def line(self, judged: Judged) -> int:
        """The line of the entry, 1 where it cannot be told."""
        session = self._sessions.get(judged.log)
        for entry in self._entries:
            speaks = (entry.log is not None and matches(entry.log, judged.log)) or (
                entry.session is not None
                and session is not None
                and matches(entry.session, session)
            )
            line = _LINE.search(entry.place)
            if speaks and judged.point in entry.points and line is not None:
                return int(line[1])
        return 1
