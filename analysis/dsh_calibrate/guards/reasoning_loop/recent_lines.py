"""Skipping test of line-repeat: the complete lines of the window, counted as they come."""

from __future__ import annotations

from collections import deque

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.lines import is_code

_SLACK = 1 - 1e-9  # the share is compared in floating point: stay on the careful side


class RecentLines:
    """Bounds what line-repeat can find without looking at the window again.

    Complete lines are counted when they end and forgotten when their segment has left the
    window. A window also holds the end of a line at its start and the open line at its
    end; each can add one to a count. The bounds are careful: :meth:`may_hold` never
    wrongly says no.
    """

    __slots__ = ("_config", "_counts", "_frequent", "_inside", "_longest", "_open", "_segments")

    def __init__(self, config: Config) -> None:
        self._config = config
        self._counts: dict[str, int] = {}
        self._frequent: set[str] = set()  # lines that one more occurrence can make hold
        self._segments: deque[tuple[int, list[str], int]] = deque()
        self._inside = 0  # length of the countable lines and line ends of all segments
        self._longest = 0  # no counted line was ever longer
        self._open = ""

    def grow(self, stripped: str) -> None:
        """Take new text without a newline, stripped."""
        if len(self._open) <= self._config.window:
            self._open += stripped

    def extend(self, lined: str, raw: str, raw_end: int) -> None:
        """Take a raw segment that ends at ``raw_end`` of the stream, and its stripped lines."""
        config = self._config
        counts = self._counts
        lines = lined.split("\n")
        counted = []
        inside = 0
        raw_lines: list[str] | None = None
        for index, part in enumerate(lines[:-1]):
            size = len(part)
            if size >= config.line_min:
                inside += size
            line = part if index else self._open + part
            if not config.line_min <= len(line) <= config.window:
                continue
            count = counts.get(line, 0)
            if count and index:
                # A code line that occurs for the first time is counted: that is careful, too.
                raw_lines = raw_lines or raw.split("\n")
                if is_code(raw_lines[index]):
                    continue
            counts[line] = count + 1
            counted.append(line)
            if len(line) > self._longest:
                self._longest = len(line)
            if count + 2 >= config.line_count:
                self._frequent.add(line)
        self._open = lines[-1]
        self._inside += inside
        self._segments.append((raw_end, counted, inside))

    def may_hold(self, window_start: int) -> bool:
        """Tell whether the rule can hold in the window that starts there in the stream."""
        segments = self._segments
        while segments and segments[0][0] <= window_start:
            self._forget(segments.popleft())
        config = self._config
        size = len(self._open)
        is_open_countable = config.line_min <= size <= self._longest or config.line_count == 2
        if not is_open_countable and not self._frequent:
            return False
        least = config.line_share * _SLACK
        # The oldest segment may lie partly before the window.
        least *= self._inside - segments[0][2] if segments else 0
        if is_open_countable:
            bound = self._counts.get(self._open, 0) + 2
            if bound >= config.line_count and bound * size >= least:
                return True
        if not self._frequent:
            return False
        return any((self._counts[line] + 1) * len(line) >= least for line in self._frequent)

    def _forget(self, segment: tuple[int, list[str], int]) -> None:
        _, counted, inside = segment
        self._inside -= inside
        for line in counted:
            count = self._counts[line] - 1
            if count:
                self._counts[line] = count
            else:
                del self._counts[line]
            if count + 1 < self._config.line_count or not count:
                self._frequent.discard(line)
