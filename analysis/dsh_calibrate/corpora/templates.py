"""The small formatter of scenario files: ``{n}``, ``{i*200}``, ``{page}`` and nothing more.

A placeholder is a name, optionally times or plus a whole number and optionally padded:
``{n}``, ``{i*200}``, ``{n+1}``, ``{n:03}``. Braces that do not look like one stay as they are
(``{a,b}``, ``{ print $1 }``); ``{{name}}`` gives the literal ``{name}``. Nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

Value = str | int

_PLACEHOLDER = re.compile(
    r"\{\{(?P<literal>[^{}]*)\}\}|\{(?P<name>[A-Za-z_]\w*)(?:(?P<op>[*+])(?P<by>\d{1,9}))?"
    r"(?::0(?P<width>\d))?\}"
)


class UnknownName(Exception):
    """A placeholder names nothing that is known here; ``args[0]`` is the message."""


def fill(text: str, scope: Mapping[str, Value]) -> str:
    """Replace every placeholder of ``text``; raise :class:`UnknownName` for a strange one."""
    return _PLACEHOLDER.sub(lambda found: str(_replacement(found, scope)), text)


def value_of(text: str, scope: Mapping[str, Value]) -> Value:
    """Return what ``text`` stands for: a number stays one when it is the whole text."""
    found = _PLACEHOLDER.fullmatch(text)
    return _replacement(found, scope) if found else fill(text, scope)


def _replacement(found: re.Match[str], scope: Mapping[str, Value]) -> Value:
    if found["name"] is None:
        return f"{{{found['literal']}}}"
    name = found["name"]
    if name not in scope:
        known = ", ".join(sorted(scope)) or "none"
        raise UnknownName(
            f"{{{name}}} is not known here (known: {known}); write {{{{{name}}}}} for the text"
        )
    value = scope[name]
    if found["op"] is None and found["width"] is None:
        return value
    if not isinstance(value, int):
        raise UnknownName(f"{found[0]}: {name} is text, only numbers can be calculated or padded")
    if found["op"] is not None:
        value = value * int(found["by"]) if found["op"] == "*" else value + int(found["by"])
    return f"{value:0{found['width']}d}" if found["width"] else value
