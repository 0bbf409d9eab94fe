"""Rule 3, line-repeat: one prose line makes up a good part of the window."""

from __future__ import annotations

import re
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.stripping import strip_in_lines

_CODE = re.compile(r"[{}]|</?[A-Za-z!/]|^[ \t]*[-+]{1,3}[ \t]")


class LineRepeat(NamedTuple):
    """The stripped ``line``, its ``occurrences``, its exact ``share`` of all countable text."""

    occurrences: int
    line: str
    share: float


def is_code(raw_line: str) -> bool:
    """Tell whether a raw line is code, markup or a diff row, which is never reported."""
    return _CODE.search(raw_line) is not None


def measure(raw: str, config: Config, lined: str | None = None) -> LineRepeat:
    """Return the most repeated line of a raw window (a unit string).

    ``lined`` is the window stripped save for newlines, where that is known already.

    Lines shorter than ``lineMin`` when stripped do not exist. Code lines belong to the
    denominator but are not counted. Highest count, ties the longer, then the first.
    """
    stripped = (strip_in_lines(raw) if lined is None else lined).split("\n")
    least = config.line_min
    counts = Counter(line for line in stripped if len(line) >= least)
    total = sum(len(line) * count for line, count in counts.items())
    raw_lines = raw.split("\n")
    best_count, best_line, best_first = 0, "", 0
    # Counts with code lines are upper bounds: look at the promising lines only.
    for line, bound in sorted(counts.items(), key=lambda item: (-item[1], -len(item[0]))):
        if bound < best_count or (bound == best_count and len(line) < len(best_line)):
            break
        count, first = _count_prose(line, stripped, raw_lines)
        better = (count, len(line), -first) > (best_count, len(best_line), -best_first)
        if count and better:
            best_count, best_line, best_first = count, line, first
    share = best_count * len(best_line) / total if total else 0.0
    return LineRepeat(best_count, best_line, share)


def rounded(share: float) -> float:
    """Return a share with 4 decimals as ``toFixed`` rounds: exact ties go up."""
    return float(Decimal(share).quantize(Decimal("0.0001"), rounding=ROUND_HALF_UP))


def _count_prose(line: str, stripped: list[str], raw_lines: list[str]) -> tuple[int, int]:
    """Return how many of the raw lines behind ``line`` are prose, and the first one's index."""
    count = first = 0
    index = -1
    try:
        while True:
            index = stripped.index(line, index + 1)
            if not is_code(raw_lines[index]):
                first = first if count else index
                count += 1
    except ValueError:
        return count, first
