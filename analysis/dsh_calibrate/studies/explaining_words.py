"""Decisions in words: which setting was reached, what the model would have been given, why not.

The words are ours: an outline of what a guard says, never its text. Nothing from a log is in
them but names of tools.
"""

from __future__ import annotations

from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.studies.explaining_breaker import BreakerTrace, Measure
from dsh_calibrate.studies.explaining_calls import CountTrace

RULE_FIGURES: dict[str, tuple[str, str]] = {
    "periodic-run": ("units", "minUnits"),
    "block-repeat": ("block_count", "blockCount"),
    "line-repeat": ("line_count", "lineCount"),
    "kgram-repeat": ("kgram_count", "kgramThreshold"),
    "filler-run": ("filler_run", "fillerRun"),
}
"""Per rule: its figure at a judge point, and the setting that the figure is held against."""

_REFUSED = {
    "target": "names a downloader",
    "incidental": "only carries an address",
    "url_less": "no address that parses",
}

_THINGS = {
    "exact": "very call",
    "cmd": "command",
    "net": "address",
    "sink": "output file",
    "verb": "program",
    "family": "kind of fetch",
}


def setting_of(decision: Decision, hit: Hit | None = None) -> str:
    """The key of the setting that a decision reached (of its credited hit, unless named)."""
    hit = hit if hit is not None else (decision.hits[0] if decision.hits else None)
    if decision.guard == "tfb":
        return "maxFailures"
    if decision.guard == "rtr":
        return "thresholds"
    if decision.guard == "rlg":
        return RULE_FIGURES[decision.stage][1]
    if decision.verdict == "refuse" or hit is None:
        return "shellHttpAllow"
    if decision.verdict == "advise":
        names = {"warn": "warnAt", "summarize": "summarizeAt", "failure": "failWarnAt"}
        return names[decision.stage]
    return "failLimit" if hit.track == "failure" else f"limits.{hit.measure}"


def said(decision: Decision) -> str:
    """What the guard does, in a few words."""
    if decision.guard == "rlg":
        return f"ends the stream ({decision.stage})"
    if decision.guard == "rtr":
        return f"reminds (run of {decision.stage})"
    if decision.verdict == "advise":
        return {
            "warn": "warns",
            "summarize": "asks to sum up",
            "failure": "tells of failures",
        }[decision.stage]
    if decision.verdict == "ask":
        return "asks the operator, who approves" if decision.ran else "asks, and nobody approves"
    if decision.verdict == "refuse":
        return "would refuse HTTP from a shell" if decision.ran else "refuses HTTP from a shell"
    return "stops the call"


def reached(decision: Decision) -> str:
    """The figure and the setting behind a decision: ``host: 7, warnAt 7``."""
    if decision.reasoning is not None:
        figures = decision.reasoning
        value = figures.units if figures.units is not None else figures.count
        key = setting_of(decision)
        limit = (figures.thresholds or {}).get(key)
        share = f", share {figures.share:g}" if figures.share is not None else ""
        return f"{value}{share} at {figures.at_utf16} UTF-16 units, {key} {number(limit)}"
    if not decision.hits:
        return _REFUSED[decision.shell_http or "url_less"]
    hit = decision.hits[0]
    return f"{hit.measure}: {hit.count}, {setting_of(decision)} {number(hit.threshold)}"


def number(value: float | None) -> str:
    """A threshold as it is written in settings."""
    return "off" if value is None else f"{value:g}"


def outline(decision: Decision, plan: Plan) -> str:
    """What the model would have been given, in outline."""
    hit = decision.hits[0] if decision.hits else None
    if decision.guard == "rlg":
        code = plan.rlg.failure_code if plan.rlg is not None else ReasoningConfig().failure_code
        return (
            f"The stream ends here as failed with the code {code}: what it reasoned so far is no "
            "answer, and the step fails unless something retries it."
        )
    if decision.verdict == "refuse":
        tail = " In this replay it is only counted: the call went on." if decision.ran else ""
        return (
            "Instead of running: an error (SHELL_HTTP_BLOCKED) that shells are not for HTTP "
            f"here, and which tool to fetch with.{tail}"
        )
    assert hit is not None
    if decision.guard == "tfb":
        return (
            f"Instead of running: an error that this very {decision.tool} call already failed "
            f"{hit.count} times in a row, with the start of the last error; change the arguments "
            "or the way."
        )
    if decision.guard == "rtr":
        detailed = plan.rtr is not None and hit.count != plan.rtr.thresholds[0]
        more = ", with the arguments' start and a plea to change course" if detailed else ""
        return (
            f"Behind the result: a reminder that the same {decision.tool} call came {hit.count} "
            f"times in a row{more}."
        )
    return _breaker_outline(decision, hit, plan.rtb)


