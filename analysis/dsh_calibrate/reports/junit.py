"""A check as JUnit XML: one test a log and one an expectation (Jenkins' junit-10 schema).

No clock stands in it, so that the same check gives the same bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree

from dsh_calibrate.studies.check import CheckReport
from dsh_calibrate.studies.check_findings import Finding, findings, place_of

_NOT_XML = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def check_junit(report: CheckReport) -> bytes:
    """The document, UTF-8 with declaration."""
    found = findings(report)
    name = _xml(f"dsh-calibrate check {report.corpus.folder.name or report.corpus.folder}")
    suite = ElementTree.Element("testsuite", {"name": name})
    _case(suite, "coverage", "coverage", (f for f in found if f.rule == "coverage"))
    changed: dict[str, list[Finding]] = {log.key: [] for log in report.corpus.logs.logs}
    for finding in found:
        if finding.id:  # also of logs that are no longer listed
            changed.setdefault(finding.log, []).append(finding)
    for key, changes in changed.items():
        _case(suite, "baseline", key, changes)
    failed = {(f.log, f.place): f for f in found if f.rule in ("missed", "disturbed")}
    for judged in report.expectations:
        place = place_of(judged.point)
        fault = failed.get((judged.log, place))
        title = f"{judged.log}: {place}: {judged.point.expect}"
        _case(suite, "expectations", title, [] if fault is None else [fault])
    counts = {
        "tests": str(len(suite)),
        "failures": str(sum(case.find("failure") is not None for case in suite)),
        "errors": "0",
    }
    for key, value in counts.items():
        suite.set(key, value)
    suite.set("skipped", "0")
    root = ElementTree.Element("testsuites", {"name": "dsh-calibrate check", **counts})
    root.append(suite)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()


def _case(suite: ElementTree.Element, group: str, name: str, found: Iterable[Finding]) -> None:
    attributes = {"name": _xml(name), "classname": f"check.{group}", "time": "0"}
    case = ElementTree.SubElement(suite, "testcase", attributes)
    reasons = list(found)
    if not reasons:
        return
    first = reasons[0]
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    message = _xml(f"{first.rule}: {first.text}{more}")
    failure = ElementTree.SubElement(case, "failure", {"type": first.rule, "message": message})
    failure.text = _xml("\n".join(_line(finding) for finding in reasons))


def _line(finding: Finding) -> str:
    parts = [finding.id, finding.rule, finding.text]
    line = " ".join(part for part in parts if part)
    return f"{line}\n    {finding.explain}" if finding.explain else line


def _xml(text: str) -> str:
    """``text`` without characters that XML 1.0 cannot hold; they become escapes."""
    return _NOT_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
