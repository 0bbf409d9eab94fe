"""The detector of one reasoning stream: pieces in, at most one verdict out (guards.md 4)."""

from __future__ import annotations

from collections.abc import Sequence

from dsh_calibrate.guards.reasoning_loop import blocks, filler, kgram, lines, periodic
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.pacing import Pacer, Segment
from dsh_calibrate.guards.reasoning_loop.recent_lines import RecentLines
from dsh_calibrate.guards.reasoning_loop.repeats import SHORTEST, RepeatIndex
from dsh_calibrate.guards.reasoning_loop.stripping import from_units, length, strip
from dsh_calibrate.guards.reasoning_loop.tape import Point, Tape
from dsh_calibrate.guards.reasoning_loop.verdict import Verdict

_LONG = 1 << 20  # characters of one segment beyond which only its end is looked at
_POINTS_AT_ONCE = 64  # bounds what is prepared in vain when an early point fires


class Detector:
    """Watches one attempt's reasoning.

    Between judge points it only adds up lengths. At a judge point each rule first has to
    pass a cheap test that looks at new text alone and can only rule it out; the rule
    itself is evaluated on its literal buffer where the test leaves a doubt. The verdict is
    that of the literal rules on every input.
    """

    __slots__ = (
        "_config",
        "_has_fired",
        "_lines",
        "_pacer",
        "_period",
        "_repeats",
        "_tape",
        "_unwatched",
    )

    def __init__(self, config: Config) -> None:
        self._config = config
        self._pacer = Pacer(config)
        self._has_fired = False
        self._unwatched = 0
        self._start()

    def _start(self) -> None:
        """Begin with rules that have seen no text."""
        config = self._config
        self._tape = Tape(config)
        self._lines = RecentLines(config)
        self._period = periodic.Probe(config)
        size = min(config.block_min, config.kgram)
        count = min(config.block_count, config.kgram_threshold)
        self._repeats = RepeatIndex(size, count, config.window) if size >= SHORTEST else None

    @property
    def total(self) -> int:
        """UTF-16 units of the stream so far, also past a verdict."""
        return self._pacer.total + self._unwatched

    def feed(self, piece: str) -> Verdict | None:
        """Take the next piece; return the verdict when it fires here, then None for ever."""
        if self._has_fired:
            self._unwatched += length(piece)
            return None
        segment = self._pacer.piece(piece)
        if segment is None:
            return None
        fired = self._judge((segment,))
        return fired[1] if fired else None

    def feed_many(self, texts: Sequence[str]) -> tuple[int, Verdict] | None:
        """Take consecutive pieces, as :meth:`feed` would one by one, only faster.

        Returns the index (in ``texts``) of the piece after which it fires, and the verdict.
        """
        if self._has_fired:
            self._unwatched += (
                length("".join(texts)) if len(texts) == 1 else sum(map(length, texts))
            )
            return None
        segments = self._pacer.pieces(texts)
        at_once = _POINTS_AT_ONCE if sum(len(s.text) for s in segments) < _LONG else 1
        for first in range(0, len(segments), at_once):
            fired = self._judge(segments[first : first + at_once])
            if fired:
                return fired
        return None

    def _judge(self, segments: Sequence[Segment]) -> tuple[int, Verdict] | None:
        texts = [segment.text for segment in segments]
        if len(texts) == 1 and len(texts[0]) > _LONG:
            # Nothing before the widest buffer is ever looked at again: start at its edge.
            self._start()
            texts = [texts[0][-max(_LONG, self._config.window, self._config.period_tail) - 1 :]]
        tape = self._tape
        points = tape.extend(texts)
        if self._repeats:
            self._repeats.extend(tape.stripped, tape.stripped_offset)
        for segment, point in zip(segments, points, strict=True):
            verdict = self._judge_point(point, segment.total)
            if verdict:
                self._has_fired = True
                return segment.piece, verdict
        return None

    def _judge_point(self, point: Point, total: int) -> Verdict | None:
        config = self._config
        tape = self._tape
        raw_end, stripped_end = point.raw_end, point.stripped_end
        recent = self._lines
        if "\n" in point.lined:
            raw = tape.raw[point.raw_start : raw_end]
            recent.extend(point.lined, raw, raw_end + tape.raw_offset)
        else:
            recent.grow(point.lined)
        is_plain = tape.raw.isascii() or not tape.cuts_pair(point, config.window)

        if (point.half or self._period.may_hold(tape.stripped, stripped_end)) and (
            verdict := self._periodic_run(point, total)
        ):
            return verdict
        may_repeat = (
            not is_plain
            or self._repeats is None
            or self._repeats.may_hold(stripped_end + tape.stripped_offset)
        )
        stripped = strip(tape.buffer(point, config.window)) if may_repeat else ""
        if may_repeat and (verdict := self._block_repeat(stripped, total)):
            return verdict
        if (not is_plain or recent.may_hold(raw_end + tape.raw_offset - config.window)) and (
            verdict := self._line_repeat(point, total)
        ):
            return verdict
        if may_repeat and (verdict := self._kgram_repeat(stripped, total)):
            return verdict
        if point.half or filler.may_hold(tape.raw, raw_end, config):
            return self._filler_run(point, total)
        return None

    def _periodic_run(self, point: Point, total: int) -> Verdict | None:
        tail = strip(self._tape.buffer(point, self._config.period_tail))
        run = periodic.measure(tail, self._config)
        if run.units < self._config.min_units:
            return None
        return Verdict(
            rule="periodic-run",
            at_utf16=total,
            units=run.units,
            period=run.period,
            preview=from_units(periodic.preview(tail, run)),
        )

    def _block_repeat(self, stripped: str, total: int) -> Verdict | None:
        config = self._config
        if not blocks.is_looked_at(stripped, config):
            return None
        repeat = blocks.measure(stripped, config)
        if repeat.occurrences < config.block_count:
            return None
        return Verdict(
            rule="block-repeat",
            at_utf16=total,
            count=repeat.occurrences,
            block_len=config.block_min,
            preview=from_units(blocks.preview(stripped, repeat, config)),
        )

    def _line_repeat(self, point: Point, total: int) -> Verdict | None:
        config = self._config
        repeat = lines.measure(self._tape.buffer(point, config.window), config)
        if repeat.occurrences < config.line_count or repeat.share < config.line_share:
            return None
        return Verdict(
            rule="line-repeat",
            at_utf16=total,
            count=repeat.occurrences,
            line_len=len(repeat.line),
            share=lines.rounded(repeat.share),
            preview=from_units(repeat.line),
        )

    def _kgram_repeat(self, stripped: str, total: int) -> Verdict | None:
        count = kgram.measure(stripped, self._config)
        if count < self._config.kgram_threshold:
            return None
        preview = from_units(kgram.preview(stripped, self._config))
        return Verdict(rule="kgram-repeat", at_utf16=total, count=count, preview=preview)

    def _filler_run(self, point: Point, total: int) -> Verdict | None:
        raw = self._tape.buffer(point, self._config.window)
        count = filler.measure(raw)
        if count < self._config.filler_run:
            return None
        return Verdict(rule="filler-run", at_utf16=total, count=count, preview=filler.preview(raw))
