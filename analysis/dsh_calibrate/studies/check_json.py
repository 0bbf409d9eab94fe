"""The JSON of ``check`` (contract.md 5): ``new[], vanished[], changed[], expectations[]``."""

from __future__ import annotations

from dataclasses import asdict

from dsh_calibrate.corpora.baseline_changes import Change
from dsh_calibrate.corpora.baseline_file import row_json
from dsh_calibrate.corpora.expectations import Judged
from dsh_calibrate.replay.envelope import envelope
from dsh_calibrate.studies.check import CheckReport


def check_document(report: CheckReport) -> dict[str, object]:
    """The whole document: the common head, then what was found.

    ``new`` and ``vanished`` are baseline rows with ``id`` and ``reasons``; ``changed`` hold
    ``before`` and ``after``; ``expectations`` are all that were judged, met ones too.
    """
    head = envelope(
        plugin_versions=report.corpus.settings.plugin_versions,
        config=report.corpus.settings.as_json(),
        corpus_digest=report.current.corpus,
        coverage=report.coverage.as_json(),
    )
    return {
        **head,
        "as_agreed": report.ok,
        "baseline": {
            "engine": report.baseline.engine,
            "plugin_versions": dict(report.baseline.plugin_versions),
            "corpus_digest": report.baseline.corpus,
            "coverage": asdict(report.baseline.coverage),
            "decisions": len(report.baseline.rows),
        },
        "remarks": list(report.remarks),
        "coverage_fell": list(report.coverage_fell),
        "unlisted": list(report.corpus.logs.unlisted),
        "new": [_one_sided(change) for change in report.of_kind("new")],
        "vanished": [_one_sided(change) for change in report.of_kind("vanished")],
        "changed": [_changed(change) for change in report.of_kind("changed")],
        "expectations": [_judged(judged) for judged in report.expectations],
    }


def _one_sided(change: Change) -> dict[str, object]:
    return {"id": change.id, **row_json(change.row), "reasons": list(change.reasons)}


def _changed(change: Change) -> dict[str, object]:
    assert change.before is not None
    assert change.after is not None
    return {
        "id": change.id,
        "before": row_json(change.before),
        "after": row_json(change.after),
        "reasons": list(change.reasons),
    }


def _judged(judged: Judged) -> dict[str, object]:
    point = judged.point
    return {
        "log": judged.log,
        "guard": point.guard,
        "lifecycle": point.lifecycle,
        point.kind: point.ordinal,
        "expect": point.expect,
        "state": judged.state,
        "fails": judged.fails,
    }
