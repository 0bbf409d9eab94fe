"""Which settings were in force in a recording, from what the guards said in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from dsh_calibrate.conformance.recorded_evidence import Recorded
from dsh_calibrate.guards.tool_patterns import compiled
from dsh_calibrate.replay.plan import Plan


@dataclass(frozen=True, slots=True)
class Inferred:
    """One setting as the recording shows it.

    ``guard`` and ``key`` are README names (``limits.host``); ``value`` is what most of the
    ``evidence`` interventions say, ``others`` what the rest says, if they do not agree (the
    settings changed between sessions, or versions did). ``given`` is the value replayed.
    """

    guard: str
    key: str
    value: object
    evidence: int
    others: tuple[object, ...] = ()
    given: object = None

    @property
    def differs(self) -> bool:
        """Whether the recording was made under another value than was given."""
        return self.value != self.given


def infer(found: Iterable[Recorded], plan: Plan) -> list[Inferred]:
    """The settings that the interventions of a corpus tell, in the order of their keys.

    A stage is told by the wording of its advice, or by the count alone where the settings
    given allow only one; caps stand in denials. ``failLimit`` and ``maxFailures`` are upper
    bounds: the lowest count at which something was stopped.
    """
    seen: dict[tuple[str, str], Counter[object]] = {}
    for guard, key, told in _observations(list(found), plan):
        seen.setdefault((guard, key), Counter())[told] += 1
    results = []
    value: object
    others: tuple[object, ...]
    for (guard, key), values in sorted(seen.items()):
        if key in _LOWEST:
            value, others = min(values, key=lambda number: float(str(number))), ()
        elif key == "thresholds":
            value, others = tuple(sorted(values)), ()  # type: ignore[type-var]
        else:
            value = values.most_common(1)[0][0]
            others = tuple(sorted((v for v in values if v != value), key=str))
        given = given_value(plan, guard, key)
        if key == "thresholds" and isinstance(given, tuple) and isinstance(value, tuple):
            # Higher run lengths may just not have been reached.
            value = given if set(value) <= set(given) else value
        results.append(Inferred(guard, key, value, values.total(), others, given))
    return results


_LOWEST = ("failLimit", "maxFailures")


def _observations(found: list[Recorded], plan: Plan) -> Iterator[tuple[str, str, object]]:
    asked = any(one.kind == "ask" or one.asked for one in found)
    for one in found:
        config: Any = getattr(plan, one.part, None)
        if one.tool is not None and config is not None and _excluded(one.tool, config.exclude):
            kept = tuple(p for p in config.exclude if not compiled(p).fullmatch(one.tool))
            yield one.part, "exclude", kept
        if one.part == "shell_http":
            yield "rtb", "blockShellHttp", True
        elif one.part == "tfb" and one.count is not None:
            yield "tfb", "maxFailures", one.count
        elif one.part == "rtr" and one.count is not None:
            yield "rtr", "thresholds", one.count
        elif one.part == "rtb":
            yield from _breaker(one)
            if one.kind in ("stop", "ask"):
                yield "rtb", "onLimit", "ask" if asked else "deny"


def _excluded(tool: str, patterns: Iterable[str]) -> bool:
    return any(compiled(pattern).fullmatch(tool) for pattern in patterns)


def _breaker(one: Recorded) -> Iterator[tuple[str, str, object]]:
    if one.fingerprint is None or one.count is None:
        return
    if one.kind == "advice":
        keys = {"warn": "warnAt", "summarize": "summarizeAt", "failure": "failWarnAt"}
        if one.stage in keys:
            yield "rtb", keys[one.stage], one.count
    elif one.stage == "failure":
        yield "rtb", "failLimit", one.count
    elif one.threshold is not None:
        kind = one.fingerprint.partition(":")[0]
        whole = one.threshold == int(one.threshold)
        yield "rtb", f"limits.{kind}", int(one.threshold) if whole else one.threshold


def given_value(plan: Plan, guard: str, key: str) -> object:
    """The value of a key in a plan; ``None`` when it has none or the guard is not run."""
    config = getattr(plan, guard)
    if config is None:
        return None
    if key.startswith("limits."):
        return plan.rtb.limits.get(key.removeprefix("limits.")) if plan.rtb else None
    return getattr(config, _FIELDS[key])


_FIELDS = {
    "warnAt": "warn_at",
    "summarizeAt": "summarize_at",
    "failWarnAt": "fail_warn_at",
    "failLimit": "fail_limit",
    "onLimit": "on_limit",
    "blockShellHttp": "block_shell_http",
    "maxFailures": "max_failures",
    "thresholds": "thresholds",
    "exclude": "exclude",
}


def under(plan: Plan, inferred: Iterable[Inferred]) -> Plan:
    """The plan with the inferred values in place of those given.

    The block is enforced once the recording shows it at work.
    """
    for one in inferred:
        config: Any = getattr(plan, one.guard)
        if config is None or not one.differs:
            continue
        if one.key.startswith("limits."):
            kind = one.key.removeprefix("limits.")
            changed = replace(config, limits={**config.limits, kind: one.value})
        else:
            changed = replace(config, **{_FIELDS[one.key]: one.value})
        plan = _with(plan, one.guard, changed)
    return plan


def enforcing(plan: Plan, found: Iterable[Recorded]) -> Plan:
    """The plan with the shell-HTTP block enforced when the recording shows it at work."""
    has_block = plan.rtb is not None and plan.rtb.profile.has_shell_http_block
    seen = any(one.part == "shell_http" for one in found)
    return replace(plan, shell_http="enforce") if seen and has_block else plan


def _with(plan: Plan, guard: str, config: Any) -> Plan:
    change: Callable[..., Plan] = replace
    return change(plan, **{guard: config})
