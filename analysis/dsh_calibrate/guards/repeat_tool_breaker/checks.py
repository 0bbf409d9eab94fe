"""The loud checks of one configuration value each (guards.md 1.2, "Checks").

Every function takes the full (dotted) key and the value as the user wrote it, returns the
value in the form :class:`..config.Config` keeps, and raises :class:`SettingsError` naming
that key. Numbers are JavaScript numbers: ``7.0`` is an integer, ``true`` is no number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from dsh_calibrate.errors import SettingsError

GUARD = "rtb"
"""Short name of the guard in messages and keys."""


def refuse(key: str, accepted: str) -> SettingsError:
    """Build the error for ``key``: what would have been accepted."""
    return SettingsError(GUARD, key, f"must be {accepted}")


def _finite(value: object) -> int | float | None:
    """Return a finite number, whole ones as ``int``, or ``None`` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, int):
        return value
    if not math.isfinite(value):
        return None
    return int(value) if value.is_integer() else value


def integer_from(key: str, value: object, minimum: int) -> int:
    """Accept an integer of at least ``minimum``."""
    number = _finite(value)
    if not isinstance(number, int) or number < minimum:
        raise refuse(key, f"an integer of at least {minimum}")
    return number


def stage(key: str, value: object) -> int | None:
    """Accept a stage: ``null`` or any number of at most 0 is off, else an integer (calls)."""
    if value is None:
        return None
    number = _finite(value)
    if number is not None and number <= 0:
        return None
    if not isinstance(number, int):
        raise refuse(key, "a positive integer, or 0, a negative number or null for off")
    return number


def limit(key: str, value: object) -> int | float | None:
    """Accept a cap: ``null`` (none) or a finite number of at least 2, whole or not (calls)."""
    if value is None:
        return None
    number = _finite(value)
    if number is None or number < 2:
        raise refuse(key, "null or a finite number of at least 2")
    return number


def boolean(key: str, value: object) -> bool:
    """Accept ``true`` or ``false``."""
    if not isinstance(value, bool):
        raise refuse(key, "true or false")
    return value


def strings(key: str, value: object) -> tuple[str, ...]:
    """Accept an array of strings."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise refuse(key, "an array of strings")
    return tuple(value)


def mapping(key: str, value: object) -> Mapping[str, object]:
    """Accept an object (names to values); an array or ``null`` is none."""
    if not isinstance(value, Mapping):
        raise refuse(key, "an object")
    return {str(name): entry for name, entry in value.items()}
