"""Replays reasoning-loop-guard over the reasoning streams of one log (guards.md 4)."""

from __future__ import annotations

from typing import ClassVar

import msgspec

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.guards.reasoning_loop.verdict import Verdict
from dsh_calibrate.logs.events import (
    Event,
    Gap,
    LifecycleStart,
    StreamClose,
    StreamOpen,
    StreamPieces,
)
from dsh_calibrate.replay.decision import Decision, Draft, ReasoningFigures
from dsh_calibrate.replay.place import Place


class ReasoningTracker:
    """One log's replay of the reasoning guard: one detector per attempt that reasons.

    ``streams`` and ``reasoning_utf16`` count attempts and their reasoning in UTF-16 units.
    """

    EVENTS: ClassVar[frozenset[type[Event]]] = frozenset(
        {StreamPieces, StreamOpen, StreamClose, LifecycleStart, Gap}
    )

    def __init__(self, place: Place, config: Config) -> None:
        self.place = place
        self.streams = 0
        self._config = config
        self._open: StreamOpen | None = None
        self._detector: Detector | None = None
        self._fired: Draft | None = None
        self._begun = False
        self._first_time: int | None = None
        self._last_time: int | None = None
        self._fired_time: int | None = None

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        kind = type(event)
        if kind is StreamPieces:
            assert isinstance(event, StreamPieces)
            self._pieces(event)
        elif kind is StreamOpen:
            assert isinstance(event, StreamOpen)
            self._close(None)
            self._open = event
            self._detector = Detector(self._config)
            self.streams += 1
        elif kind is StreamClose:
            assert isinstance(event, StreamClose)
            self._close(event)
        elif kind is LifecycleStart:
            assert isinstance(event, LifecycleStart)
            self._close(None)
            self.place.begin(event.number)
        elif kind is Gap:
            self._close(None)

    def finish(self) -> None:
        """The log is over."""
        self._close(None)
        self.place.close()

    def _pieces(self, event: StreamPieces) -> None:
        if self._detector is None:
            return
        times = event.times
        if not self._begun:  # a part without times makes the spans over its edge unknown
            self._begun = True
            self._first_time = times[0] if times else None
        self._last_time = times[-1] if times else None
        fired = self._detector.feed_many(event.texts)
        if fired is not None:
            position, verdict = fired
            self._fire(event, position, verdict)

    def _fire(self, event: StreamPieces, position: int, verdict: Verdict) -> None:
        stream = self._open
        assert stream is not None
        at = event.times[position] if event.times else None
        self._fired_time = at
        first, started = self._first_time, stream.started
        figures = ReasoningFigures(
            at_utf16=verdict.at_utf16,
            preview=verdict.preview or "",
            units=verdict.units,
            period=verdict.period,
            count=verdict.count,
            block_len=verdict.block_len,
            line_len=verdict.line_len,
            share=verdict.share,
            turn=stream.turn,
            step=stream.step,
            attempt=stream.attempt,
            provider=stream.provider,
            model=stream.model,
            reasoning_effort=stream.effort,
            ttft_ms=_span(started, first),
            elapsed_ms=_span(first, at),
            from_start_ms=_span(started, at),
            granular=event.granular,
            thresholds=self._config.thresholds(),
        )
        decision = Decision(
            log=self.place.log,
            session=self.place.session,
            lifecycle=self.place.lifecycle,
            guard="rlg",
            seq=event.seq + position * event.seq_stride,
            line=event.line_of(position),
            verdict="fire",
            stage=verdict.rule,
            ran=False,
            stream=stream.stream,
        )
        self._fired = self.place.add(Draft(decision, "gate", reasoning=figures))
        if self.place.meter is not None:
            self._fired.so_far = self.place.meter.at(event, position)

    def _close(self, event: StreamClose | None) -> None:
        draft, detector = self._fired, self._detector
        if draft is not None and detector is not None and draft.reasoning is not None:
            draft.reasoning = msgspec.structs.replace(
                draft.reasoning,
                saved_utf16=detector.total - draft.reasoning.at_utf16,
                saved_ms=_span(self._fired_time, self._last_time),
                provider=(event.provider if event else None) or draft.reasoning.provider,
                model=(event.model if event else None) or draft.reasoning.model,
            )
            if event is not None and event.failure_code == self._config.failure_code:
                draft.matched = True
        self._open = self._detector = self._fired = None
        self._begun = False
        self._first_time = self._last_time = self._fired_time = None


def _span(start: int | None, end: int | None) -> int | None:
    """Milliseconds from ``start`` to ``end`` where both are known."""
    return None if start is None or end is None else end - start
