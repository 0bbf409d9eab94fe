"""Which characters may stand for which: same script, same class, same case, same length."""

from __future__ import annotations

import unicodedata
from functools import cache

_BLOCK = 128

LETTERS = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
HEX = "0123456789abcdef"

_IDEOGRAPHS = ((0x4E00, 0x9FA5), (0x3041, 0x3096), (0x30A1, 0x30FA), (0x3400, 0x4DB5))
"""Scripts written without spaces: every character is a word of its own."""


def ideographs(character: str) -> tuple[int, int] | None:
    """The first and last code point of the script of an unspaced script's character."""
    point = ord(character)
    if point < 0x3041:
        return None
    return next((span for span in _IDEOGRAPHS if span[0] <= point <= span[1]), None)


@cache
def alphabet(character: str) -> str:
    """The characters that may stand for a character of a lower-cased word, itself included.

    They lie in the same block of 128 code points (so they take the same number of bytes and
    of UTF-16 units), have the same general category, and have an upper case where it has one.
    """
    if character in LETTERS:
        return LETTERS
    if character in DIGITS:
        return DIGITS
    kind = _kind(character)
    start = ord(character) // _BLOCK * _BLOCK
    return "".join(
        other for other in map(chr, range(start, start + _BLOCK)) if _kind(other) == kind
    )


def _kind(character: str) -> tuple[str, bool, bool]:
    upper = character.upper()
    has_upper = len(upper) == 1 and upper != character and upper.lower() == character
    return unicodedata.category(character), has_upper, character.lower() == character


def lowered(word: str) -> str:
    """A word in lower case where that is undone by taking the same letters up, else itself."""
    lower = word.lower()
    return lower if len(lower) == len(word) and cased_like(lower, word) == word else word


def cased_like(word: str, model: str) -> str:
    """A lower-case word with capitals where ``model`` has them."""
    if model.islower() or model.isdigit():
        return word
    return "".join(
        c.upper() if m != m.lower() and len(c.upper()) == 1 else c
        for c, m in zip(word, model, strict=True)
    )
