"""Traces of chosen calls and streams under one plan: what every guard saw there."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Call, Event, LifecycleStart, Result
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.place import Place
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.studies.explaining_breaker import BreakerTrace, BreakerTracer
from dsh_calibrate.studies.explaining_calls import CircuitTracer, CountTrace, RunTracer
from dsh_calibrate.studies.explaining_reasoning import ReasoningTracer, StreamTrace

Ordinal = tuple[int, int]
"""Lifecycle, and ordinal of a call or stream in it."""


@dataclass(slots=True)
class Traces:
    """What was asked for, by ordinal; a guard that is not in the plan has none."""

    calls: dict[Ordinal, Call] = field(default_factory=dict)
    results: dict[Ordinal, Result] = field(default_factory=dict)
    rtb: dict[Ordinal, BreakerTrace] = field(default_factory=dict)
    tfb: dict[Ordinal, CountTrace] = field(default_factory=dict)
    rtr: dict[Ordinal, CountTrace] = field(default_factory=dict)
    rlg: dict[Ordinal, StreamTrace] = field(default_factory=dict)


def trace(
    log: Log,
    plan: Plan,
    *,
    calls: frozenset[Ordinal] = frozenset(),
    streams: frozenset[Ordinal] = frozenset(),
) -> Traces:
    """Replay ``plan`` over ``log`` once more, keeping what the guards saw at some places.

    Costs one replay; the state is copied at those places only.
    """
    reading = read_log(log, salvage=plan.salvage, reasoning=bool(streams))
    events = iter(reading)
    first = tuple(itertools.islice(events, 1))
    session = reading.header.session if reading.header is not None else ""
    found = Traces()

    def wanted(lifecycle: int, call: Call) -> bool:
        return (lifecycle, call.index) in calls

    def place(guard: str) -> Place:
        return Place(log.key, session, guard)

    tracers: list[BreakerTracer | CircuitTracer | RunTracer | ReasoningTracer] = []
    if calls and plan.rtb is not None:
        breaker = BreakerTracer(place("rtb"), plan, wanted)
        found.rtb = breaker.traces
        tracers.append(breaker)
    if calls and plan.tfb is not None:
        circuit = CircuitTracer(place("tfb"), plan, wanted)
        found.tfb = circuit.traces
        tracers.append(circuit)
    if calls and plan.rtr is not None:
        reminder = RunTracer(place("rtr"), plan, wanted)
        found.rtr = reminder.traces
        tracers.append(reminder)
    if streams and plan.rlg is not None:
        reasoning = ReasoningTracer(place("rlg"), plan, lambda *ordinal: ordinal in streams)
        found.rlg = reasoning.traces
        tracers.append(reasoning)
    lifecycle = 0
    for event in itertools.chain(first, events):
        if isinstance(event, LifecycleStart):
            lifecycle = event.number
        _keep(event, lifecycle, calls, found)
        for tracer in tracers:
            tracer.on(event)
    for tracer in tracers:
        tracer.finish()
    return found


def _keep(event: Event, lifecycle: int, calls: frozenset[Ordinal], found: Traces) -> None:
    if isinstance(event, Call):
        if (lifecycle, event.index) in calls:
            found.calls[lifecycle, event.index] = event
    elif isinstance(event, Result) and event.call is not None:
        ordinal = (lifecycle, event.call)
        if ordinal in calls:
            found.results.setdefault(ordinal, event)
