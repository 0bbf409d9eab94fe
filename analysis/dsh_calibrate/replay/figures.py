"""Counts from decisions: one function per guard, used for the whole log and its exact part.

The shapes are contract.md 5 (``replay``). ``sessions…`` leaves are 1 or 0 for one log and
become numbers of logs when figures are added up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.outcome import Figures

FAILURE_REASONS = ("error", "http", "exit", "timeout", "signal", "sandbox", "exception", "curl")
RULES = ("periodic-run", "block-repeat", "line-repeat", "kgram-repeat", "filler-run")


def breaker_figures(
    decisions: Sequence[Decision], undelivered: int, failures: Mapping[str, int]
) -> Figures:
    """repeat-tool-breaker: advisories, gates, asks, the block, measures, failures."""
    advice = [d for d in decisions if d.verdict == "advise"]
    stops = [d for d in decisions if d.verdict in ("ask", "deny") and not d.ran]
    refused = [d for d in decisions if d.verdict == "refuse"]
    stages = Counter(d.stage for d in advice)
    tracks = Counter(d.stage for d in stops)
    kinds = Counter(d.shell_http for d in refused)
    by_measure: dict[str, Figures] = {}
    for name, spoken in (("advisories", advice), ("gates", stops)):
        for decision in spoken:
            entry = by_measure.setdefault(
                decision.hits[0].measure, {"advisories": 0, "gates": 0, "sessions": 1}
            )
            count = entry[name]
            assert isinstance(count, int)
            entry[name] = count + 1
    return {
        "advisories": {s: stages[s] for s in ("warn", "summarize", "failure")},
        "undelivered": undelivered,
        "gates": {t: tracks[t] for t in ("repeat", "failure")},
        "asks": sum(d.verdict == "ask" for d in decisions),
        "sessions_advised": int(bool(advice)),
        "sessions_gated": int(bool(stops)),
        "shell_http": {
            "refused": len(refused),
            **{k: kinds[k] for k in ("target", "incidental", "url_less")},
            "sessions": int(bool(refused)),
        },
        "by_measure": {kind: by_measure[kind] for kind in sorted(by_measure)},
        "failures": {
            "calls": sum(failures.values()),
            "by_reason": {r: failures.get(r, 0) for r in FAILURE_REASONS},
        },
    }


def circuit_figures(decisions: Sequence[Decision]) -> Figures:
    """tool-failure-circuit-breaker: denied calls."""
    return {"denied": len(decisions), "sessions": int(bool(decisions))}


def reminder_figures(
    decisions: Sequence[Decision], undelivered: int, thresholds: Iterable[int]
) -> Figures:
    """repeat-tool-reminder: reminders by the number reached."""
    reached = Counter(d.stage for d in decisions)
    return {
        "reminders": {str(n): reached[str(n)] for n in thresholds},
        "undelivered": undelivered,
        "sessions": int(bool(decisions)),
    }


def reasoning_figures(decisions: Sequence[Decision]) -> Figures:
    """reasoning-loop-guard: fires by rule, and the reasoning after them that was not needed."""
    rules = Counter(d.stage for d in decisions)
    found = [d.reasoning for d in decisions if d.reasoning is not None]
    return {
        "fires": len(decisions),
        "by_rule": {rule: rules[rule] for rule in RULES},
        "saved_utf16": sum(r.saved_utf16 for r in found),
        "saved_ms": sum(r.saved_ms or 0 for r in found),
        "sessions": int(bool(decisions)),
    }


def nothing(guard: str) -> Figures:
    """The figures of a guard that has seen no log, so that every document has every key."""
    if guard == "rtb":
        return {**breaker_figures((), 0, {}), "recorded_denials": 0}
    if guard == "tfb":
        return {**circuit_figures(()), "recorded_denials": 0}
    if guard == "rtr":
        return reminder_figures((), 0, ())
    return reasoning_figures(())
