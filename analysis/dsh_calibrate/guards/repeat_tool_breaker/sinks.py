"""Where a shell command writes its output (guards.md 1.3)."""

from __future__ import annotations

import re

from dsh_calibrate.javascript import white_space

_OPERATORS = frozenset(("|", "||", ";", "&&", "&", ">", ">>", "<"))
_HERE = re.compile(r"\A(?:\./)++")
_OUTPUT_OPTIONS = frozenset(("-o", "--output", "--output-document"))
GENERIC = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/tty", "-"))
"""Destinations that say nothing about what was fetched: a sink, but no fingerprint."""


def sink(words: list[str]) -> str | None:
    """The destination that the first writing word names, or ``None``.

    The first place found ends the search, also when its path turns out empty.
    """
    for at, word in enumerate(words):
        found = _named_at(words, at, word)
        if found is not None:
            return _path(found)
    return None


def _named_at(words: list[str], at: int, word: str) -> str | None:
    following = words[at + 1] if at + 1 < len(words) else None
    if word.startswith("-"):
        if word in _OUTPUT_OPTIONS:
            return None if following is None or following.startswith("-") else following
        if word == "-O":
            if following is None or following.startswith("-"):
                return None
            is_url = following[:8].lower().startswith(("http://", "https://"))
            return None if is_url else following
        return word[len("--output=") :] if word.startswith("--output=") else None
    if word.startswith(">"):
        rest = word[2:] if word.startswith(">>") else word[1:]
        if rest:
            return rest
        return None if following is None or following in _OPERATORS else following
    if word == "tee":
        return _tee(words, at + 1)
    return None


def _tee(words: list[str], at: int) -> str | None:
    last = None
    for word in words[at:]:
        if word in _OPERATORS:
            break
        if not word.startswith("-"):
            last = word
    return last


def _path(text: str) -> str | None:
    path = white_space.trim(text)
    if path[:1] in ("'", '"'):
        path = path[1:]
    if path[-1:] in ("'", '"'):
        path = path[:-1]
    return _HERE.sub("", path) or None
