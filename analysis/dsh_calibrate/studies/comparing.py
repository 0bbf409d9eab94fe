"""Two settings over the same logs: every decision that differs, one by one.

A place is one call (or stream) of one guard. What the shell-HTTP block makes of a call is a
place of its own, since in mode ``measure`` it is told apart from what the counters do.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo, prepare
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import GUARDS, Plan
from dsh_calibrate.replay.pool import map_logs
from dsh_calibrate.replay.shell_http_kinds import MECHANISM
from dsh_calibrate.studies.comparing_policy import Policy, PolicyFollower
from dsh_calibrate.studies.comparing_standing import Standing, standing_of, standing_of_silence
from dsh_calibrate.studies.explaining_traces import Ordinal, Traces, trace

Kind = Literal["only_a", "only_b", "verdict", "measure", "figures"]
"""How a place differs: one side alone acts; both, with another verdict, stage or outcome; with
another measure or fingerprint credited; or with another count or threshold."""

_Place = tuple[str, int, str, int]
"""Guard, lifecycle, ``call``, ``stream`` or ``refuse``, ordinal."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one side replays; ``label`` is how the user named it."""

    label: str
    plan: Plan
    policy: Policy = "allowlist"


@dataclass(frozen=True, slots=True)
class Change:
    """One place where the sides differ.

    ``a`` and ``b`` are what each side does there (empty: nothing), the first one credited.
    ``names_mechanism`` is set for the shell-HTTP block: whether the command names a downloader
    or an interpreter fetch.
    """

    log: str
    path: str
    session: str
    guard: str
    lifecycle: int
    seq: int
    call: int | None
    stream: int | None
    call_id: str | None
    tool: str | None
    kind: Kind
    a: tuple[Decision, ...]
    b: tuple[Decision, ...]
    standing_a: Standing
    standing_b: Standing
    names_mechanism: bool | None = None

    @property
    def is_refusal(self) -> bool:
        """Whether this is about the shell-HTTP block."""
        return any(d.verdict == "refuse" for d in (*self.a, *self.b))


@dataclass(frozen=True, slots=True)
class GuardCounts:
    """One guard on one log under one side: how often it did what, all and exact alone.

    Keys are ``advise ask deny refuse fire`` (``ask`` and ``deny`` are stops that held:
    approved questions count as ``approved``).
    """

    tracked: int
    all: dict[str, int]
    exact: dict[str, int]


@dataclass(frozen=True, slots=True)
class LogComparison:
    """One log under both sides."""

    log: str
    digest: str
    coverage: LogCoverage
    counts_a: dict[str, GuardCounts]
    counts_b: dict[str, GuardCounts]
    changes: tuple[Change, ...]


def comparing(
    logs: Sequence[Log],
    a: Side,
    b: Side,
    *,
    jobs: Jobs = None,
    on_done: Callable[[Log], None] | None = None,
) -> list[LogComparison]:
    """Replay both sides over ``logs``; comparisons come in the order of ``logs``.

    Guards that both sides configure alike are replayed once. Raises :class:`UsageError` for
    a denylist that is to be enforced: its refusals are only measured.
    """
    for side in (a, b):
        if side.policy == "denylist" and side.plan.shell_http == "enforce":
            raise UsageError(
                "policy=denylist is measured, not enforced: leave --shell-http enforce out"
            )
    return list(map_logs(functools.partial(_compare, a, b), logs, jobs=jobs, on_done=on_done))


def _compare(a: Side, b: Side, log: Log) -> LogComparison:
    outcome_a, refused_a = _replayed(log, a, a.plan)
    outcome_b, refused_b = _replayed(log, b, _only_different(a, b))
    shared = {g: outcome_b.guards.get(g) or outcome_a.guards[g] for g in b.plan.guards}
    outcome_b = replace(outcome_b, guards=shared)
    decided_a = (*outcome_a.decisions, *refused_a)
    decided_b = (*outcome_b.decisions, *refused_b)
    guards = [g for g in GUARDS if g in a.plan.guards and g in b.plan.guards]
    return LogComparison(
        log=log.key,
        digest=outcome_a.digest,
        coverage=outcome_a.coverage,
        counts_a={g: _counts(g, outcome_a, decided_a) for g in guards},
        counts_b={g: _counts(g, outcome_b, decided_b) for g in guards},
        changes=tuple(_changes(log, a, b, _by_place(decided_a), _by_place(decided_b), guards)),
    )


def _replayed(log: Log, side: Side, plan: Plan) -> tuple[LogOutcome, tuple[Decision, ...]]:
    """The outcome of a log, and what another policy than the plugin's would refuse in it."""
    if side.policy == "allowlist" or side.plan.rtb is None:
        return replay_log(log, plan), ()
    follower = PolicyFollower(log, side.plan.rtb, Memo())
    outcome = replay_log(log, plan, also=(follower,))
    stopped = {(d.lifecycle, d.call) for d in outcome.guards["rtb"].decisions if not d.ran}
    refused = [
        msgspec.structs.replace(d, ran=(d.lifecycle, d.call) not in stopped)
        for d in follower.decisions
    ]
    return outcome, tuple(refused)


def _only_different(a: Side, b: Side) -> Plan:
    """The plan of ``b`` without the guards that go exactly as in ``a``."""
    plan, other = b.plan, a.plan
    same_rtb = (plan.rtb, plan.operator, plan.shell_http) == (
        other.rtb,
        other.operator,
        other.shell_http,
    )
    if plan.salvage != other.salvage:
        return plan
    return replace(
        plan,
        rtb=None if same_rtb else plan.rtb,
        tfb=None if plan.tfb == other.tfb else plan.tfb,
        rtr=None if plan.rtr == other.rtr else plan.rtr,
        rlg=None if plan.rlg == other.rlg else plan.rlg,
    )


