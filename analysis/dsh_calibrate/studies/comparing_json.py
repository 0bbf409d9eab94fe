"""A comparison as plain values: the JSON of ``compare`` (contract.md 5), and rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict

from dsh_calibrate.calibrate.paired import PairedTest
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.studies.comparing import Change
from dsh_calibrate.studies.comparing_standing import Standing
from dsh_calibrate.studies.comparing_totals import Counts, GuardTotals, Paired
from dsh_calibrate.studies.explaining_json import Row, View, decision_row


def change_json(change: Change, view: View, *, damaged: bool) -> Row:
    """One change: the place, what each side does there, and how each side stands."""
    place = {"stream": change.stream} if change.stream is not None else {"call": change.call}
    row: Row = {
        "log": view.log(change.log),
        "session": view.log(change.session),
        "lifecycle": change.lifecycle,
        **place,
        "guard": change.guard,
        "seq": change.seq,
        "call_id": change.call_id,
        "tool": view.tool(change.tool) if change.tool is not None else None,
        "kind": change.kind,
        "a": _side(change.a, change.standing_a, view),
        "b": _side(change.b, change.standing_b, view),
    }
    if change.names_mechanism is not None:
        row["names_mechanism"] = change.names_mechanism
    if damaged:
        row["damaged"] = True
    return row


def _side(decisions: Iterable[Decision], standing: Standing, view: View) -> Row:
    rows = [decision_row(d, view) for d in decisions]
    for row in rows:
        for key in ("log", "session", "lifecycle", "call", "stream", "guard", "seq", "call_id"):
            row.pop(key, None)
        row.pop("tool", None)
    return {"decisions": rows, "reason": {k: _plain(v) for k, v in asdict(standing).items()}}


def _plain(value: object) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def totals_json(totals: Mapping[str, GuardTotals]) -> Row:
    """``totals.guards.<g>`` with the exact part under ``exact``, as in ``replay``."""
    guards: Row = {}
    for guard, found in totals.items():
        row: Row = {"logs": found.logs, **_paired(found.whole), "changed": found.changed}
        if guard == "rtb":
            row["shell_http"] = found.refusals
        row["exact"] = _paired(found.exact)
        guards[guard] = row
    return {"changed": _sum(totals), "guards": guards}


def _sum(totals: Mapping[str, GuardTotals]) -> Counts:
    total: Counts = {}
    for found in totals.values():
        for kind, count in found.changed.items():
            alone = found.refusals.get(kind, 0)
            total[kind] = total.get(kind, 0) + count + alone
    return total


def _paired(found: Paired) -> Row:
    return {
        "a": found.a,
        "b": found.b,
        "paired": {name: _test(test) for name, test in found.tests.items()},
    }


def _test(test: PairedTest) -> Row:
    return {"a_more": test.a, "b_more": test.b, "alike": test.alike, "p_value": test.p_value}


CHANGE_COLUMNS: dict[str, type] = {
    "log": str,
    "session": str,
    "lifecycle": int,
    "call": int,
    "stream": int,
    "guard": str,
    "seq": int,
    "call_id": str,
    "tool": str,
    "kind": str,
    **{
        f"{side}_{name}": kind
        for side in "ab"
        for name, kind in (
            ("verdict", str),
            ("stage", str),
            ("ran", bool),
            ("measure", str),
            ("fingerprint", str),
            ("count", float),
            ("setting", str),
            ("threshold", float),
            ("note", str),
            ("exact", bool),
        )
    },
    "names_mechanism": bool,
    "damaged": bool,
}
"""Columns of the changes: the place, then both sides."""


def change_row(change: Change, view: View, *, damaged: bool) -> Row:
    """A change as one flat row; of several decisions on a side, the credited one."""
    row = change_json(change, view, damaged=damaged)
    row["damaged"] = damaged
    for side, decisions, standing in (
        ("a", change.a, change.standing_a),
        ("b", change.b, change.standing_b),
    ):
        row.pop(side)
        first = decision_row(decisions[0], view) if decisions else {}
        for name in ("verdict", "stage", "ran", "fingerprint", "exact"):
            row[f"{side}_{name}"] = first.get(name)
        row[f"{side}_measure"] = standing.measure
        row[f"{side}_count"] = standing.count
        row[f"{side}_setting"] = standing.setting
        row[f"{side}_threshold"] = standing.threshold
        row[f"{side}_note"] = standing.note or None
    return row
