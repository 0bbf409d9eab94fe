"""Explanations and timelines as plain values: JSON documents, and rows for csv and Parquet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from dsh_calibrate.guards.reasoning_loop.verdict import Figures
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.lines import decision_line
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.studies.explaining import CallExplanation, Explanation, StreamExplanation
from dsh_calibrate.studies.explaining_breaker import BreakerTrace
from dsh_calibrate.studies.explaining_reasoning import segments
from dsh_calibrate.studies.explaining_words import (
    outline,
    setting_of,
    why_no_breaker,
    why_no_count,
)
from dsh_calibrate.studies.timeline import Entry

Row = dict[str, object]


class View(Protocol):
    """How content is shown: as it is, or masked."""

    def fingerprint(self, text: str) -> str:
        """A fingerprint."""

    def arguments(self, text: str) -> str:
        """The JSON text of a call's arguments."""

    def text(self, text: str) -> str:
        """Free text: results, summaries, reasoning."""

    def tool(self, text: str) -> str:
        """The name of a tool."""

    def log(self, text: str) -> str:
        """The key of a log, or a session id."""


def decision_row(decision: Decision, view: View) -> Row:
    """A decision's line (contract.md 4) with the setting it reached, seen through ``view``."""
    row = decision_line(decision)
    row["setting"] = setting_of(decision)
    _see(row, view)
    return row


def _see(row: Row, view: View) -> None:
    for key, see in (
        ("log", view.log),
        ("session", view.log),
        ("fingerprint", view.fingerprint),
        ("preview", view.text),
        ("tool", view.tool),
    ):
        if isinstance(row.get(key), str):
            row[key] = see(str(row[key]))
    hits = row.get("hits")
    if isinstance(hits, list):
        row["hits"] = [{**hit, "fingerprint": view.fingerprint(hit["fingerprint"])} for hit in hits]


def timeline_rows(entries: Iterable[Entry], view: View) -> list[Row]:
    """One row an entry; what does not apply is ``None``."""
    rows: list[Row] = []
    for e in entries:
        see = view.arguments if e.kind == "call" else view.text
        row: Row = {
            "kind": e.kind,
            "seq": e.seq,
            "line": e.line,
            "time": e.time,
            "lifecycle": e.lifecycle,
            "turn": e.turn,
            "step": e.step,
            "call": e.call,
            "stream": e.stream,
            "call_id": e.call_id,
            "name": view.tool(e.name) if e.name else None,
            "text": see(e.text) if e.text else None,
            "is_error": e.is_error if e.kind == "result" else None,
            "reaches_guards": e.reaches_guards if e.kind in ("call", "result") else None,
            "utf16": e.utf16 if e.kind == "stream" else None,
        }
        decision: Row = decision_row(e.decision, view) if e.decision is not None else {}
        for key in ("guard", "verdict", "stage", "ran", "measure", "fingerprint", "count"):
            row[key] = decision.get(key)
        row["threshold"] = decision.get("threshold")
        row["exact"] = decision.get("exact")
        rows.append(row)
    return rows


TIMELINE_COLUMNS: dict[str, type] = {
    "kind": str,
    **dict.fromkeys(("seq", "line", "time", "lifecycle", "turn", "step", "call", "stream"), int),
    **dict.fromkeys(("call_id", "name", "text"), str),
    **dict.fromkeys(("is_error", "reaches_guards"), bool),
    "utf16": int,
    **dict.fromkeys(("guard", "verdict", "stage"), str),
    "ran": bool,
    **dict.fromkeys(("measure", "fingerprint"), str),
    "count": int,
    "threshold": float,
    "exact": bool,
}
"""Columns of a timeline and the types of their values."""


def explanation_json(found: Explanation, plan: Plan, view: View) -> Row:
    """The whole explanation of one call or stream."""
    return (
        _stream(found, plan, view)
        if isinstance(found, StreamExplanation)
        else _call(found, plan, view)
    )


def _told(decisions: Iterable[Decision], plan: Plan, view: View) -> list[Row]:
    return [{**decision_row(d, view), "given": outline(d, plan)} for d in decisions]


def _call(found: CallExplanation, plan: Plan, view: View) -> Row:
    call, result = found.call, found.result
    by_guard = {g: [d for d in found.decisions if d.guard == g] for g in ("rtb", "tfb", "rtr")}
    guards: Row = {}
    if found.rtb is not None and plan.rtb is not None:
        guards["rtb"] = {
            **_breaker(found.rtb, plan, view),
            "silent_because": why_no_breaker(found.rtb, plan.rtb, len(by_guard["rtb"])) or None,
            "decisions": _told(by_guard["rtb"], plan, view),
        }
    for guard, trace in (("tfb", found.tfb), ("rtr", found.rtr)):
        if trace is not None:
            guards[guard] = {
                "tracked": trace.tracked,
                "count": trace.count,
                "thresholds": list(trace.thresholds),
                "silent_because": why_no_count(guard, trace, len(by_guard[guard])) or None,
                "decisions": _told(by_guard[guard], plan, view),
            }
    return {
        "kind": "call",
        "lifecycle": found.lifecycle,
        "call": call.index,
        "seq": call.seq,
        "line": call.line,
        "turn": call.turn,
        "step": call.step,
        "call_id": call.call_id,
        "tool": view.tool(call.tool),
        "arguments": view.arguments(call.arguments),
        "dispatched": call.dispatched,
        "inside_run_code": call.sub,
        "result": None
        if result is None
        else {
            "seq": result.seq,
            "line": result.line,
            "is_error": result.is_error,
            "synthetic": result.synthetic,
            "text": view.text(result.text),
        },
        "guards": guards,
    }


