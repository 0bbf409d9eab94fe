"""Settings of tool-failure-circuit-breaker: defaults and checks (guards.md 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dsh_calibrate.guards.row_checks import integer_from, patterns

GUARD = "tfb"
"""Short name of the guard in messages and keys."""

DEFAULTS: Mapping[str, object] = {
    "maxFailures": 2,
    "include": (),
    "exclude": (),
    "errorPreviewChars": 300,
}
"""Every key of the README with its default."""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force.

    ``max_failures`` counts failed results of one call in a row; ``include`` and ``exclude``
    are tool-name patterns; ``error_preview_chars`` cuts the error quoted in a denial and
    decides nothing.
    """

    max_failures: int = 2
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    error_preview_chars: int = 300


def configure(row: Mapping[str, object]) -> Config:
    """Check a row of settings (README keys) as the plugin does at load.

    Absent keys keep their default, unknown keys are accepted and change nothing. Raises
    :class:`dsh_calibrate.errors.SettingsError` on the key at fault.
    """
    value = {**DEFAULTS, **row}
    return Config(
        max_failures=integer_from(GUARD, "maxFailures", value["maxFailures"], 1),
        include=patterns(GUARD, "include", value["include"]),
        exclude=patterns(GUARD, "exclude", value["exclude"]),
        error_preview_chars=integer_from(GUARD, "errorPreviewChars", value["errorPreviewChars"], 1),
    )
