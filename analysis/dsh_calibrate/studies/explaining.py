"""Why a guard decided as it did, or why it did not: one call or one stream, explained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.events import Call, Result
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.studies.explaining_breaker import BreakerTrace
from dsh_calibrate.studies.explaining_calls import CountTrace
from dsh_calibrate.studies.explaining_reasoning import StreamTrace
from dsh_calibrate.studies.explaining_traces import trace
from dsh_calibrate.studies.timeline import Entry, Timeline
from dsh_calibrate.wording import counted

_NAMED = 5
"""Candidates that an error names."""


@dataclass(frozen=True, slots=True)
class CallExplanation:
    """One call: what the log says of it, what each guard saw, what each guard decided."""

    lifecycle: int
    call: Call
    result: Result | None
    decisions: tuple[Decision, ...]
    rtb: BreakerTrace | None
    tfb: CountTrace | None
    rtr: CountTrace | None


@dataclass(frozen=True, slots=True)
class StreamExplanation:
    """One stream of reasoning, and the fire in it, if there is one."""

    lifecycle: int
    trace: StreamTrace
    fire: Decision | None


Explanation = CallExplanation | StreamExplanation


@dataclass(frozen=True, slots=True)
class Selector:
    """Which place is meant; ``None`` says nothing.

    ``seq`` is the log's number of a call, of its result or of a piece of reasoning, ``call``
    a recorded call id or an ordinal, ``stream`` an ordinal, ``lifecycle`` narrows both.
    """

    seq: int | None = None
    call: str | None = None
    stream: int | None = None
    lifecycle: int | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no single place is asked for."""
        return self.seq is None and self.call is None and self.stream is None


def find(found: Timeline, selector: Selector, guards: Sequence[str]) -> Entry:
    """The one call or stream that is meant.

    Raises :class:`UsageError` when there is none, or several: those are named then. Where a
    seq stands for a stream and ``guards`` is not rlg alone, calls come first.
    """
    places = [
        e
        for e in found.entries
        if e.kind in ("call", "stream")
        and (selector.lifecycle is None or e.lifecycle == selector.lifecycle)
    ]
    if selector.seq is not None:
        what, hits = f"--seq {selector.seq}", _by_seq(found, places, selector.seq, guards)
    elif selector.stream is not None:
        what = f"--stream {selector.stream}"
        hits = [e for e in places if e.kind == "stream" and e.stream == selector.stream]
    else:
        given = selector.call or ""
        what = f"--call {given}"
        calls = [e for e in places if e.kind == "call"]
        hits = [e for e in calls if e.call_id == given]
        if not hits and given.isdecimal():
            hits = [e for e in calls if e.call == int(given)]
    if not hits:
        raise UsageError(f"{what}: {_nothing(found, selector)}")
    if len(hits) > 1:
        named = ", ".join(_named(e) for e in hits[:_NAMED])
        more = f" and {len(hits) - _NAMED} more" if len(hits) > _NAMED else ""
        raise UsageError(
            f"{what}: {counted(len(hits), 'place')} are meant: {named}{more}; choose by --seq"
        )
    return hits[0]


def explain(found: Timeline, place: Entry, plan: Plan) -> Explanation:
    """Replay once more and tell what every guard of ``plan`` saw at ``place``."""
    if place.kind == "stream":
        assert place.stream is not None
        stream = (place.lifecycle, place.stream)
        traces = trace(found.log, plan, streams=frozenset((stream,)))
        fires = [
            d
            for d in found.decisions
            if d.guard == "rlg" and (d.lifecycle, d.stream) == (place.lifecycle, place.stream)
        ]
        return StreamExplanation(place.lifecycle, traces.rlg[stream], fires[0] if fires else None)
    assert place.call is not None
    ordinal = (place.lifecycle, place.call)
    traces = trace(found.log, plan, calls=frozenset((ordinal,)))
    return CallExplanation(
        place.lifecycle,
        traces.calls[ordinal],
        traces.results.get(ordinal),
        tuple(d for d in found.decisions if (d.lifecycle, d.call) == ordinal),
        traces.rtb.get(ordinal),
        traces.tfb.get(ordinal),
        traces.rtr.get(ordinal),
    )


def _by_seq(found: Timeline, places: list[Entry], seq: int, guards: Sequence[str]) -> list[Entry]:
    calls = [e for e in places if e.kind == "call" and e.seq == seq]
    streams = [e for e in places if e.kind == "stream" and e.seq <= seq <= e.last_seq]
    first, second = (streams, calls) if tuple(guards) == ("rlg",) else (calls, streams)
    if first or second:
        return first or second
    answered = {(e.lifecycle, e.call) for e in found.entries if e.kind == "result" and e.seq == seq}
    return [e for e in places if e.kind == "call" and (e.lifecycle, e.call) in answered]


def _nothing(found: Timeline, selector: Selector) -> str:
    places = [e for e in found.entries if e.kind in ("call", "stream")]
    if not places:
        return "this log holds neither a call nor reasoning"
    if selector.seq is not None:
        before = [e for e in places if e.seq < selector.seq]
        after = [e for e in places if e.seq > selector.seq]
        near = [*before[-1:], *after[:1]]
        return "no call, result or reasoning of this log has that number; nearest: " + ", ".join(
            map(_named, near)
        )
    kind = "stream" if selector.stream is not None else "call"
    own = [e for e in places if e.kind == kind]
    if not own:
        return f"this log holds no {kind}"
    return f"no such {kind}; there are {len(own)}, from {_named(own[0])} to {_named(own[-1])}"


def _named(entry: Entry) -> str:
    number = entry.stream if entry.kind == "stream" else entry.call
    id_ = f" {entry.call_id}" if entry.call_id else ""
    return f"{entry.kind} {number}{id_} (lifecycle {entry.lifecycle}, seq {entry.seq})"
