"""Numbers as JavaScript holds and prints them: every one a double."""

from __future__ import annotations

import math

_EXACT = 2**53


def as_double(value: int) -> int | float:
    """An integer as a double holds it; an ``int`` only where that is the same number."""
    if -_EXACT <= value <= _EXACT:
        return value
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def printed(value: float) -> str:
    """How ``JSON.stringify`` writes a number: shortest digits, ``1e+21``, infinities null."""
    if isinstance(value, int):
        value = as_double(value)
        if isinstance(value, int):
            return str(value)
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    if value == int(value) and abs(value) < 1e21:
        return str(_integral(value))
    return _shortest(value)


def _integral(value: float) -> str:
    """An integral double below 1e21: its shortest digits, filled up with zeros."""
    digits, exponent, sign = _parts(value)
    return sign + digits.ljust(exponent, "0")


def _shortest(value: float) -> str:
    digits, exponent, sign = _parts(value)
    count = len(digits)
    if count <= exponent <= 21:
        return sign + digits + "0" * (exponent - count)
    if 0 < exponent <= 21:
        return f"{sign}{digits[:exponent]}.{digits[exponent:]}"
    if -6 < exponent <= 0:
        return f"{sign}0.{'0' * -exponent}{digits}"
    mantissa = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{sign}{mantissa}e{exponent - 1:+d}"


def _parts(value: float) -> tuple[str, int, str]:
    """Shortest digits without trailing zeros, the power of ten behind them, the sign.

    The value is ``0.<digits>`` times ten to the exponent.
    """
    sign = "-" if value < 0 else ""
    mantissa, _, power = f"{abs(value)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    exponent = len(whole) + int(power or 0)
    if not whole.strip("0"):
        exponent -= len(whole) + len(fraction) - len(fraction.lstrip("0"))
    return digits.rstrip("0") or "0", exponent, sign