def _breaker_outline(decision: Decision, hit: Hit, config: BreakerConfig | None) -> str:
    thing = _THINGS.get(hit.measure, hit.measure)
    window = f"the last {config.window} calls" if config is not None else "the window"
    if decision.verdict == "advise":
        if decision.stage == "failure":
            return (
                f"Behind the result: a notice that calls with this {thing} failed "
                f"{hit.count} times in a row; look at the error before trying again."
            )
        plea = (
            "stop, and sum up what is known and what is missing"
            if decision.stage == "summarize"
            else "use what is already there, or try another way"
        )
        return (
            f"Behind the result: a notice that this {thing} came up {hit.count} times in "
            f"{window}; {plea}."
        )
    if decision.verdict == "ask" and decision.ran:
        return (
            "Nothing: the operator is asked and approves, the call runs, and the measures that "
            "hit count no more until the next human message."
        )
    cause = (
        f"calls with this {thing} failed {hit.count} times in a row"
        if hit.track == "failure"
        else f"this {thing} would be number {hit.count} in {window}"
    )
    lead = "The operator is asked, and nobody approves. " if decision.verdict == "ask" else ""
    return f"{lead}Instead of running: an error (REPEAT_TOOL_BLOCKED) that {cause}, and no retry."


def why_no_breaker(trace: BreakerTrace, config: BreakerConfig, decisions: int) -> str:
    """Why repeat-tool-breaker said nothing at a call; empty when it did say something."""
    if decisions:
        return ""
    if not trace.tracked:
        return "it does not look at this tool (include, exclude)"
    capped = [m for m in trace.measures if m.cap is not None]
    if not capped:
        return "none of the call's measures has a limit"
    due = [m for m in capped if m.count in (config.warn_at, config.summarize_at)]
    if due:
        return (
            f"advice was due ({due[0].measure}: {due[0].count}), but nobody would have read it: "
            "the call has no result of its own, or runs inside run_code"
        )
    over = [m for m in capped if m.exempt and m.cap is not None and m.count >= m.cap]
    if over:
        return f"{over[0].measure}: {over[0].count} is past its limit, but the operator approved it"
    key, measure, left, limit = min(
        (c for m in capped for c in _distances(m, config)), key=lambda c: c[2]
    )
    count = measure.streak if key == "failLimit" else measure.count
    return (
        f"no count reaches its threshold; nearest: {measure.measure}: {count}, {key} "
        f"{number(limit)} ({number(left)} to go)"
    )


def _distances(measure: Measure, config: BreakerConfig) -> list[tuple[str, Measure, float, float]]:
    """How far a measure is from each threshold that lies ahead of it."""
    assert measure.cap is not None
    ahead: list[tuple[str, Measure, float, float]] = [
        (f"limits.{measure.measure}", measure, measure.cap - measure.count, measure.cap)
    ]
    for key, stage in (("warnAt", config.warn_at), ("summarizeAt", config.summarize_at)):
        if stage is not None and stage > measure.count:
            ahead.append((key, measure, stage - measure.count, stage))
    if config.fail_limit is not None and measure.streak:
        limit = config.fail_limit
        ahead.append(("failLimit", measure, limit - measure.streak, limit))
    return ahead


def why_no_count(guard: str, trace: CountTrace, decisions: int) -> str:
    """Why tfb or rtr said nothing at a call; empty when it did."""
    if decisions:
        return ""
    if not trace.tracked:
        return "it does not look at this tool (include, exclude)"
    if guard == "tfb":
        return (
            f"failures of this very call in a row: {trace.count}, maxFailures {trace.thresholds[0]}"
        )
    listed = ", ".join(map(str, trace.thresholds))
    if trace.count is None:
        return "the call has no result, and only results are counted"
    if trace.count in trace.thresholds:
        return f"a reminder was due (run of {trace.count}), but it runs inside run_code"
    return f"the run of equal calls is {trace.count} long; it reminds at {listed}"
