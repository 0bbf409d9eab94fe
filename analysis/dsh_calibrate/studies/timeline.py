"""A session as one line per happening: turns, calls, results, streams, what each guard did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import (
    Call,
    Event,
    Gap,
    Header,
    Human,
    LifecycleStart,
    Notice,
    Result,
    Retry,
    StepStart,
    StreamClose,
    StreamOpen,
    StreamPieces,
    TurnEnd,
    TurnStart,
)
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.recorded import producer

Kind = Literal[
    "lifecycle",
    "gap",
    "turn",
    "turn-end",
    "step",
    "human",
    "notice",
    "call",
    "result",
    "stream",
    "retry",
    "decision",
]

_IN_STEPS = ("call", "result", "stream", "retry")
_BOUNDS = ("step", "turn", "turn-end", "lifecycle", "gap")


@dataclass(slots=True)
class Entry:
    """One happening. ``seq``, ``line`` and ``time`` (epoch milliseconds) as in the log.

    ``call`` and ``stream`` are ordinals within the lifecycle, ``name`` a tool, the producer
    of a notice, the reason of a turn's end or a failure code, ``text`` content (arguments of
    a call, text of a result, summary of a notice), cut to the limit that was asked for.
    ``last_seq`` and ``utf16`` belong to streams: where their reasoning ends, its length.
    """

    kind: Kind
    seq: int
    line: int
    time: int | None
    lifecycle: int
    turn: int | None = None
    step: int | None = None
    call: int | None = None
    call_id: str | None = None
    stream: int | None = None
    name: str = ""
    text: str = ""
    is_error: bool = False
    reaches_guards: bool = True
    last_seq: int = 0
    utf16: int = 0
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class Timeline:
    """A log's entries in the order of its lines, decisions behind the line they belong to."""

    log: Log
    header: Header | None
    coverage: LogCoverage
    digest: str
    entries: tuple[Entry, ...]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision, in order."""
        return tuple(e.decision for e in self.entries if e.decision is not None)


def timeline(log: Log, plan: Plan, *, text_limit: int | None = None) -> Timeline:
    """Replay ``plan`` over ``log`` and line up what happened and what each guard did.

    ``text_limit`` cuts content to so many code points (``None``: never). Steps that hold
    nothing are left out.
    """
    collector = _Collector(text_limit)
    outcome = replay_log(log, plan, also=(collector,))
    decisions = [
        Entry(
            "decision",
            d.seq,
            d.line,
            None,
            d.lifecycle,
            call=d.call,
            call_id=d.call_id,
            stream=d.stream,
            name=d.guard,
            decision=d,
        )
        for d in outcome.decisions
    ]
    return Timeline(
        log,
        outcome.header,
        outcome.coverage,
        outcome.digest,
        tuple(_merged(collector.entries, decisions)),
    )


def only(found: Timeline, guards: Sequence[str], turns: Sequence[int] = ()) -> list[Entry]:
    """The entries of some turns, with the decisions of ``guards`` alone."""
    return [
        e
        for e in found.entries
        if (e.decision is None or e.decision.guard in guards)
        and (not turns or e.turn in turns or e.kind == "lifecycle")
    ]


def _merged(entries: list[Entry], decisions: list[Entry]) -> list[Entry]:
    merged: list[Entry] = []
    waiting = iter(decisions)
    ahead = next(waiting, None)
    turn: int | None = None
    for position, entry in enumerate(entries):
        merged.append(entry)
        turn = entry.turn if entry.turn is not None else turn
        following = entries[position + 1].line if position + 1 < len(entries) else None
        while ahead is not None and (following is None or ahead.line < following):
            ahead.turn = turn
            merged.append(ahead)
            ahead = next(waiting, None)
    return merged


@dataclass(slots=True)
class _Collector:
    """Follows the replay and keeps one entry per happening."""

    limit: int | None
    entries: list[Entry] = field(default_factory=list)
    lifecycle: int = 0
    turn: int | None = None
    stream: Entry | None = None

    def on(self, event: Event) -> None:
        if isinstance(event, StreamPieces):
            if self.stream is not None:
                self.stream.utf16 += utf16.length("".join(event.texts))
                self.stream.last_seq = event.seq + (len(event.texts) - 1) * event.seq_stride
            return
        if isinstance(event, StreamClose):
            if self.stream is not None:
                self.stream.name = event.failure_code or event.finish or event.outcome
            self.stream = None
            return
        if isinstance(event, LifecycleStart):
            self.lifecycle, self.turn = event.number, None
        if isinstance(event, TurnStart):
            self.turn = event.turn
        entry = self._described(event)
        if entry is not None:
            self.entries.append(entry)

    def finish(self) -> None:
        """Drop the steps in which nothing happened."""
        kept: list[Entry] = []
        is_empty = True
        for entry in reversed(self.entries):
            if entry.kind == "step" and is_empty:
                continue
            if entry.kind in _IN_STEPS:
                is_empty = False
            elif entry.kind in _BOUNDS:
                is_empty = True
            kept.append(entry)
        self.entries = kept[::-1]

    def _entry(self, kind: Kind, event: Event) -> Entry:
        return Entry(kind, event.seq, event.line, event.time, self.lifecycle, turn=self.turn)

    def _cut(self, text: str) -> str:
        return text if self.limit is None else text[: self.limit]

    def _described(self, event: Event) -> Entry | None:
        if isinstance(event, LifecycleStart):
            return self._entry("lifecycle", event)
        if isinstance(event, Gap):
            return self._entry("gap", event)
        if isinstance(event, TurnStart):
            return self._entry("turn", event)
        if isinstance(event, StepStart):
            entry = self._entry("step", event)
            entry.turn, entry.step = event.turn, event.step
        elif isinstance(event, TurnEnd):
            entry = self._entry("turn-end", event)
            entry.name = event.reason
        elif isinstance(event, Human):
            return self._entry("human", event)
        elif isinstance(event, Notice):
            entry = self._entry("notice", event)
            entry.name, entry.text = producer(event), self._cut(event.summary or event.text)
        elif isinstance(event, Call):
            entry = self._entry("call", event)
            entry.step, entry.call, entry.call_id = event.step, event.index, event.call_id
            entry.name, entry.text = event.tool, self._cut(event.arguments)
            entry.reaches_guards = event.dispatched
        elif isinstance(event, Result):
            entry = self._entry("result", event)
            entry.step, entry.call, entry.call_id = event.step, event.call, event.call_id
            entry.name, entry.text = event.tool, self._cut(event.text)
            entry.is_error, entry.reaches_guards = event.is_error, not event.synthetic
        elif isinstance(event, StreamOpen):
            self.stream = entry = self._entry("stream", event)
            entry.step, entry.stream, entry.last_seq = event.step, event.stream, event.seq
        elif isinstance(event, Retry):
            entry = self._entry("retry", event)
            entry.name = event.code or ""
        else:
            return None
        return entry