def _counts(guard: str, outcome: LogOutcome, decisions: Sequence[Decision]) -> GuardCounts:
    mine = [d for d in decisions if d.guard == guard]
    return GuardCounts(
        tracked=outcome.guards[guard].tracked,
        all=_by_verdict(mine),
        exact=_by_verdict([d for d in mine if d.exact]),
    )


def _by_verdict(decisions: Sequence[Decision]) -> dict[str, int]:
    counts = dict.fromkeys(("advise", "ask", "approved", "deny", "refuse", "fire"), 0)
    for decision in decisions:
        approved = decision.verdict == "ask" and decision.ran
        counts["approved" if approved else decision.verdict] += 1
    return counts


def _by_place(decisions: Sequence[Decision]) -> dict[_Place, tuple[Decision, ...]]:
    places: dict[_Place, tuple[Decision, ...]] = {}
    for d in decisions:
        if d.verdict == "refuse":
            place: _Place = (d.guard, d.lifecycle, "refuse", d.call or 0)
        elif d.stream is not None:
            place = (d.guard, d.lifecycle, "stream", d.stream)
        else:
            place = (d.guard, d.lifecycle, "call", d.call or 0)
        places[place] = (*places.get(place, ()), d)
    return places


def kind_of(a: Sequence[Decision], b: Sequence[Decision]) -> Kind | None:
    """How two sides differ at one place; ``None`` when they do the same."""
    if not a or not b:
        return "only_a" if a else "only_b" if b else None
    if [_doing(d) for d in a] != [_doing(d) for d in b]:
        return "verdict"
    if [[h.fingerprint for h in d.hits[:1]] for d in a] != [
        [h.fingerprint for h in d.hits[:1]] for d in b
    ]:
        return "measure"
    if [_figures(d) for d in a] != [_figures(d) for d in b]:
        return "figures"
    return None


def _doing(decision: Decision) -> tuple[str, str, bool]:
    """What is done; whether a call ran that the block refuses is told by its other place."""
    ran = decision.ran and decision.verdict != "refuse"
    return decision.verdict, decision.stage, ran


def _figures(decision: Decision) -> tuple[object, ...]:
    hits = tuple((h.fingerprint, h.count, h.threshold) for h in decision.hits)
    r = decision.reasoning
    at = (r.at_utf16, r.units, r.period, r.count, r.share) if r is not None else None
    return hits, at


def _changes(
    log: Log,
    a: Side,
    b: Side,
    places_a: dict[_Place, tuple[Decision, ...]],
    places_b: dict[_Place, tuple[Decision, ...]],
    guards: Sequence[str],
) -> list[Change]:
    found: list[tuple[_Place, Kind, tuple[Decision, ...], tuple[Decision, ...]]] = []
    for place in {**places_a, **places_b}:
        mine, others = places_a.get(place, ()), places_b.get(place, ())
        kind = kind_of(mine, others)
        if kind is not None and place[0] in guards:
            found.append((place, kind, mine, others))
    if not found:
        return []
    traces_a = _traces(log, a.plan, [place for place, _, mine, _ in found if not mine])
    traces_b = _traces(log, b.plan, [place for place, _, _, others in found if not others])
    naming = _naming_mechanism(log, a.plan, [place for place, *_ in found if place[2] == "refuse"])
    changes = []
    for place, kind, mine, others in found:
        some = (mine or others)[0]
        ordinal = (place[1], place[3])
        changes.append(
            Change(
                log=log.key,
                path=str(log.path),
                session=some.session,
                guard=place[0],
                lifecycle=place[1],
                seq=some.seq,
                call=some.call,
                stream=some.stream,
                call_id=some.call_id,
                tool=some.tool,
                kind=kind,
                a=mine,
                b=others,
                standing_a=standing_of(mine[0], a.plan)
                if mine
                else standing_of_silence(others[0], ordinal, traces_a, a.plan, a.policy),
                standing_b=standing_of(others[0], b.plan)
                if others
                else standing_of_silence(mine[0], ordinal, traces_b, b.plan, b.policy),
                names_mechanism=ordinal in naming if place[2] == "refuse" else None,
            )
        )
    return sorted(changes, key=lambda c: (c.seq, GUARDS.index(c.guard), c.is_refusal))


def _traces(log: Log, plan: Plan, silent: Sequence[_Place]) -> Traces:
    """What the guards saw where they kept silent; another replay only if there is any."""
    calls = frozenset((place[1], place[3]) for place in silent if place[2] == "call")
    streams = frozenset((place[1], place[3]) for place in silent if place[2] == "stream")
    if not calls and not streams:
        return Traces()
    return trace(log, plan, calls=calls, streams=streams)


def _naming_mechanism(log: Log, plan: Plan, refused: Sequence[_Place]) -> set[Ordinal]:
    """The calls whose command names a downloader or an interpreter fetch."""
    if not refused or plan.rtb is None:
        return set()
    calls = frozenset((place[1], place[3]) for place in refused)
    bare = Plan(salvage=plan.salvage)
    return {
        ordinal
        for ordinal, call in trace(log, bare, calls=calls).calls.items()
        if MECHANISM.search(prepare(call.tool, call.arguments, plan.rtb).command)
    }
