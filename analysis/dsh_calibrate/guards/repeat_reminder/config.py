"""Settings of repeat-tool-reminder: defaults and checks (guards.md 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.row_checks import array, integer_from, is_integer_from, patterns

GUARD = "rtr"
"""Short name of the guard in messages and keys."""

DEFAULTS: Mapping[str, object] = {
    "thresholds": (3, 5, 8),
    "include": (),
    "exclude": ("todo_write",),
    "argumentsPreviewChars": 500,
}
"""Every key the plugin reads with its default (the last one is the published package's)."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force.

    ``thresholds`` are run lengths in calls, ascending: the first brings the short reminder,
    the others the detailed one. ``include`` and ``exclude`` are tool-name patterns.
    ``arguments_preview_chars`` cuts what a reminder quotes and decides nothing.
    """

    thresholds: tuple[int, ...] = (3, 5, 8)
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ("todo_write",)
    arguments_preview_chars: int = 500


def configure(row: Mapping[str, object]) -> Config:
    """Check a row of settings as the plugin does at load, and sort its thresholds.

    Absent keys keep their default, unknown keys are accepted and change nothing. Raises
    :class:`SettingsError` on the key at fault.
    """
    value = {**DEFAULTS, **row}
    return Config(
        thresholds=_thresholds(value["thresholds"]),
        include=patterns(GUARD, "include", value["include"]),
        exclude=patterns(GUARD, "exclude", value["exclude"]),
        arguments_preview_chars=integer_from(
            GUARD, "argumentsPreviewChars", value["argumentsPreviewChars"], 1
        ),
    )


def _thresholds(value: object) -> tuple[int, ...]:
    """Accept a non-empty array of distinct integers of at least 2, in any order."""
    accepted = "a non-empty array of distinct integers of at least 2"
    items = array(GUARD, "thresholds", value, accepted)
    if not items or not all(is_integer_from(item, 2) for item in items):
        raise SettingsError(GUARD, "thresholds", f"must be {accepted}")
    numbers = sorted(int(item) for item in items)  # type: ignore[call-overload]
    if len(set(numbers)) != len(numbers):
        raise SettingsError(GUARD, "thresholds", f"must be {accepted}; one is there twice")
    return tuple(numbers)
