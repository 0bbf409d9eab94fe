r"""JavaScript's ``\s`` and ``trim`` (parity.md): other characters than Python's."""

from __future__ import annotations

CLASS = (
    "\\t\\n\\x0b\\x0c\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
)
r"""The characters of ``\s``, ready to stand between the brackets of a Python pattern."""

CHARACTERS = (
    "\t\n\x0b\x0c\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
r"""The characters of ``\s`` themselves."""


def trim(text: str) -> str:
    """``text`` without white space at both ends, as ``String.prototype.trim``."""
    return text.strip(CHARACTERS)
