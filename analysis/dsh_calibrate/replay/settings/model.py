"""Settings as every command gets them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.replay.settings.assignments import split_key
from dsh_calibrate.replay.settings.findings import Remark
from dsh_calibrate.replay.settings.nodes import json_value

DEFAULT = "default"
SET = "--set"
RUN_TIME = "run time"


@dataclass(frozen=True, slots=True)
class KeyValue:
    """The value of one key and where it comes from.

    ``source`` is ``default``, a file path, ``--set`` or ``run time`` (the value is an
    expression that only the live host evaluates; ``value`` is then ``None``). ``file`` and
    ``line`` say where it is written, if anywhere.
    """

    value: object
    source: str
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """What the layers say about one guard.

    ``row`` is what they say under README keys, defaults left out and values decided at run
    time left out; ``keys`` every key by its dotted name (parts that are no plain words are
    quoted, as ``--set`` takes them); ``run_time`` the dotted keys that are expressions.
    ``mounted`` tells whether a layer of the home mounts the guard; without a home, only a
    row with ``disabled: true`` makes it false.
    """

    guard: str
    row: Mapping[str, object]
    keys: Mapping[str, KeyValue]
    mounted: bool
    run_time: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings in force.

    ``rtb``, ``tfb``, ``rtr`` and ``rlg`` are the validated configurations, ``None`` for a
    guard that is not selected (or, from :func:`.resolving.survey`, refused); ``guards``
    holds what the layers say about each of the four, selected or not. ``profile`` is the
    version of rtb that is replayed, ``home`` the folder that ``--config auto`` read, if it
    did. ``refusals`` and ``undecided`` (keys that decide something and are expressions)
    are empty in what :func:`.resolving.resolve` returns.
    """

    rtb: BreakerConfig | None
    tfb: CircuitBreakerConfig | None
    rtr: ReminderConfig | None
    rlg: ReasoningLoopConfig | None
    guards: Mapping[str, GuardSettings]
    profile: str
    selected: tuple[str, ...]
    home: Path | None = None
    remarks: tuple[Remark, ...] = ()
    refusals: tuple[CalibrateError, ...] = ()
    undecided: tuple[CalibrateError, ...] = ()

    @property
    def plugin_versions(self) -> dict[str, str]:
        """Versions for the JSON of every command."""
        return {"rtb": self.profile}

    def as_json(self) -> dict[str, object]:
        """``{rtb: {…}, …}`` of the selected guards: every value in force under README keys."""
        return {guard: _nested(self.guards[guard].keys) for guard in self.selected}


def _nested(keys: Mapping[str, KeyValue]) -> dict[str, object]:
    values: dict[str, object] = {}
    for key, entry in keys.items():
        path = split_key(key)
        if len(path) == 1:
            values[path[0]] = json_value(entry.value)
        else:
            part = values.setdefault(path[0], {})
            assert isinstance(part, dict)
            part[path[1]] = json_value(entry.value)
    return values
