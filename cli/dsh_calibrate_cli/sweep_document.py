"""The JSON of ``sweep`` (contract.md 5), and the same as flat rows for csv and parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.calibrate.paired import MeanDifference
from dsh_calibrate.calibrate.pareto import frontier
from dsh_calibrate.calibrate.reachability import Dead, Period
from dsh_calibrate.calibrate.reasoning_sweep import Closeness
from dsh_calibrate.calibrate.sweeping import SessionInfo, Sweep
from dsh_calibrate.calibrate.sweeping_figures import (
    Compared,
    SetFigures,
    compared,
    figures,
    first_caught,
    session_tally,
    sliced,
)
from dsh_calibrate.corpora.labels import Labels
from dsh_calibrate.replay.settings.nodes import json_value
from dsh_calibrate.replay.summary import rate_json
from dsh_calibrate.whole_files import write_whole

if TYPE_CHECKING:
    import polars as pl

STAGES = {"rtb": ("warn", "summarize", "failure")}


@dataclass(frozen=True, slots=True)
class SetReport:
    """One set: figures of all sessions and of each slice, whole and exact."""

    number: int
    candidate: CandidateSet
    whole: SetFigures
    exact: SetFigures
    slices: Mapping[str, tuple[SetFigures, SetFigures]]
    dead: tuple[Dead, ...]
    compared: Compared | None
    is_best: bool | None = None


@dataclass(frozen=True, slots=True)
class SweepReport:
    """Everything the artefacts are made of; set 0 of ``sweep`` is what is in force."""

    sweep: Sweep
    sessions: tuple[SessionInfo, ...]
    labels: Labels | None
    by: str | None
    sets: tuple[SetReport, ...]
    in_force: SetReport
    periods: tuple[Period, ...]
    closeness: tuple[Closeness, ...]


def report_of(
    sweep: Sweep,
    labels: Labels | None,
    by: str | None,
    dead: Sequence[tuple[Dead, ...]],
    periods: tuple[Period, ...],
    closeness: tuple[Closeness, ...],
) -> SweepReport:
    """Add up every set."""
    sessions = sweep.counted()
    slices = sliced(sessions, by) if by is not None else {}
    reports = []
    for number, candidate in enumerate(sweep.sets):
        reports.append(
            SetReport(
                number,
                candidate,
                figures(sweep, number, sessions, labels, exact=False),
                figures(sweep, number, sessions, labels, exact=True),
                {
                    value: (
                        figures(sweep, number, some, labels, exact=False),
                        figures(sweep, number, some, labels, exact=True),
                    )
                    for value, some in slices.items()
                },
                dead[number],
                compared(sweep, 0, number, sessions, exact=candidate.pieces is None)
                if number
                else None,
            )
        )
    return SweepReport(
        sweep, sessions, labels, by, tuple(reports[1:]), reports[0], periods, closeness
    )


def best_of(report: SweepReport) -> set[int]:
    """Numbers of the sets that none beats: healthy disturbed, stuck caught, advice and gates."""
    costs = [
        (s.exact.healthy.count, -s.exact.stuck.count, s.exact.tally.advised + s.exact.tally.gates)
        for s in report.sets
    ]
    return {report.sets[place].number for place in frontier(costs)}


def sweep_json(report: SweepReport) -> dict[str, object]:
    """The keys that belong to ``sweep`` alone."""
    best = best_of(report) if report.labels is not None else set()
    document: dict[str, object] = {
        "guards": list(report.sweep.guards),
        "sessions": len(report.sessions),
        "replayed_logs": report.sweep.replayed,
        "in_force": _set_json(report, report.in_force),
        "sets": [_set_json(report, one) for one in report.sets],
    }
    if report.labels is not None:
        document["frontier"] = [s.candidate.name for s in report.sets if s.number in best]
    if "rtb" in report.sweep.guards:
        document["periods"] = [
            {
                "period": p.period,
                "sessions": p.sessions,
                "measures": list(p.measures),
                "ceiling": p.ceiling(report.in_force.candidate.rtb.window),
            }
            for p in report.periods
        ]
    if report.closeness:
        document["reasoning"] = {c.key: _closeness_json(c) for c in report.closeness}
    return document


def _set_json(report: SweepReport, one: SetReport) -> dict[str, object]:
    guards = report.sweep.guards
    entry: dict[str, object] = {
        "name": one.candidate.name,
        "settings": json_value(one.candidate.settings),
    }
    if one.candidate.pieces is not None:
        entry["pieces"] = one.candidate.pieces
    entry |= _figures_json(one.whole, guards)
    entry["dead"] = [str(dead) for dead in one.dead]
    entry["exact"] = _figures_json(one.exact, guards)
    entry["rates"] = {**_rates_json(one.whole), "exact": _rates_json(one.exact)}
    if report.labels is not None:
        caught = first_caught(report.sweep, one.number, report.sessions, report.labels)
        entry["first_caught"] = [asdict(c) for c in caught]
    if one.compared is not None:
        entry["compared"] = _compared_json(one.compared)
    if report.by is not None:
        entry["slices"] = {
            value: {
                "sessions": whole.sessions,
                **_figures_json(whole, guards),
                "exact": _figures_json(exact, guards),
            }
            for value, (whole, exact) in one.slices.items()
        }
    return entry


def _figures_json(found: SetFigures, guards: Sequence[str]) -> dict[str, object]:
    tally = found.tally
    stages = dict.fromkeys(STAGES["rtb"], 0) if "rtb" in guards else {}
    return {
        "advisories": {**stages, **tally.advisories},
        "sessions_advised": found.advised.count,
        "gates": tally.gates,
        "sessions_gated": found.gated.count,
        "blocked_calls": tally.blocked_calls,
        "asks": tally.asks,
        "stuck": {"caught": found.stuck.count, "of": found.stuck.of},
        "healthy": {"disturbed": found.healthy.count, "of": found.healthy.of},
        "by_measure": {
            kind: {"advisories": advice, "gates": gates}
            for kind, (advice, gates) in tally.by_measure.items()
        },
    }


def _rates_json(found: SetFigures) -> dict[str, object]:
    return {
        "advised": rate_json(found.advised),
        "gated": rate_json(found.gated),
        "stuck": rate_json(found.stuck),
        "healthy": rate_json(found.healthy),
        "asks": {
            "mean": round(found.asks_mean, 6),
            "p95": found.asks_p95,
            "max": found.asks_max,
        },
    }


def _compared_json(found: Compared) -> dict[str, object]:
    return {
        "with": "in_force",
        "disturbed": {
            "only_in_force": found.disturbed.a,
            "only_this": found.disturbed.b,
            "alike": found.disturbed.alike,
            "p_value": round(found.disturbed.p_value, 6),
        },
        "advisories": _difference_json(found.advisories),
        "gates": _difference_json(found.gates),
    }


def _difference_json(found: MeanDifference) -> dict[str, object]:
    return {
        name: None if value is None else round(value, 6)
        for name, value in (("mean", found.value), ("low", found.low), ("high", found.high))
    }


def _closeness_json(found: Closeness) -> dict[str, object]:
    return {
        "rule": found.rule,
        "threshold": found.threshold,
        "peak": round(found.peak, 6),
        "lowest_positive": _rounded(found.lowest_positive),
        "highest_negative": _rounded(found.highest_negative),
        "curve": [
            {"value": round(p.value, 6), "streams": p.streams, "sessions": p.sessions}
            for p in found.curve
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def set_rows(report: SweepReport) -> Iterator[dict[str, Any]]:
    """One row a set, slice and part (``whole``, ``exact``); what is in force comes first."""
    for one in (report.in_force, *report.sets):
        for value, pair in {"": (one.whole, one.exact), **_named(one)}.items():
            for part, found in zip(("whole", "exact"), pair, strict=True):
                yield {
                    "set": one.candidate.name,
                    "slice": value,
                    "part": part,
                    "sessions": found.sessions,
                    "advisories": found.tally.advised,
                    **{
                        f"advisories_{stage}": found.tally.advisories.get(stage, 0)
                        for stage in STAGES["rtb"]
                    },
                    "sessions_advised": found.advised.count,
                    "sessions_advised_low": round(found.advised.low, 6),
                    "sessions_advised_high": round(found.advised.high, 6),
                    "gates": found.tally.gates,
                    "sessions_gated": found.gated.count,
                    "sessions_gated_low": round(found.gated.low, 6),
                    "sessions_gated_high": round(found.gated.high, 6),
                    "blocked_calls": found.tally.blocked_calls,
                    "asks": found.tally.asks,
                    "asks_mean": round(found.asks_mean, 6),
                    "asks_p95": found.asks_p95,
                    "asks_max": found.asks_max,
                    "stuck_caught": found.stuck.count,
                    "stuck_of": found.stuck.of,
                    "healthy_disturbed": found.healthy.count,
                    "healthy_of": found.healthy.of,
                    "dead": "; ".join(map(str, one.dead)),
                }


def _named(one: SetReport) -> dict[str, tuple[SetFigures, SetFigures]]:
    return {value or "(unknown)": pair for value, pair in one.slices.items()}


def session_rows(report: SweepReport) -> Iterator[dict[str, Any]]:
    """One row a set and session in which something happened."""
    for one in (report.in_force, *report.sets):
        for session in report.sessions:
            whole = session_tally(report.sweep, one.number, session.log, exact=False)
            exact = session_tally(report.sweep, one.number, session.log, exact=True)
            if not (whole.is_disturbed or whole.asks or whole.blocked_calls):
                continue
            label = report.labels.get(session.log) if report.labels is not None else None
            yield {
                "set": one.candidate.name,
                "log": session.log.encode("utf-8", "backslashreplace").decode(),
                "label": label.outcome if label is not None else None,
                "advisories": whole.advised,
                "gates": whole.gates,
                "blocked_calls": whole.blocked_calls,
                "asks": whole.asks,
                "exact_advisories": exact.advised,
                "exact_gates": exact.gates,
                "exact_blocked_calls": exact.blocked_calls,
                "exact_asks": exact.asks,
            }


def csv_bytes(report: SweepReport) -> bytes:
    """The rows of all sets as csv."""
    rows = list(set_rows(report))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode("utf-8", "backslashreplace")


def write_parquet(report: SweepReport, folder: Path) -> None:
    """``sets.parquet`` and ``sessions.parquet`` in ``folder``; raises :class:`OSError`."""
    import polars as pl

    folder.mkdir(parents=True, exist_ok=True)
    sets = pl.DataFrame(list(set_rows(report)), infer_schema_length=None)
    _write_table(sets, folder / "sets.parquet")
    text = {"set": pl.String, "log": pl.String, "label": pl.String}
    names = ("advisories", "gates", "blocked_calls", "asks")
    counts = {f"{part}{name}": pl.Int64 for part in ("", "exact_") for name in names}
    rows = pl.DataFrame(list(session_rows(report)), schema={**text, **counts})
    _write_table(rows, folder / "sessions.parquet")


def _write_table(table: pl.DataFrame, path: Path) -> None:
    whole = io.BytesIO()
    table.write_parquet(whole)
    write_whole(path, whole.getvalue())
