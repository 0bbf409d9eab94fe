"""``JSON.parse``, and what the harness makes of a call's raw arguments (guards.md, top)."""

from __future__ import annotations

import json
import re
from typing import TypeAlias

import msgspec

from dsh_calibrate.javascript import nested_json
from dsh_calibrate.javascript.numbers import as_double

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

_fast = msgspec.json.Decoder()


class NotJson(ValueError):
    """The text is no JSON, by the rules of ``JSON.parse``."""


def parse(text: str) -> Json:
    """The value of a JSON text; the last of several equal keys wins, numbers are doubles.

    Raises :class:`NotJson`. Lone surrogates, numbers out of range and whatever else the
    fast decoder refuses go to the standard library's, which decides; what is nested too
    deep for both goes to :mod:`nested_json`.
    """
    try:
        value = _fast.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return _slow(text)
    return value  # type: ignore[no-any-return]


_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE_OR_SURROGATE = re.compile(r"\\.|[\ud800-\udfff]", re.DOTALL)


def _slow(text: str) -> Json:
    if _SURROGATE.search(text):
        # Half of a pair may stand raw and the other half escaped: escape all, join all.
        text = _ESCAPE_OR_SURROGATE.sub(_escaped, text)
    try:
        try:
            return _decoder.decode(text)  # type: ignore[no-any-return]
        except RecursionError:
            return nested_json.decode(text, _integer)  # type: ignore[no-any-return]
    except ValueError as error:
        raise NotJson(str(error)) from None


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    return found if found[0] == "\\" else f"\\u{ord(found):04x}"


def _integer(digits: str) -> int | float:
    return as_double(int(digits)) if len(digits) < 400 else float(digits)


def _refuse(name: str) -> Json:
    raise ValueError(f"{name} is no JSON")


_decoder = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse)


def parse_arguments(text: str) -> Json:
    """A call's raw arguments as the guard sees them: parsed, or the raw text itself.

    The empty string is an empty object (guards.md, introduction; cases.md C52).
    """
    if not text:
        return {}
    try:
        return parse(text)
    except NotJson:
        return text
