"""The text of one stream as far as the rules can still see it, raw and stripped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.stripping import strip_in_lines, to_units


class Point(NamedTuple):
    """One judge point on the tape.

    ``raw_end`` and ``stripped_end`` are offsets into the tape's strings as they are until
    the next :meth:`Tape.extend`. ``half`` is the first half of a surrogate pair when the
    text so far ends in one: it is judged, and joins to what comes next. ``lines`` are the
    stripped lines of the new text: the first continues the line before, the last is open.
    """

    raw_start: int
    raw_end: int
    stripped_end: int
    half: str
    lines: list[str]


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

    def extend(self, texts: Iterable[str]) -> list[Point]:
        """Append the texts between judge points; return one point after each."""
        self._trim()
        raw_parts, stripped_parts = [self.raw], [self.stripped]
        raw_end, stripped_end = len(self.raw), len(self.stripped)
        points = []
        for text in texts:
            units = self._half + to_units(text)
            self._half = ""
            if units and "\ud800" <= units[-1] <= "\udbff":
                self._half, units = units[-1], units[:-1]
            lines = strip_in_lines(units)
            stripped = "".join(lines)
            raw_parts.append(units)
            stripped_parts.append(stripped)
            raw_start, raw_end = raw_end, raw_end + len(units)
            stripped_end += len(stripped)
            points.append(Point(raw_start, raw_end, stripped_end, self._half, lines))
        self.raw = "".join(raw_parts)
        self.stripped = "".join(stripped_parts)
        return points

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
