r"""Text as UTF-16 units, and what the rules strip: ``[\s\p{P}\p{S}]`` of JavaScript.

A *unit string* is a ``str`` whose every character is one UTF-16 code unit: a character
beyond U+FFFF is held as its two surrogates. Slices of it are JavaScript's slices, and two
pieces of a cut pair join to a pair again. The character class comes from the ``regex``
package, whose tables are as new as Node's (``unicodedata`` of Python 3.11 is not).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import regex

SPACES = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
r"""JavaScript's ``\s``, to stand inside a character class."""

_DECORATION = regex.compile(rf"[{SPACES}\p{{P}}\p{{S}}]")
_TRAILING = regex.compile(rf"(?r)[{SPACES}\p{{P}}\p{{S}}]+")
_ASCII_DECORATION = "".join(chr(unit) for unit in range(128) if _DECORATION.match(chr(unit)))
_ASCII_STRIPPED = _ASCII_DECORATION.encode()
_ASCII_STRIPPED_IN_LINES = _ASCII_STRIPPED.replace(b"\n", b"")

if TYPE_CHECKING:  # numpy's typing takes long to import
    import numpy.typing as npt

    Units = npt.NDArray[np.uint16]
    Counts = npt.NDArray[np.int64]


@cache
def _is_kept() -> npt.NDArray[np.bool_]:
    """For every unit of the basic plane: does stripping keep it? Surrogates are kept."""
    kept = np.ones(0x10000, dtype=np.bool_)
    plane = "".join(map(chr, range(0x10000)))
    kept[[match.start() for match in _DECORATION.finditer(plane)]] = False
    return kept


@cache
def _is_kept_in_lines() -> npt.NDArray[np.bool_]:
    """The same, with the newline kept."""
    kept = _is_kept().copy()
    kept[0x0A] = True
    return kept


@cache
def _is_decoration(code_point: int) -> bool:
    return _DECORATION.match(chr(code_point)) is not None


_LONG = 1 << 20


def length(text: str) -> int:
    """Return the length of ``text`` in UTF-16 units."""
    if text.isascii():
        return len(text)
    if len(text) > _LONG:
        return sum(length(text[at : at + _LONG]) for at in range(0, len(text), _LONG))
    return len(text.encode("utf-16-le", "surrogatepass")) >> 1


def to_units(text: str) -> str:
    """Return ``text`` as a unit string (the same object where nothing lies beyond U+FFFF)."""
    if text.isascii():
        return text
    encoded = text.encode("utf-16-le", "surrogatepass")
    return text if len(encoded) == 2 * len(text) else _decode(np.frombuffer(encoded, "<u2"))


def from_units(units: str) -> str:
    """Return a unit string as ordinary text: surrogates that form a pair are joined."""
    if units.isascii():
        return units
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def strip(units: str) -> str:
    """Return a unit string without white space, punctuation and symbols."""
    if units.isascii():
        return units.encode().translate(None, _ASCII_STRIPPED).decode()
    encoded, keep = _units_to_keep(units, _is_kept())
    return _decode(encoded[keep])


def strip_in_lines(units: str) -> str:
    """Return a unit string stripped save for its newlines."""
    if units.isascii():
        return units.encode().translate(None, _ASCII_STRIPPED_IN_LINES).decode()
    encoded, keep = _units_to_keep(units, _is_kept_in_lines())
    return _decode(encoded[keep])


def strip_in_lines_up_to(units: str, ends: Sequence[int]) -> tuple[str, list[int]]:
    """Do the same, and tell how many units are left of the text before each of ``ends``."""
    if len(ends) == 1 and ends[0] == len(units):
        stripped = strip_in_lines(units)
        return stripped, [len(stripped)]
    stripped, left = strip_in_lines_counted(units)
    return stripped, left[list(ends)].tolist()


def strip_in_lines_counted(units: str) -> tuple[str, Counts]:
    """Do the same, and tell for every place between units how many are left before it."""
    if units.isascii():
        data = units.encode()
        stripped = data.translate(None, _ASCII_STRIPPED_IN_LINES).decode()
        keep = _is_kept_in_lines()[:128][np.frombuffer(data, np.uint8)]
    else:
        encoded, keep = _units_to_keep(units, _is_kept_in_lines())
        stripped = _decode(encoded[keep])
    left = np.zeros(len(units) + 1, dtype=np.int64)
    np.cumsum(keep, out=left[1:])
    return stripped, left


def trailing_decoration(units: str) -> str:
    """Return the run of stripped characters that ends a unit string, as ordinary text.

    Walks back from the end and stops at the first character that stays.
    """
    if units.isascii():
        return units[len(units.rstrip(_ASCII_DECORATION)) :]
    text = from_units(units)
    run = _TRAILING.match(text)
    return run[0] if run else ""


def may_be_decoration(unit: str) -> bool:
    """Tell whether a unit may belong to a stripped character (a surrogate always may)."""
    return "\ud800" <= unit <= "\udfff" or _is_decoration(ord(unit))


def _units_to_keep(
    text: str, is_kept: npt.NDArray[np.bool_]
) -> tuple[Units, npt.NDArray[np.bool_]]:
    """Return the units of a unit string and which of them stripping keeps."""
    units: Units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), "<u2")
    keep = is_kept[units]
    high = (units & 0xFC00) == 0xD800
    if high.any():
        pairs = np.flatnonzero(high[:-1] & ((units[1:] & 0xFC00) == 0xDC00))
        for index in pairs.tolist():
            top, low = int(units[index]) & 0x3FF, int(units[index + 1]) & 0x3FF
            if _is_decoration(0x10000 + (top << 10) + low):
                keep[index] = keep[index + 1] = False
    return units, keep


def _decode(units: Units) -> str:
    """Return units as a unit string: surrogates stay apart."""
    try:
        text = units.tobytes().decode("utf-16-le")
    except UnicodeDecodeError:
        text = ""
    if len(text) == len(units):
        return text
    return units.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
