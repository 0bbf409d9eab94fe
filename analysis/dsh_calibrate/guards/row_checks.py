"""Loud checks of single settings, for guards whose rows are flat (guards.md 2 and 3).

Every function takes the guard's short name, the key and the value as the user wrote it,
returns the value in the form a configuration keeps, and raises :class:`SettingsError`
naming guard and key. Numbers are JavaScript numbers: ``2.0`` is an integer, ``true`` is none.
"""

from __future__ import annotations

from dsh_calibrate.errors import SettingsError


def is_integer_from(value: object, minimum: int) -> bool:
    """Whether ``value`` is a JavaScript integer of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return (isinstance(value, int) or value.is_integer()) and value >= minimum


def integer_from(guard: str, key: str, value: object, minimum: int) -> int:
    """Accept an integer of at least ``minimum``."""
    if not is_integer_from(value, minimum):
        raise SettingsError(guard, key, f"must be an integer of at least {minimum}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def array(guard: str, key: str, value: object, accepted: str) -> tuple[object, ...]:
    """Accept an array of anything; ``accepted`` says in the error what it should hold."""
    if not isinstance(value, list | tuple):
        raise SettingsError(guard, key, f"must be {accepted}")
    return tuple(value)


def patterns(guard: str, key: str, value: object) -> tuple[str, ...]:
    """Accept an array of tool-name patterns (strings; ``*`` is a wildcard)."""
    accepted = "an array of tool-name patterns (strings)"
    items = array(guard, key, value, accepted)
    strings = tuple(item for item in items if isinstance(item, str))
    if len(strings) != len(items):
        raise SettingsError(guard, key, f"must be {accepted}")
    return strings
