"""The plugins' own loud checks, run until nothing more is refused."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from dsh_calibrate.errors import CalibrateError, SettingsError
from dsh_calibrate.guards.circuit_breaker import config as circuit_breaker
from dsh_calibrate.guards.reasoning_loop import config as reasoning_loop
from dsh_calibrate.guards.repeat_reminder import config as repeat_reminder
from dsh_calibrate.guards.repeat_tool_breaker import config as repeat_tool_breaker
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.replay.settings.documents import Override
from dsh_calibrate.replay.settings.layering import Layered, located
from dsh_calibrate.replay.settings.nodes import SettingsFileError

Configure = Callable[[Mapping[str, object]], object]


def configure_for(guard: str, profile: str) -> Configure:
    """The function that checks a row of ``guard`` and makes its configuration."""
    if guard == "rtb":
        return functools.partial(repeat_tool_breaker.configure, profile=PROFILES[profile])
    return {
        "tfb": circuit_breaker.configure,
        "rtr": repeat_reminder.configure,
        "rlg": reasoning_loop.configure,
    }[guard]


def check(layered: Layered, profile: str) -> tuple[object | None, list[CalibrateError]]:
    """Configure one guard: its configuration, or every refusal with file, line and key."""
    configure = configure_for(layered.guard, profile)
    refusals: list[CalibrateError] = []
    left_out: set[tuple[str, ...]] = set()
    while True:
        try:
            config = configure(layered.row(without=left_out))
        except SettingsError as error:
            rest = Layered(
                layered.guard, {p: c for p, c in layered.cells.items() if p not in left_out}
            )
            cell = located(rest, error.key, error.message)
            refusals.append(_refusal(error, cell))
            if cell is None:
                return None, refusals
            left_out.add(cell.path)
        else:
            return (None if refusals else config), refusals


def _refusal(error: SettingsError, cell: Override | None) -> CalibrateError:
    if cell is None:
        return error
    return SettingsFileError(cell.source, cell.node.line, str(error))
