"""Lines that remain of a log, made a log again: dense numbers, references that lead somewhere.

Sources: session-format.md 4.1 (seq, sourceEventSeqs, surfaceOp) and 9 (seeds).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from dsh_calibrate.logs.decode import ROWS

Object = dict[str, Any]


def renumbered(lines: Sequence[Object]) -> list[Object]:
    """The lines with ``seq`` from 0; a message that replaced what is gone is gone, too.

    The first line is the header. Lines that carry no numbers stay without.
    """
    kept = list(lines)
    while True:
        numbers = _new_numbers(kept)
        standing = [line for line in kept if _still_replaces(line, numbers)]
        if len(standing) == len(kept):
            break
        kept = standing
    return [kept[0], *(_renumbered(line, numbers) for line in kept[1:])]


def unseeded(header: Object) -> Object:
    """The header of the same session without inherited history."""
    new = {key: value for key, value in header.items() if key != "seedLength"}
    if "isSeeded" in new:
        new["isSeeded"] = False
    return new


def members(line: Object) -> int:
    """How many events a line holds."""
    data = line.get("data")
    if line.get("type") not in ROWS or not isinstance(data, dict):
        return 1
    payload = data.get("texts") or data.get("args") or [None]
    return len(payload)


def _new_numbers(lines: Sequence[Object]) -> dict[int, int]:
    numbers: dict[int, int] = {}
    at = 0
    for line in lines[1:]:
        count = members(line)
        old = line.get("seq0", line.get("seq"))
        if isinstance(old, int):
            numbers.update((old + k, at + k) for k in range(count))
        at += count
    return numbers


def _range_of(line: Object) -> tuple[str, str] | None:
    operation = line.get("surfaceOp")
    if not isinstance(operation, dict):
        return None
    return ("startSeq", "endSeq") if "startSeq" in operation else ("start", "end")


def _still_replaces(line: Object, numbers: dict[int, int]) -> bool:
    ends = _range_of(line)
    if ends is None:
        return True
    start, end = (line["surfaceOp"].get(name) for name in ends)
    if not isinstance(start, int) or not isinstance(end, int):
        return True
    return any(start <= old <= end for old in numbers)


def _renumbered(line: Object, numbers: dict[int, int]) -> Object:
    new = copy.copy(line)
    for name in ("seq", "seq0"):
        if isinstance(line.get(name), int):
            new[name] = numbers[line[name]]
    cited = line.get("sourceEventSeqs")
    if isinstance(cited, list):
        new["sourceEventSeqs"] = [numbers[old] for old in _spread(cited) if old in numbers]
    ends = _range_of(line)
    if ends is not None:
        start, end = (line["surfaceOp"].get(name) for name in ends)
        if isinstance(start, int) and isinstance(end, int):
            inside = [n for old, n in numbers.items() if start <= old <= end]
            new["surfaceOp"] = {
                **line["surfaceOp"],
                ends[0]: min(inside),
                ends[1]: max(inside),
            }
    return new


def _spread(cited: list[Any]) -> list[int]:
    """The numbers of a list that may hold ``[first, last]`` ranges."""
    found: list[int] = []
    for entry in cited:
        if isinstance(entry, int):
            found.append(entry)
        elif isinstance(entry, list) and len(entry) == 2:
            found.extend(range(entry[0], entry[1] + 1))
    return found
