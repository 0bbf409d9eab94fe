"""A check as SARIF 2.1.0, for code scanning: results point into the corpus' text files."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from dsh_calibrate import __version__
from dsh_calibrate.studies.check import CheckReport
from dsh_calibrate.studies.check_findings import RULES, Finding, findings

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def check_sarif(report: CheckReport, base: Path | None = None) -> dict[str, object]:
    """The document. Paths below ``base`` (default: the current folder) are relative to it.

    Results carry a fingerprint, so that a viewer knows a finding again from run to run.
    """
    here = (base or Path()).resolve()
    names = list(RULES)
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "dsh-calibrate",
                        "version": __version__,
                        "rules": [
                            {
                                "id": f"check/{rule}",
                                "shortDescription": {"text": f"{RULES[rule]}."},
                                "defaultConfiguration": {
                                    "level": "note" if rule == "fixed" else "error"
                                },
                            }
                            for rule in names
                        ],
                    }
                },
                "columnKind": "utf16CodeUnits",
                "results": [
                    _result(finding, names.index(finding.rule), here)
                    for finding in findings(report)
                ],
            }
        ],
    }


def _result(finding: Finding, rule: int, here: Path) -> dict[str, object]:
    text = f"{finding.log}: {finding.text}" if finding.log else finding.text
    if finding.explain:
        text += f". See: {finding.explain}"
    result: dict[str, object] = {
        "ruleId": f"check/{finding.rule}",
        "ruleIndex": rule,
        "level": finding.level,
        "message": {"text": text},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": _uri(finding.file, here)},
                    "region": {"startLine": finding.line},
                }
            }
        ],
    }
    mark = finding.id or f"{finding.rule}:{finding.log}:{finding.place}"
    result["partialFingerprints"] = {"dshCalibrateFinding/v1": mark}
    return result


def _uri(path: Path, here: Path) -> str:
    whole = path.resolve()
    if whole.is_relative_to(here):
        return quote(whole.relative_to(here).as_posix())
    return whole.as_uri()