def _breaker(trace: BreakerTrace, plan: Plan, view: View) -> Row:
    assert plan.rtb is not None
    config = plan.rtb
    return {
        "tracked": trace.tracked,
        "thresholds": {
            "warnAt": config.warn_at,
            "summarizeAt": config.summarize_at,
            "failWarnAt": config.fail_warn_at,
            "failLimit": config.fail_limit,
            "window": config.window,
        },
        "measures": [
            {
                "measure": m.measure,
                "fingerprint": view.fingerprint(m.fingerprint),
                "count": m.count,
                "limit": m.cap,
                "streak": m.streak,
                "streak_after": m.streak_after,
                "exempt": m.exempt,
                "refused": m.refused,
                "window": [
                    p for p, r in enumerate(trace.window) if m.fingerprint in r.fingerprints
                ],
            }
            for m in trace.measures
        ],
        "window": [
            {"call": r.call, "fingerprints": [view.fingerprint(f) for f in r.fingerprints]}
            for r in trace.window
        ],
        "committed": None
        if trace.committed is None
        else [view.fingerprint(f) for f in trace.committed],
        "committed_at": None
        if trace.committed is None
        else ("result" if trace.at_result else "call"),
        "failure": None
        if trace.failure is None
        else {"reason": trace.failure[0], "detail": view.text(trace.failure[1])},
    }


def _stream(found: StreamExplanation, plan: Plan, view: View) -> Row:
    trace, opened, closed = found.trace, found.trace.opened, found.trace.closed
    assert plan.rlg is not None
    return {
        "kind": "stream",
        "lifecycle": found.lifecycle,
        "stream": trace.stream,
        "seq": opened.seq,
        "line": opened.line,
        "turn": opened.turn,
        "step": opened.step,
        "attempt": opened.attempt,
        "model": opened.model,
        "finish": closed.finish if closed is not None else None,
        "thresholds": plan.rlg.thresholds(),
        "judge_points": [point_row(p) for p in trace.points],
        "fired": trace.fired,
        "decisions": _told([found.fire] if found.fire is not None else [], plan, view),
        "text": [
            {"text": view.text(part), "repeats": repeats} for part, repeats in segments(trace)
        ],
    }


def point_row(point: Figures) -> Row:
    """One judge point: every rule's figure."""
    return {
        "at_utf16": point.at_utf16,
        "stripped_utf16": point.stripped_utf16,
        "units": point.units,
        "period": point.period,
        "block_count": point.block_count,
        "line_count": point.line_count,
        "line_len": point.line_len,
        "line_share": round(point.line_share, 4),
        "kgram_count": point.kgram_count,
        "filler_run": point.filler_run,
    }


POINT_COLUMNS: dict[str, type] = {
    name: float if name == "line_share" else int
    for name in (
        "at_utf16",
        "stripped_utf16",
        "units",
        "period",
        "block_count",
        "line_count",
        "line_len",
        "line_share",
        "kgram_count",
        "filler_run",
    )
}
"""Columns of the judge points of a stream."""

MEASURE_COLUMNS: dict[str, type] = {
    "guard": str,
    "measure": str,
    "fingerprint": str,
    "count": int,
    "threshold": float,
    "streak": int,
    "streak_after": int,
    "exempt": bool,
    "refused": bool,
    "window": str,
    "verdict": str,
}
"""Columns of the measures of a call; ``window`` lists positions, oldest 0."""


def explanation_rows(found: Explanation, view: View) -> tuple[dict[str, type], list[Row]]:
    """The table of an explanation: measures of a call, judge points of a stream."""
    if isinstance(found, StreamExplanation):
        return POINT_COLUMNS, [point_row(p) for p in found.trace.points]
    rows: list[Row] = []
    hits = {(d.guard, h.fingerprint): d.verdict for d in reversed(found.decisions) for h in d.hits}
    if found.rtb is not None:
        for m in found.rtb.measures:
            held = [
                str(p) for p, r in enumerate(found.rtb.window) if m.fingerprint in r.fingerprints
            ]
            rows.append(
                {
                    "guard": "rtb",
                    "measure": m.measure,
                    "fingerprint": view.fingerprint(m.fingerprint),
                    "count": m.count,
                    "threshold": m.cap,
                    "streak": m.streak,
                    "streak_after": m.streak_after,
                    "exempt": m.exempt,
                    "refused": m.refused,
                    "window": " ".join(held),
                    "verdict": hits.get(("rtb", m.fingerprint)),
                }
            )
    for guard, trace in (("tfb", found.tfb), ("rtr", found.rtr)):
        if trace is not None and trace.tracked:
            spoken = [d.verdict for d in found.decisions if d.guard == guard]
            ahead = [t for t in trace.thresholds if t >= (trace.count or 0)]
            rows.append(
                {
                    "guard": guard,
                    "measure": "call",
                    "count": trace.count,
                    "threshold": ahead[0] if ahead else trace.thresholds[-1],
                    "verdict": spoken[0] if spoken else None,
                }
            )
    return MEASURE_COLUMNS, rows
