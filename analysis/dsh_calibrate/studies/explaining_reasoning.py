"""What the reasoning guard saw of one stream: its judge points, and the repeat in its place.

Figures come from :class:`..guards.reasoning_loop.figures.FigureRecorder`, which calls the
rules of the detector; the repeat is looked up in the raw text of the detector's own buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from dsh_calibrate.guards.reasoning_loop import blocks, kgram, lines, periodic
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.figures import FigureRecorder, held
from dsh_calibrate.guards.reasoning_loop.stripping import (
    from_units,
    strip,
    strip_in_lines,
    to_units,
    trailing_decoration,
)
from dsh_calibrate.guards.reasoning_loop.verdict import Figures
from dsh_calibrate.logs.events import Event, StreamClose, StreamOpen, StreamPieces
from dsh_calibrate.replay.place import Place
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.reasoning_loop import ReasoningTracker

Span = tuple[int, int]
"""Start and end in code points of the text they belong to."""


@dataclass(slots=True)
class StreamTrace:
    """What the guard saw of one attempt's reasoning.

    ``points`` are the judge points up to the fire (all of them when it never fired);
    ``text`` is the raw buffer of the rule that fired (of the last judge point, else), at most
    ``window`` or ``periodTail`` UTF-16 units, and ``spans`` the repeats in it.
    """

    lifecycle: int
    stream: int
    opened: StreamOpen
    closed: StreamClose | None = None
    fired: str | None = None
    points: list[Figures] = field(default_factory=list)
    text: str = ""
    spans: tuple[Span, ...] = ()


class ReasoningTracer(ReasoningTracker):
    """The replay of the reasoning guard that keeps a trace of every wanted stream."""

    def __init__(self, place: Place, plan: Plan, wanted: Callable[[int, int], bool]) -> None:
        assert plan.rlg is not None
        super().__init__(place, plan.rlg)
        self.traces: dict[tuple[int, int], StreamTrace] = {}
        self._wanted = wanted
        self._trace: StreamTrace | None = None
        self._recorder: FigureRecorder | None = None
        self._tail = ""

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if isinstance(event, StreamOpen):
            super().on(event)
            self._trace = None
            if self._wanted(self.place.lifecycle, event.stream):
                self._trace = StreamTrace(self.place.lifecycle, event.stream, event)
                self.traces[self._trace.lifecycle, event.stream] = self._trace
                self._recorder, self._tail = FigureRecorder(self._config), ""
            return
        trace = self._trace
        if trace is None or not isinstance(event, StreamPieces | StreamClose):
            super().on(event)
            return
        if isinstance(event, StreamClose):
            trace.closed = event
            super().on(event)
            self._trace = None
            return
        if trace.fired is None:
            self._watch(trace, event)
        super().on(event)

    def _watch(self, trace: StreamTrace, event: StreamPieces) -> None:
        """Measure piece by piece, until the guard fires on the same pieces."""
        assert self._recorder is not None
        kept = max(self._config.window, self._config.period_tail)
        for piece in event.texts:
            self._tail = (self._tail + piece)[-4 * kept :]
            for point in self._recorder.feed_many((piece,)):
                trace.points.append(point)
                trace.fired = held(point, self._config)
                if trace.fired is not None:
                    trace.text, trace.spans = located(self._tail, trace.fired, self._config)
                    return
        trace.text, _ = located(self._tail, None, self._config)


def segments(trace: StreamTrace) -> Iterator[tuple[str, bool]]:
    """The buffer in pieces, each with whether it is one of the repeats."""
    done = 0
    for start, end in trace.spans:
        if start > done:
            yield trace.text[done:start], False
        yield trace.text[start:end], True
        done = end
    if done < len(trace.text):
        yield trace.text[done:], False


def located(text: str, rule: str | None, config: Config) -> tuple[str, tuple[Span, ...]]:
    """The raw buffer that ``rule`` looked at when ``text`` had arrived, and the repeats in it.

    ``None`` as rule marks nothing. The spans are ascending and do not overlap.
    """
    size = config.period_tail if rule == "periodic-run" else config.window
    units = to_units(text)[-size:]
    raw = from_units(units)
    if rule is None:
        return raw, ()
    if rule == "filler-run":
        run = trailing_decoration(units)
        return raw, ((len(raw) - len(run), len(raw)),)
    if rule == "line-repeat":
        return raw, _line_spans(raw, units, config)
    stripped = strip(units)
    if rule == "periodic-run":
        run_ = periodic.measure(stripped, config)
        end, period = len(stripped), run_.period
        starts = [end - k * period for k in range(run_.units, 0, -1)]
        return raw, _raw_spans(raw, starts, period)
    if rule == "block-repeat":
        unit = blocks.preview(stripped, blocks.measure(stripped, config), config)
    else:
        unit = kgram.preview(stripped, config)
    return raw, _raw_spans(raw, _occurrences(stripped, unit), len(unit))


def _occurrences(text: str, unit: str) -> list[int]:
    found, starts = text.find(unit), []
    while found >= 0:
        starts.append(found)
        found = text.find(unit, found + 1)
    return starts


def _raw_spans(raw: str, starts: list[int], size: int) -> tuple[Span, ...]:
    """Spans of stripped units (start, size) in the raw text; overlapping ones are cut short."""
    kept: list[int] = []
    for index, character in enumerate(raw):
        if _stays(character):
            kept += [index] * (2 if ord(character) > 0xFFFF else 1)
    spans: list[Span] = []
    for number, start in enumerate(starts):
        end = start + size
        if number + 1 < len(starts):
            end = min(end, starts[number + 1])
        if start < len(kept) and end <= len(kept) and end > start:
            spans.append((kept[start], kept[end - 1] + 1))
    return tuple(spans)


def _line_spans(raw: str, units: str, config: Config) -> tuple[Span, ...]:
    repeat = lines.measure(units, config)
    spans: list[Span] = []
    start = 0
    for line in raw.split("\n"):
        if (
            strip_in_lines(to_units(line)) == repeat.line
            and repeat.line
            and not lines.is_code(line)
        ):
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return tuple(spans)


@lru_cache(maxsize=4096)
def _stays(character: str) -> bool:
    return bool(strip(to_units(character)))
