"""A decision as one JSON line (contract.md 4): what is unknown is left out."""

from __future__ import annotations

from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.replay.decision import Decision, ReasoningFigures

_REASONING_NAMES = {
    "turn": "turn",
    "step": "step",
    "attempt": "attempt",
    "at_utf16": "at_utf16",
    "units": "units",
    "period": "period",
    "count": "count",
    "block_len": "block_len",
    "line_len": "line_len",
    "share": "share",
    "provider": "provider",
    "model": "model",
    "ttft_ms": "ttftMs",
    "elapsed_ms": "elapsedMs",
    "from_start_ms": "fromStartMs",
    "reasoning_effort": "reasoningEffort",
    "saved_utf16": "saved_utf16",
    "saved_ms": "saved_ms",
    "preview": "preview",
    "thresholds": "thresholds",
}


def decision_line(decision: Decision) -> dict[str, object]:
    """The fields of contract.md 4 in their order; ``hits`` only when there are several."""
    line: dict[str, object] = {
        "log": decision.log,
        "session": decision.session,
        "lifecycle": decision.lifecycle,
    }
    if decision.stream is not None:
        line["stream"] = decision.stream
    else:
        line["call"] = decision.call
    line |= {"guard": decision.guard, "seq": decision.seq}
    if decision.call_id is not None:
        line["call_id"] = decision.call_id
    if decision.tool is not None:
        line["tool"] = decision.tool
    line |= {"verdict": decision.verdict, "stage": decision.stage, "ran": decision.ran}
    if decision.hits:
        line |= _hit(decision.hits[0])
    if decision.shell_http is not None:
        line["shell_http"] = decision.shell_http
    line |= {"divergence": decision.divergence, "exact": decision.exact}
    if decision.matched:
        line["matched"] = True
    if len(decision.hits) > 1:
        line["hits"] = [_hit(hit) for hit in decision.hits]
    if decision.reasoning is not None:
        line |= _reasoning(decision.reasoning)
    return line


def _hit(hit: Hit) -> dict[str, object]:
    threshold = int(hit.threshold) if hit.threshold == int(hit.threshold) else hit.threshold
    return {
        "measure": hit.measure,
        "fingerprint": hit.fingerprint,
        "count": hit.count,
        "threshold": threshold,
    }


def _reasoning(figures: ReasoningFigures) -> dict[str, object]:
    found: dict[str, object] = {}
    for field, name in _REASONING_NAMES.items():
        value = getattr(figures, field)
        if value is not None:
            found[name] = value
    if not figures.granular:
        found["granularity"] = "unknown"
    return found
