"""Globs over log keys and session ids.

``*`` and ``?`` stay inside one folder, ``**`` crosses folders (``**/`` also matches none),
``[abc]``, ``[a-c]`` and ``[!a]`` are classes. Case matters. A glob also matches the text that
is spelled exactly like it, so that names with brackets can be written as they are.
"""

from __future__ import annotations

import functools
import re

_TOKEN = re.compile(r"\*\*/|\*+|\?|\[!?\]?[^\]]*\]|[^*?\[]+|\[")
_SPECIAL = re.compile(r"[*?\[]")


def matches(glob: str, text: str) -> bool:
    """Whether ``glob`` matches the whole of ``text``."""
    return glob == text or _compiled(glob).fullmatch(text) is not None


def is_plain(glob: str) -> bool:
    """Whether ``glob`` has no special character, so that it matches its own spelling alone."""
    return _SPECIAL.search(glob) is None


def quoted(text: str) -> str:
    """A glob that matches ``text`` alone.

    Lone surrogates (file names that are no UTF-8) cannot be written down and become ``?``.
    """
    escaped = _SPECIAL.sub(lambda found: f"[{found[0]}]", text)
    return re.sub("[\ud800-\udfff]", "?", escaped)


@functools.lru_cache(maxsize=4096)
def _compiled(glob: str) -> re.Pattern[str]:
    return re.compile("".join(map(_translated, _TOKEN.findall(glob))), re.DOTALL)


def _translated(token: str) -> str:
    if token == "**/":
        return "(?:.*/)?"
    if token.startswith("*"):
        return "[^/]*" if token == "*" else ".*"
    if token == "?":
        return "[^/]"
    if token.startswith("[") and len(token) > 2:
        negated = token.startswith("[!")
        members = _members(token[2 if negated else 1 : -1])
        if members:
            return f"(?!/)[{'^' if negated else ''}{members}]"
    return re.escape(token)


def _members(inside: str) -> str:
    """The inside of a class for a regular expression; empty when no character is meant."""
    found: list[str] = []
    position = 0
    while position < len(inside):
        first, last = inside[position], inside[position]
        if inside[position + 1 : position + 2] == "-" and position + 2 < len(inside):
            last = inside[position + 2]
            position += 2
        if first <= last:
            found.append(f"{re.escape(first)}-{re.escape(last)}")
        position += 1
    return "".join(found)
