"""The rows of gated decisions, from a replay under the settings in force."""

from __future__ import annotations

from typing import Any

from dsh_calibrate.facts.limits import fingerprint_id
from dsh_calibrate.facts.sinks import Sinks
from dsh_calibrate.facts.tables import DECISIONS
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.outcome import LogOutcome


def write_decisions(outcome: LogOutcome, sinks: Sinks) -> None:
    """Fill ``decisions`` with everything the guards would have done in one log."""
    sink = sinks[DECISIONS.name]
    for position, decision in enumerate(outcome.decisions):
        values = _values(decision)
        values["decision"] = position
        sink.add(tuple(values[column.name] for column in DECISIONS.stored))


def _values(decision: Decision) -> dict[str, Any]:
    hits = [_hit(hit) for hit in decision.hits]
    first: dict[str, Any] = hits[0] if hits else {}
    reasoning = decision.reasoning
    values: dict[str, Any] = {
        name: getattr(decision, name)
        for name in (
            "lifecycle",
            "guard",
            "call",
            "stream",
            "seq",
            "line",
            "call_id",
            "tool",
            "verdict",
            "stage",
            "ran",
            "shell_http",
            "divergence",
            "exact",
            "matched",
        )
    }
    values["hits"] = hits
    for name in ("measure", "fp", "count", "threshold"):
        values[name] = first.get(name)
    values["fingerprint"] = decision.hits[0].fingerprint if decision.hits else None
    for name in ("at_utf16", "saved_utf16", "saved_ms", "share", "preview"):
        values[name] = getattr(reasoning, name) if reasoning else None
    if reasoning is not None:
        values["count"] = reasoning.count if reasoning.count is not None else reasoning.units
    return values


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "measure": hit.measure,
        "fp": fingerprint_id(hit.fingerprint),
        "count": hit.count,
        "threshold": float(hit.threshold),
        "track": hit.track,
    }
