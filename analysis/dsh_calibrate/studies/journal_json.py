"""A journal as plain values: rows for every format, and what could not be used of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from dsh_calibrate.studies.explaining_json import Row, View
from dsh_calibrate.studies.journal import Fire, Journal
from dsh_calibrate.studies.journal_agreement import Agreement
from dsh_calibrate.studies.journal_stats import Stats, moment

FIRE_COLUMNS: dict[str, type] = {
    "at": int,
    "time": str,
    "rule": str,
    "at_utf16": int,
    "session": str,
    "turn": int,
    "step": int,
    "provider": str,
    "model": str,
    "effort": str,
    "version": str,
    "units": int,
    "period": int,
    "count": int,
    "ttft_ms": int,
    "elapsed_ms": int,
    "from_start_ms": int,
    "aborted": bool,
    "preview": str,
    "file": str,
    "line": int,
}
"""Columns of the fires; ``time`` is ``at`` as it is shown (local, or UTC)."""

GROUP_COLUMNS: dict[str, type] = {"group": str, "name": str, "fires": int}
"""Columns of the statistics."""

AGREEMENT_COLUMNS: dict[str, type] = {
    "verdict": str,
    "reason": str,
    "session": str,
    "turn": int,
    "step": int,
    "time": str,
    "rule": str,
    "at_utf16": int,
    "version": str,
    "replay_rule": str,
    "replay_at_utf16": int,
    "replay_seq": int,
    "log": str,
    "differing": str,
    "file": str,
    "line": int,
}
"""Columns of the agreement: the journal's line, then the replay's fire."""


def fire_row(fire: Fire, view: View, *, utc: bool) -> Row:
    """One fire as a flat row."""
    row: Row = {"time": moment(fire.at, utc=utc) or None, **asdict(fire)}
    row.pop("thresholds")
    for key in ("preview", "model", "provider"):
        value = row[key]
        see = view.text if key == "preview" else view.tool
        row[key] = see(str(value)) if value is not None else None
    row["session"] = view.log(fire.session) if fire.session is not None else None
    return {name: row[name] for name in FIRE_COLUMNS}


def journal_json(journal: Journal) -> Row:
    """Which files were read, and what of them could not be used."""
    return {
        "files": list(journal.files),
        "lines": journal.lines,
        "fires": len(journal.fires),
        "broken": journal.broken,
        "no_fires": journal.no_fires,
        "torn": journal.torn,
        "missing": dict(journal.missing),
    }


def group_rows(stats: Stats) -> list[Row]:
    """The statistics as rows: group, name, fires."""
    groups = (
        ("rule", stats.by_rule),
        ("model", stats.by_model),
        ("day", stats.by_day),
        ("version", stats.by_version),
    )
    return [
        {"group": group, "name": name, "fires": count}
        for group, counts in groups
        for name, count in counts.items()
    ]


def agreement_rows(rows: Iterable[Agreement], view: View, *, utc: bool) -> list[Row]:
    """The agreement as flat rows."""
    found: list[Row] = []
    for row in rows:
        fire, decision = row.fire, row.decision
        figures = decision.reasoning if decision is not None else None
        session = fire.session if fire is not None else decision.session if decision else None
        told = fire if fire is not None else figures
        found.append(
            {
                "verdict": row.verdict,
                "reason": row.reason or None,
                "session": view.log(session) if session else None,
                "turn": told.turn if told is not None else None,
                "step": told.step if told is not None else None,
                "time": moment(fire.at, utc=utc) or None if fire is not None else None,
                "rule": fire.rule if fire is not None else None,
                "at_utf16": fire.at_utf16 if fire is not None else None,
                "version": fire.version if fire is not None else None,
                "replay_rule": decision.stage if decision is not None else None,
                "replay_at_utf16": figures.at_utf16 if figures is not None else None,
                "replay_seq": decision.seq if decision is not None else None,
                "log": view.log(decision.log) if decision is not None else None,
                "differing": " ".join(row.differing) or None,
                "file": fire.file if fire is not None else None,
                "line": fire.line if fire is not None else None,
            }
        )
    return found
