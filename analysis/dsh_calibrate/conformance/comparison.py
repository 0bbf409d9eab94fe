"""Comparing two JSON values as JavaScript would see them, and naming where they differ.

``true`` is not ``1``; ``1`` is ``1.0``; strings are compared by their UTF-16 units, so a
surrogate pair equals the character it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest


class Absent:
    """Stands for the value that one side does not have (JSON's ``null`` is a value)."""


ABSENT = Absent()


@dataclass(frozen=True, slots=True)
class Place:
    """Where two JSON values differ, and how.

    ``key`` is for people: object keys joined by dots, array places as ``[n]``, empty for
    the values as a whole. ``expected`` or ``got`` is :data:`ABSENT` where one lacks it.
    """

    key: str
    expected: object
    got: object


def differing_places(expected: object, got: object) -> tuple[Place, ...]:
    """The innermost places where two JSON values differ; none when they are equal."""
    return tuple(_differing(expected, got, ""))


def _differing(expected: object, got: object, key: str) -> Iterator[Place]:
    if isinstance(expected, dict) and isinstance(got, dict):
        for name in [*expected, *(name for name in got if name not in expected)]:
            inner = f"{key}.{name}" if key else str(name)
            yield from _differing(expected.get(name, ABSENT), got.get(name, ABSENT), inner)
    elif isinstance(expected, list) and isinstance(got, list):
        pairs = zip_longest(expected, got, fillvalue=ABSENT)
        for index, (wanted, given) in enumerate(pairs):
            yield from _differing(wanted, given, f"{key}[{index}]")
    elif not _same_scalar(expected, got):
        yield Place(key, expected, got)


def _same_scalar(expected: object, got: object) -> bool:
    if isinstance(expected, str) and isinstance(got, str):
        return expected == got or _units(expected) == _units(got)
    if isinstance(expected, bool) or isinstance(got, bool):
        return expected is got
    if isinstance(expected, int | float) and isinstance(got, int | float):
        return expected == got
    return type(expected) is type(got) and expected == got


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
