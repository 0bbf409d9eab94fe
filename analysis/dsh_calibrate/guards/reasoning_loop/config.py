"""Settings of reasoning-loop-guard: defaults, checks, names (guards.md 4, README table)."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass

from dsh_calibrate.errors import SettingsError

GUARD = "rlg"


@dataclass(frozen=True, slots=True)
class Config:
    """The settings that decide. Every length is in UTF-16 units unless it says otherwise.

    ``filler_run`` counts code points, ``line_share`` is a share of all countable line text
    in the window (0 to 1). ``enabled`` false means that the guard is not run at all.
    ``failure_code`` is what a live fire ends the stream with; it decides nothing.
    """

    enabled: bool = True
    min_chars: int = 800
    every: int = 200
    window: int = 4096
    kgram: int = 64
    kgram_threshold: int = 12
    period_tail: int = 1200
    min_period: int = 8
    max_period: int = 400
    min_units: int = 4
    block_min: int = 100
    block_count: int = 4
    line_min: int = 10
    line_count: int = 3
    line_share: float = 0.1
    filler_run: int = 400
    failure_code: str = "REASONING_LOOP_GUARD"

    def thresholds(self) -> dict[str, int | float]:
        """Return what decides under the names of the plugin's README, in its order."""
        return {key: getattr(self, field) for key, field in FIELDS.items()}


FIELDS: Mapping[str, str] = {
    "minChars": "min_chars",
    "every": "every",
    "window": "window",
    "kgram": "kgram",
    "kgramThreshold": "kgram_threshold",
    "periodTail": "period_tail",
    "minPeriod": "min_period",
    "maxPeriod": "max_period",
    "minUnits": "min_units",
    "blockMin": "block_min",
    "blockCount": "block_count",
    "lineMin": "line_min",
    "lineCount": "line_count",
    "lineShare": "line_share",
    "fillerRun": "filler_run",
}
"""README key -> field of :class:`Config`, for the settings that decide."""

_MINIMA: Mapping[str, int] = {
    "minChars": 0,
    "every": 16,
    "window": 64,
    "kgram": 8,
    "kgramThreshold": 2,
    "periodTail": 64,
    "minPeriod": 2,
    "maxPeriod": 3,
    "minUnits": 2,
    "blockMin": 2,
    "blockCount": 2,
    "lineMin": 2,
    "lineCount": 2,
    "fillerRun": 2,
    "journalMaxBytes": 1024,
    "journalPreviewChars": 0,
}

DEFAULTS: Mapping[str, object] = {
    "enabled": True,
    **Config().thresholds(),
    "failureCode": "REASONING_LOOP_GUARD",
    "journal": True,
    "journalPath": "",
    "journalMaxBytes": 524288,
    "journalPreviewChars": 120,
    "logTool": True,
    "settingsPath": "",
    "recovery": {"enabled": False, "message": "", "maxRetries": 2},
    "effort": {"enabled": False, "value": "low"},
    "stripHistory": {"enabled": False},
}
"""Every key of the README with its default; those that act on live requests are accepted."""


def configure(row: Mapping[str, object]) -> Config:
    """Check a row of settings (README key names) as the plugin does at load.

    Keys that are absent keep their default; keys that act on live requests (recovery,
    effort, strip history, journal, tool) and unknown keys are accepted and change nothing
    here, though the journal's sizes and ``failureCode`` are checked. ``enabled`` turns the
    guard off only when it is ``false``. Raises :class:`SettingsError` on the key at fault.
    """
    values: dict[str, int | float] = {}
    for key, least in _MINIMA.items():
        number = _integer(key, row[key], least) if key in row else None
        if number is not None and key in FIELDS:
            values[FIELDS[key]] = number
    if "lineShare" in row:
        values["line_share"] = _share(row["lineShare"])
    code = row.get("failureCode", DEFAULTS["failureCode"])
    if not isinstance(code, str) or not code:
        raise SettingsError(GUARD, "failureCode", "must be a non-empty string")
    config = dataclasses.replace(
        Config(enabled=row.get("enabled", True) is not False, failure_code=code),
        **values,  # type: ignore[arg-type]
    )
    _check_together(config)
    return config


def _check_together(config: Config) -> None:
    """Refuse lengths that cannot work together (guards.md 4)."""
    if config.kgram > config.window:
        raise SettingsError(
            GUARD, "kgram", f"{config.kgram} is longer than window ({config.window})"
        )
    if config.min_period >= config.max_period:
        raise SettingsError(
            GUARD,
            "minPeriod",
            f"{config.min_period} must be below maxPeriod ({config.max_period})",
        )
    if config.period_tail < 2 * config.max_period:
        raise SettingsError(
            GUARD,
            "periodTail",
            f"{config.period_tail} must be at least twice maxPeriod ({config.max_period})",
        )
    if config.block_min * config.block_count > config.window:
        raise SettingsError(
            GUARD,
            "blockMin",
            f"blockMin x blockCount ({config.block_min} x {config.block_count}) must fit "
            f"into window ({config.window})",
        )


def _integer(key: str, value: object, least: int) -> int:
    """Return ``value`` as JavaScript's ``Number.isInteger`` would let it pass, else refuse."""
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, float):
        is_integer = value.is_integer()
    if not is_integer or value < least:  # type: ignore[operator]
        raise SettingsError(GUARD, key, f"must be an integer of at least {least}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def _share(value: object) -> float:
    """Return ``value`` as a share between 0 and 1, else refuse."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not 0 <= value <= 1
    ):
        raise SettingsError(GUARD, "lineShare", "must be a number from 0 to 1")
    return float(value)
