"""The text of one stream as far as the rules can still see it, raw and stripped."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.stripping import (
    length,
    strip_in_lines_up_to,
    to_units,
)


class Point(NamedTuple):
    """One judge point on the tape.

    The ends are offsets into the tape's strings as they are until the next
    :meth:`Tape.extend`. ``half`` is the first half of a surrogate pair when the text so far
    ends in one: it is judged, and joins to what comes next. ``lined`` is the new text
    since the point before, stripped save for newlines; ``raw_start`` is where it began.
    """

    raw_start: int
    raw_end: int
    stripped_end: int
    half: str
    lined: str


class Tape:
    """Strips every piece of text once and keeps as much as the widest buffer needs.

    ``raw`` and ``stripped`` are unit strings (stripping.py); ``raw_offset`` and
    ``stripped_offset`` tell how many units of the stream were let go before them.
    ``stripped`` knows no buffer: a buffer that cuts a pair keeps half of it, so buffers for
    a verdict are stripped on their own, while ``stripped`` serves the tests that skip.
    """

    __slots__ = ("_half", "_kept", "raw", "raw_offset", "stripped", "stripped_offset")

    def __init__(self, config: Config) -> None:
        self.raw = self.stripped = self._half = ""
        self.raw_offset = self.stripped_offset = 0
        self._kept = max(config.window, config.period_tail)

    def extend(self, texts: Sequence[str]) -> list[Point]:
        """Append the texts between judge points; return one point after each."""
        self._trim()
        units = self._half + "".join(texts)
        ends = list(accumulate(map(len, texts), initial=len(self._half)))[1:]
        halves = [""] * len(ends)
        self._half = ""
        if not units.isascii():
            units, ends, halves = self._in_units(texts, units, ends)
        lined, lined_ends = strip_in_lines_up_to(units, ends)
        points = []
        raw_end, stripped_end = len(self.raw), len(self.stripped)
        begin = raw_end
        lined_start = 0
        for end, lined_end, half in zip(ends, lined_ends, halves, strict=True):
            new = lined[lined_start:lined_end]
            raw_start, raw_end = raw_end, begin + end
            stripped_end += len(new) - new.count("\n")
            points.append(Point(raw_start, raw_end, stripped_end, half, new))
            lined_start = lined_end
        self.raw += units
        self.stripped += lined.replace("\n", "")
        return points

    def _in_units(
        self, texts: Sequence[str], joined: str, ends: list[int]
    ) -> tuple[str, list[int], list[str]]:
        """Turn text with characters beyond ASCII into units; set ends apart from pairs.

        Returns the units that can go on the tape, where each text ends in them, and the
        first half of a pair that each text leaves behind.
        """
        units = to_units(joined)
        if len(units) != len(joined):
            ends = list(accumulate(map(length, texts), initial=ends[0] - len(texts[0])))[1:]
        halves = []
        for number, end in enumerate(ends):
            half = units[end - 1 : end] if end else ""
            halves.append(half if "\ud800" <= half <= "\udbff" else "")
            ends[number] = end - len(halves[-1])
        if halves[-1]:
            self._half = halves[-1]
            units = units[:-1]
        return units, ends, halves

    def buffer(self, point: Point, size: int) -> str:
        """Return the last ``size`` units of the stream as it was at ``point``."""
        if point.half:
            return (self.raw[max(0, point.raw_end - size) : point.raw_end] + point.half)[-size:]
        return self.raw[max(0, point.raw_end - size) : point.raw_end]

    def cuts_pair(self, point: Point, size: int) -> bool:
        """Tell whether a buffer of ``size`` units may begin or end inside a pair."""
        if point.half:
            return True
        start = point.raw_end - size
        return start > 0 and "\udc00" <= self.raw[start] <= "\udfff"

    def _trim(self) -> None:
        excess = len(self.raw) - self._kept
        if excess > self._kept:
            self.raw = self.raw[excess:]
            self.raw_offset += excess
            excess = max(0, len(self.stripped) - self._kept)
            self.stripped = self.stripped[excess:]
            self.stripped_offset += excess
