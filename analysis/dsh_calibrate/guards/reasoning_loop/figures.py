"""Every rule's figure at every judge point, none skipped, also past the first fire.

Thresholds (``minUnits``, ``blockCount``, ``lineCount``, ``lineShare``, ``kgramThreshold``,
``fillerRun``) are swept over these. The figures come from the rule functions that the
detector calls; :func:`held` is its decision, over stored figures.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsh_calibrate.guards.reasoning_loop import blocks, filler, kgram, lines, periodic
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.pacing import Pacer
from dsh_calibrate.guards.reasoning_loop.repeats import SHORTEST, RepeatIndex
from dsh_calibrate.guards.reasoning_loop.stripped_lines import StrippedLines
from dsh_calibrate.guards.reasoning_loop.stripping import strip_in_lines
from dsh_calibrate.guards.reasoning_loop.tape import Point, Tape
from dsh_calibrate.guards.reasoning_loop.verdict import Figures, Rule

_POINTS_AT_ONCE = 64


class FigureRecorder:
    """Measures one attempt's reasoning instead of judging it."""

    __slots__ = ("_config", "_lines", "_pacer", "_repeats", "_tape")

    def __init__(self, config: Config) -> None:
        self._config = config
        self._pacer = Pacer(config)
        self._tape = Tape(config)
        self._lines = StrippedLines(max(config.window, config.period_tail))
        size = min(config.block_min, config.kgram)
        self._repeats = RepeatIndex(size, 2, config.window) if size >= SHORTEST else None

    def feed_many(self, texts: Sequence[str]) -> list[Figures]:
        """Take consecutive pieces; return the figures of the judge points they bring."""
        segments = self._pacer.pieces(texts)
        found: list[Figures] = []
        tape = self._tape
        for first in range(0, len(segments), _POINTS_AT_ONCE):
            batch = segments[first : first + _POINTS_AT_ONCE]
            seen = tape.raw_offset + len(tape.raw)
            points = tape.extend([segment.text for segment in batch])
            self._lines.extend(tape.raw[seen - tape.raw_offset :])
            if self._repeats:
                self._repeats.extend(tape.stripped, tape.stripped_offset)
            found.extend(
                self._measure(point, segment.total)
                for segment, point in zip(batch, points, strict=True)
            )
        return found

    def _measure(self, point: Point, total: int) -> Figures:
        config, tape = self._config, self._tape
        raw = tape.buffer(point, config.window)
        lined = self._lined(point, config.window)
        stripped = lined.replace("\n", "")
        tail = self._lined(point, config.period_tail).replace("\n", "")
        run = periodic.measure(tail, config)
        line = lines.measure(raw, config, lined)
        if self._may_repeat(point):
            block_count = blocks.measure(stripped, config).occurrences
            kgram_count = kgram.measure(stripped, config)
        else:
            block_count = int(len(stripped) >= config.block_min)
            kgram_count = int(len(stripped) >= config.kgram)
        return Figures(
            at_utf16=total,
            stripped_utf16=len(stripped),
            units=run.units,
            period=run.period,
            block_count=block_count,
            line_count=line.occurrences,
            line_len=len(line.line),
            line_share=line.share,
            kgram_count=kgram_count,
            filler_run=filler.measure(raw),
        )

    def _lined(self, point: Point, size: int) -> str:
        """The last ``size`` units at a judge point, stripped save for newlines."""
        tape = self._tape
        if point.half or (not tape.raw.isascii() and tape.cuts_pair(point, size)):
            return strip_in_lines(tape.buffer(point, size))
        end = point.raw_end + tape.raw_offset
        return self._lines.between(max(0, end - size), end)

    def _may_repeat(self, point: Point) -> bool:
        tape = self._tape
        return (
            self._repeats is None
            or (not tape.raw.isascii() and tape.cuts_pair(point, self._config.window))
            or self._repeats.may_hold(point.stripped_end + tape.stripped_offset)
        )


def held(figures: Figures, config: Config) -> Rule | None:
    """Return the rule that holds at a judge point with these figures, the first in order."""
    if figures.units >= config.min_units:
        return "periodic-run"
    looked_at = figures.stripped_utf16 >= config.block_min * config.block_count
    if looked_at and figures.block_count >= config.block_count:
        return "block-repeat"
    if figures.line_count >= config.line_count and figures.line_share >= config.line_share:
        return "line-repeat"
    if figures.kgram_count >= config.kgram_threshold:
        return "kgram-repeat"
    if figures.filler_run >= config.filler_run:
        return "filler-run"
    return None
