"""Lengths and order in UTF-16 code units, which is what JavaScript strings are made of."""

from __future__ import annotations

_LONG = 1 << 20


def length(text: str) -> int:
    """UTF-16 code units of ``text``; a character beyond U+FFFF has two."""
    if text.isascii():
        return len(text)
    if len(text) > _LONG:
        return sum(length(text[at : at + _LONG]) for at in range(0, len(text), _LONG))
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def sort_key(text: str) -> bytes:
    """A key that sorts strings by UTF-16 units."""
    return text.encode("utf-16-be", "surrogatepass")


def ordered(texts: list[str]) -> list[str]:
    """``texts`` sorted by UTF-16 units, as ``Array.prototype.sort`` does."""
    if all(map(str.isascii, texts)):
        return sorted(texts)
    return sorted(texts, key=sort_key)
