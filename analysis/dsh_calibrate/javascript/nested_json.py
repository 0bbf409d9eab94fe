"""JSON that is nested deeper than a recursive decoder goes.

``JSON.parse`` keeps its own stack, so depth never makes a text invalid. The decoders of
Python recurse, and where they give up depends on the caller's stack; this one does not.
It is slow and only meant for the texts that they refuse for their depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from json import decoder
from typing import Any

_string: Callable[[str, int, bool], tuple[str, int]] = decoder.scanstring  # type: ignore[attr-defined]
_SPACE = re.compile(r"[ \t\n\r]*+")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*+))(\.[0-9]++)?([eE][-+]?[0-9]++)?")
_NAMES = {"true": True, "false": False, "null": None}
_NAME = re.compile("true|false|null")


def decode(text: str, integer: Callable[[str], Any]) -> Any:
    """The value of a JSON text of any depth; ``integer`` reads the digits of a whole number.

    Raises :class:`ValueError` where ``JSON.parse`` throws.
    """
    root: list[Any] = []
    open_values: list[tuple[list[Any] | dict[str, Any], str]] = [(root, "")]
    at = _space(text, 0)
    while True:
        # Here a value stands: the next item or member of the innermost open one.
        letter = text[at : at + 1]
        if letter and letter in "[{":
            opened: list[Any] | dict[str, Any] = [] if letter == "[" else {}
            _put(open_values, opened)
            at = _space(text, at + 1)
            if text[at : at + 1] != ("]" if letter == "[" else "}"):
                key = ""
                if letter == "{":
                    key, at = _key(text, at)
                open_values.append((opened, key))
                continue
            at += 1
        else:
            value, at = _scalar(text, at, integer)
            _put(open_values, value)
        # Here a value has ended: close what closes with it, go on behind a comma.
        while True:
            at = _space(text, at)
            innermost, _ = open_values[-1]
            if innermost is root:
                if at != len(text):
                    raise ValueError(f"more than one value at {at}")
                return root[0]
            letter = text[at : at + 1]
            at += 1
            if letter == ",":
                at = _space(text, at)
                if isinstance(innermost, dict):
                    key, at = _key(text, at)
                    open_values[-1] = (innermost, key)
                break
            if letter != ("]" if isinstance(innermost, list) else "}"):
                raise ValueError(f"neither comma nor end at {at - 1}")
            open_values.pop()


def _space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _put(open_values: list[tuple[list[Any] | dict[str, Any], str]], value: Any) -> None:
    innermost, key = open_values[-1]
    if isinstance(innermost, list):
        innermost.append(value)
    else:
        innermost[key] = value


def _key(text: str, at: int) -> tuple[str, int]:
    """A member's name and where its value starts."""
    if text[at : at + 1] != '"':
        raise ValueError(f"no member name at {at}")
    key, at = _string(text, at + 1, True)
    at = _space(text, at)
    if text[at : at + 1] != ":":
        raise ValueError(f"no colon at {at}")
    return key, _space(text, at + 1)


def _scalar(text: str, at: int, integer: Callable[[str], Any]) -> tuple[Any, int]:
    if text[at : at + 1] == '"':
        return _string(text, at + 1, True)
    name = _NAME.match(text, at)
    if name:
        return _NAMES[name[0]], name.end()
    number = _NUMBER.match(text, at)
    if number is None:
        raise ValueError(f"no value at {at}")
    is_whole = number[2] is None and number[3] is None
    return integer(number[1]) if is_whole else float(number[0]), number.end()
