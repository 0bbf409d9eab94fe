"""How cells and sentences look: numbers at six digits, no character that acts on a reader."""

from __future__ import annotations

import unicodedata

from dsh_calibrate.reports.model import Cell, Kind

_LEFT_OUT = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def visible(text: str, *, lines: bool = False) -> str:
    """``text`` with control, format, private and unpaired characters as escapes.

    With ``lines``, line feeds stay. What is left can be encoded, is shown as it stands and
    neither moves a cursor nor turns the direction of what follows.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c
        if (c == "\n" and lines) or unicodedata.category(c) not in _LEFT_OUT
        else {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(c) or f"\\u{ord(c):04x}"
        for c in text
    )


def rounded(value: float) -> float:
    """Six significant digits: what platforms agree on."""
    return float(f"{value:.6g}")


def number(value: float, digits: int = 4) -> str:
    """A number for people, without exponent for usual sizes and without idle zeros."""
    text = f"{value:.{digits}g}"
    return f"{value:.0f}" if "e" in text and abs(value) < 1e15 and abs(value) >= 1 else text


def percent(value: float) -> str:
    """A share as percent with one decimal."""
    return f"{value:.1%}"


def shown(cell: Cell, kind: Kind) -> str:
    """A cell as people read it; nothing is a dash."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return visible(cell)
    if kind == "share":
        return percent(cell)
    return f"{cell:,}" if isinstance(cell, int) else number(cell)


def data(cell: Cell) -> Cell:
    """A cell as data files hold it."""
    if isinstance(cell, str):
        return visible(cell)
    return rounded(cell) if isinstance(cell, float) else cell
