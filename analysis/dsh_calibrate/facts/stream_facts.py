"""Facts about the reasoning of one log: its streams and every judge point's figures."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from dsh_calibrate.facts.sinks import Sinks
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.figures import FigureRecorder
from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs.events import (
    Event,
    Gap,
    LifecycleStart,
    StreamClose,
    StreamOpen,
    StreamPieces,
)


class StreamFacts:
    """Fills ``streams`` and ``judgements`` of one log.

    ``by_model[(provider, model)]`` is the reasoning of each model in UTF-16 units;
    ``fires`` counts the streams that ended with the guard's own failure code.
    """

    def __init__(self, config: Config, sinks: Sinks) -> None:
        self.by_model: dict[tuple[str | None, str | None], int] = {}
        self.fires = 0
        self._config = config
        self._sinks = sinks
        self._lifecycle = 0
        self._open: StreamOpen | None = None
        self._forget()

    def _forget(self) -> None:
        self._recorder: FigureRecorder | None = None
        self._open = None
        self._total = self._pieces = self._points = 0
        self._is_granular = True
        self._first: int | None = None
        self._last: int | None = None

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        kind = type(event)
        if kind is StreamPieces:
            assert isinstance(event, StreamPieces)
            self._take(event)
        elif kind is StreamOpen:
            assert isinstance(event, StreamOpen)
            self._close(None)
            self._open = event
            self._recorder = FigureRecorder(self._config)
        elif kind is StreamClose:
            assert isinstance(event, StreamClose)
            self._close(event)
        elif kind is LifecycleStart:
            assert isinstance(event, LifecycleStart)
            self._close(None)
            self._lifecycle = event.number
        elif kind is Gap:
            self._close(None)

    def finish(self) -> None:
        """The log is over."""
        self._close(None)

    def _take(self, event: StreamPieces) -> None:
        recorder, stream = self._recorder, self._open
        if recorder is None or stream is None:
            return
        times = event.times
        if times:
            if self._first is None:
                self._first = times[0]
            self._last = times[-1]
        self._pieces += len(event.texts)
        self._is_granular = self._is_granular and event.granular
        figures = recorder.feed_many(event.texts)
        joined = "".join(event.texts)
        length = utf16.length(joined)
        before, self._total = self._total, self._total + length
        if not figures:
            return
        lengths = map(len if length == len(joined) else utf16.length, event.texts)
        totals = list(accumulate(lengths, initial=before))
        sink = self._sinks["judgements"]
        piece = 0
        for found in figures:
            piece = bisect_left(totals, found.at_utf16, piece + 1) - 1
            sink.add(
                (
                    self._lifecycle,
                    stream.stream,
                    self._points,
                    event.seq + piece * event.seq_stride,
                    event.line_of(piece),
                    times[piece] if times else None,
                    found.at_utf16,
                    found.stripped_utf16,
                    found.units,
                    found.period,
                    found.block_count,
                    found.line_count,
                    found.line_len,
                    found.line_share,
                    found.kgram_count,
                    found.filler_run,
                )
            )
            self._points += 1

    def _close(self, end: StreamClose | None) -> None:
        stream = self._open
        if stream is None:
            return
        provider = (end.provider if end else None) or stream.provider
        model = (end.model if end else None) or stream.model
        key = (provider, model)
        self.by_model[key] = self.by_model.get(key, 0) + self._total
        self.fires += end is not None and end.failure_code == self._config.failure_code
        self._sinks["streams"].add(
            (
                self._lifecycle,
                stream.stream,
                stream.seq,
                stream.line,
                stream.turn,
                stream.step,
                stream.attempt,
                provider,
                model,
                stream.effort,
                self._total,
                self._pieces,
                self._is_granular,
                self._points,
                end.outcome if end else None,
                end.finish if end else None,
                end.failure_code if end else None,
                end.visible if end else None,
                end.interrupted if end else None,
                stream.started,
                self._first,
                self._last,
            )
        )
        self._forget()
