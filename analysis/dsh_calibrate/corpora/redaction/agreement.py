"""Proof that a redacted log behaves like its original: replays compared, line by line.

Compared are, for every plan of :mod:`.spread`: each decision (place, verdict, stage,
whether the call ran, every hit's measure, count and threshold, exactness, divergence,
match with the recording, the figures of a reasoning verdict), all figures and totals. And,
under both profiles, for each call which earlier calls share which fingerprint, for each
result whether and why it is a failure.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path

from dsh_calibrate.guards.call_identity import CallIdentity
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.failure import classify
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Call, Result
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.plan import Plan

_SAME_COVERAGE = (
    "calls",
    "results",
    "not_dispatched",
    "synthetic",
    "unpaired",
    "has_reasoning",
    "inherited_lines",
)


def disagreement(
    original: Path,
    redacted: Path,
    plans: Mapping[str, Plan],
    redacted_plans: Mapping[str, Plan] | None = None,
) -> str | None:
    """The first difference between two logs, in words without content; ``None``: they agree.

    ``redacted_plans`` replaces the plans of the redacted log, by name, where the settings
    name hosts or paths and were rewritten with it.
    """
    configs: dict[int, tuple[Config, Config]] = {}
    for name, plan in plans.items():
        other = (redacted_plans or {}).get(name, plan)
        found = _replays_differ(original, redacted, plan, other)
        if found:
            return f"{found} (settings: {name})"
        if plan.rtb is not None and other.rtb is not None:
            configs[id(plan.rtb)] = plan.rtb, other.rtb
    for one, two in configs.values():
        found = _calls_differ(original, redacted, one, two)
        if found:
            return found
    return None


def _replays_differ(original: Path, redacted: Path, plan: Plan, other: Plan) -> str | None:
    one, two = replay_log(_log(original), plan), replay_log(_log(redacted), other)
    for name in _SAME_COVERAGE:
        if getattr(one.coverage, name) != getattr(two.coverage, name):
            return f"the reader counts other {name}"
    if one.totals != two.totals:
        return "the totals differ"
    for guard, outcome in one.guards.items():
        pairs = zip_longest(outcome.decisions, two.guards[guard].decisions)
        for number, (before, after) in enumerate(pairs):
            if before is None or after is None:
                there = before or after
                assert there is not None
                return f"{guard}: decision {number} ({_at(there)}) stands in one log only"
            if _view(before) != _view(after):
                return f"{guard}: decision {number} ({_at(before)}) differs"
        others = two.guards[guard]
        if (outcome.figures, outcome.exact, outcome.tracked) != (
            others.figures,
            others.exact,
            others.tracked,
        ):
            return f"{guard}: the figures differ"
    return None


def _log(path: Path) -> Log:
    return Log(path=path, key=path.name, root=path.parent)


def _at(decision: Decision) -> str:
    where = "stream" if decision.call is None else "call"
    place = decision.stream if decision.call is None else decision.call
    return f"{decision.verdict} {decision.stage}, lifecycle {decision.lifecycle}, {where} {place}"


def _view(decision: Decision) -> tuple[object, ...]:
    """What of a decision must be the same: everything but names, texts and physical lines."""
    reasoning = decision.reasoning
    figures = None
    if reasoning is not None:
        figures = (
            *(
                getattr(reasoning, name)
                for name in reasoning.__struct_fields__
                if name not in ("preview", "provider", "model", "reasoning_effort")
            ),
            len(reasoning.preview),
        )
    return (
        decision.lifecycle,
        decision.seq,
        decision.verdict,
        decision.stage,
        decision.ran,
        decision.call,
        decision.stream,
        tuple((h.measure, h.count, h.threshold, h.track) for h in decision.hits),
        decision.shell_http,
        decision.divergence,
        decision.exact,
        decision.matched,
        figures,
    )


def _calls_differ(original: Path, redacted: Path, config: Config, other: Config) -> str | None:
    """Compare which calls share what, and which results failed."""
    one, two = _Facts(config), _Facts(other)
    pairs = zip_longest(read_log(original, reasoning=False), read_log(redacted, reasoning=False))
    for before, after in pairs:
        if isinstance(before, Call) and isinstance(after, Call):
            if one.call(before) != two.call(after):
                return f"the call with seq {before.seq} shares other fingerprints"
        elif isinstance(before, Result) and isinstance(after, Result):
            if one.result(before) != two.result(after):
                return f"the result with seq {before.seq} fails otherwise"
        elif type(before) is not type(after):
            return "the events differ"
    return None


class _Facts:
    """Numbers the fingerprints of one log in the order in which they first occur."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._numbers: dict[tuple[str, str], int] = {}
        self._commands: dict[int, str] = {}

    def call(self, call: Call) -> tuple[object, ...]:
        """The measure and number of each fingerprint, locality, and the whole identity."""
        prints = fingerprint(call.tool, call.arguments, self._config)
        self._commands[call.index] = prints.command or ""
        numbered = tuple((p.partition(":")[0], self._number("rtb", p)) for p in prints.all)
        identity = CallIdentity(call.tool, call.arguments)
        whole = self._number("whole", identity.fingerprint)
        return (numbered, prints.local, whole, call.dispatched, call.approval, call.sub)

    def result(self, result: Result) -> tuple[object, ...]:
        """The reason of a failure, and what else of a result decides."""
        failure = classify(
            result.tool,
            result.text,
            result.is_error,
            result.error_name,
            result.error_code,
            result.status_code,
            self._commands.get(-1 if result.call is None else result.call, ""),
            self._config.profile,
        )
        reason = failure.reason if failure else None
        return (result.call, reason, result.is_error, result.synthetic, result.sub)

    def _number(self, space: str, text: str) -> int:
        return self._numbers.setdefault((space, text), len(self._numbers))
