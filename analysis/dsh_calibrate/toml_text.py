"""TOML read strictly and within bounds: the standard parser, kept from what makes it run away.

A dotted key of many thousand parts takes :mod:`tomllib` memory that grows with their
square, and a hexadecimal number of any length becomes an integer that Python refuses to
show. TOML itself promises 64 bits and no more.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_PARTS = 64
"""Parts of a dotted key, and levels of nesting; files that people write have about six."""

_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?:^|[{{,])[ \t\[]*+(?:{_PART}\.[ \t]*+){{{MOST_PARTS}}}", re.MULTILINE)
_WHOLE = range(-(1 << 63), 1 << 63)


class TomlError(ValueError):
    """A text is no TOML that is read here; the message says why and where."""


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text (a byte-order mark is passed over). Raises `TomlError`."""
    text = text.removeprefix("\ufeff")
    if long := _LONG_KEY.search(text):
        line = text.count("\n", 0, long.end()) + 1
        raise TomlError(f"a key of more than {MOST_PARTS} parts (at line {line})")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise TomlError("nested too deeply") from None
    except tomllib.TOMLDecodeError as wrong:
        raise TomlError(str(wrong)) from None
    except ValueError:  # more digits than Python turns into a number
        raise TomlError("a number of too many digits") from None
    _require_bounds(data)
    return data


def _require_bounds(data: dict[str, Any]) -> None:
    """Refuse whole numbers past 64 bits and deep nesting."""
    waiting: list[tuple[str, object, int]] = [("", data, 0)]
    while waiting:
        key, value, depth = waiting.pop()
        if depth > MOST_PARTS:
            raise TomlError(f"{key}: nested too deeply")
        if isinstance(value, dict):
            waiting.extend((str(name), member, depth + 1) for name, member in value.items())
        elif isinstance(value, list):
            waiting.extend((key, member, depth + 1) for member in value)
        elif isinstance(value, int) and value not in _WHOLE:
            raise TomlError(f"{key}: a whole number past 64 bits")
