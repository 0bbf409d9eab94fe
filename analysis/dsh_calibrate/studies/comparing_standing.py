"""Why two sides differ: the measure, the count and the threshold on each of them."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.studies.explaining_breaker import BreakerTrace
from dsh_calibrate.studies.explaining_reasoning import StreamTrace
from dsh_calibrate.studies.explaining_traces import Ordinal, Traces
from dsh_calibrate.studies.explaining_words import RULE_FIGURES, setting_of


@dataclass(frozen=True, slots=True)
class Standing:
    """How one side stands at a place: a measure (or rule), its figure, the setting against it.

    ``count`` and ``threshold`` are ``None`` where the side has none (no such fingerprint, the
    setting is off). ``note`` says in words what the numbers cannot.
    """

    measure: str | None = None
    count: float | None = None
    setting: str | None = None
    threshold: float | None = None
    note: str = ""


def standing_of(decision: Decision, plan: Plan) -> Standing:
    """How the side stands that made ``decision``."""
    del plan
    figures = decision.reasoning
    if figures is not None:
        key = setting_of(decision)
        value = figures.units if figures.units is not None else figures.count
        limit = (figures.thresholds or {}).get(key)
        return Standing(decision.stage, value, key, limit, f"at {figures.at_utf16} UTF-16 units")
    if not decision.hits:
        return Standing(setting="shellHttpAllow", note="refused")
    hit = decision.hits[0]
    return Standing(hit.measure, hit.count, setting_of(decision), hit.threshold)


def standing_of_silence(
    other: Decision, ordinal: Ordinal, traces: Traces, plan: Plan, policy: str
) -> Standing:
    """How the side stands that did nothing where the other side made ``other``."""
    if other.verdict == "refuse":
        return _unrefused(plan, policy)
    if other.guard == "rtb":
        trace = traces.rtb.get(ordinal)
        if trace is None or plan.rtb is None:
            return Standing(note="this side does not see the call")
        return _breaker(other, trace, plan.rtb)
    if other.guard == "rlg":
        return _reasoning(other, traces.rlg.get(ordinal), plan)
    counts = traces.tfb if other.guard == "tfb" else traces.rtr
    found = counts.get(ordinal)
    if found is None or not found.tracked:
        return Standing("call", note="the tool is not tracked")
    ahead = [t for t in found.thresholds if t > (found.count or 0)]
    limit = ahead[0] if ahead else found.thresholds[-1]
    return Standing("call", found.count, setting_of(other), limit)


def _unrefused(plan: Plan, policy: str) -> Standing:
    if policy == "allowlist" and plan.shell_http == "off":
        return Standing(setting="blockShellHttp", note="the block is off")
    return Standing(setting="shellHttpAllow", note=f"allowed by the {policy}")


def _breaker(other: Decision, trace: BreakerTrace, config: BreakerConfig) -> Standing:
    hit = other.hits[0]
    key = setting_of(other)
    if not trace.tracked:
        return Standing(hit.measure, setting=key, note="the tool is not tracked")
    same = [m for m in trace.measures if m.fingerprint == hit.fingerprint]
    if not same:
        note = "the call has no such fingerprint"
        return Standing(hit.measure, setting=key, note=note)
    measure = same[0]
    after = measure.streak_after if measure.streak_after is not None else measure.streak
    if hit.track == "repeat":
        count = measure.count
    else:
        count = after if other.verdict == "advise" else measure.streak
    note = ""
    if measure.cap is None:
        note = f"{measure.measure}: has no limit"
    elif measure.exempt:
        note = "approved by the operator"
    elif not trace.ran:
        note = "the call is stopped before"
    elif other.verdict == "advise" and count == _limit(other, hit, config):
        note = "another measure is named, or nobody would have read it"
    limit = measure.cap if key.startswith("limits.") else _limit(other, hit, config)
    return Standing(hit.measure, count, key, limit, note)


def _limit(other: Decision, hit: Hit, config: BreakerConfig) -> float | None:
    if other.verdict != "advise":
        return config.fail_limit if hit.track == "failure" else None
    return {
        "warn": config.warn_at,
        "summarize": config.summarize_at,
        "failure": config.fail_warn_at,
    }[other.stage]


def _reasoning(other: Decision, trace: StreamTrace | None, plan: Plan) -> Standing:
    figure, key = RULE_FIGURES[other.stage]
    if trace is None or plan.rlg is None:
        return Standing(other.stage, setting=key, note="this side does not see the stream")
    limit = plan.rlg.thresholds()[key]
    if not trace.points:
        return Standing(other.stage, None, key, limit, "never judged: too short")
    highest = max(getattr(point, figure) for point in trace.points)
    return Standing(other.stage, highest, key, limit, "the highest of its judge points")
