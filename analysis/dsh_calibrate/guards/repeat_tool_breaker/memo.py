"""What never changes about a call: fingerprints, caps and ranks, computed once per text."""

from __future__ import annotations

import msgspec

from dsh_calibrate.guards.repeat_tool_breaker.config import Config, cap_of
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.guards.repeat_tool_breaker.shell_http import refuses
from dsh_calibrate.guards.repeat_tool_breaker.stages import rank_of

_MAX_CHARACTERS = 32_000_000
"""Keys and fingerprints held at most, in characters; then the memo starts afresh."""
_ENTRY = 600
"""What an entry takes beside its characters, in about as many bytes."""


class Prepared(msgspec.Struct, frozen=True):
    """One (tool, arguments) under one configuration.

    ``all`` are its fingerprints in order; ``capped`` those with a cap, ``caps`` and
    ``ranks`` parallel to them. ``quiet_below`` is the lowest count in calls that reaches
    a cap or an occurrence stage. ``command`` is the shell command, else empty;
    ``is_refused`` tells that the shell-HTTP block would refuse it.
    """

    all: tuple[str, ...]
    capped: tuple[str, ...]
    caps: tuple[int | float, ...]
    ranks: tuple[int, ...]
    quiet_below: float
    command: str
    is_refused: bool


class Memo:
    """Computed calls of one configuration; may be shared by any number of breakers.

    Asked under another configuration, it forgets everything and goes on with that one.
    Its size is bounded, so that a log of long arguments cannot fill the memory.
    """

    __slots__ = ("_config", "_prepared", "_room")

    def __init__(self) -> None:
        self._config: Config | None = None
        self._forget()

    def _forget(self) -> None:
        self._prepared: dict[tuple[str, str], Prepared] = {}
        self._room = _MAX_CHARACTERS

    def prepared(self, tool: str, arguments: str, config: Config) -> Prepared:
        """Return what is fixed about a call; ``arguments`` is the raw JSON text."""
        if config is not self._config:
            self._forget()
            self._config = config
        key = (tool, arguments)
        known = self._prepared.get(key)
        if known is None:
            known = prepare(tool, arguments, config)
            size = len(arguments) + sum(map(len, known.all)) + len(known.command)
            self._make_room(_ENTRY + 100 * len(known.all) + size)
            self._prepared[key] = known
        return known

    def refuses_shell_http(self, tool: str, arguments: str, config: Config) -> bool:
        """Whether the shell-HTTP block refuses the call (guards.md 1.7); the tool is tracked."""
        return self.prepared(tool, arguments, config).is_refused

    def _make_room(self, characters: int) -> None:
        self._room -= characters
        if self._room < 0:
            self._forget()
            self._room -= characters


def prepare(tool: str, arguments: str, config: Config) -> Prepared:
    """Compute what is fixed about a call, without any memory."""
    prints = fingerprint(tool, arguments, config)
    command = prints.command or ""
    is_refused = prints.parts is not None and refuses(prints.parts, command, config)
    return with_thresholds(tuple(prints.all), command, is_refused, config)


def with_thresholds(
    fingerprints: tuple[str, ...], command: str, is_refused: bool, config: Config
) -> Prepared:
    """Hold what a call is against the caps and stages of ``config``."""
    capped: list[str] = []
    caps: list[int | float] = []
    for print_ in fingerprints:
        cap = cap_of(config.limits, print_)
        if cap is not None:
            capped.append(print_)
            caps.append(cap)
    stages = [stage for stage in (config.warn_at, config.summarize_at) if stage is not None]
    return Prepared(
        all=fingerprints,
        capped=tuple(capped),
        caps=tuple(caps),
        ranks=tuple(rank_of(print_.partition(":")[0]) for print_ in capped),
        quiet_below=min([*caps, *stages], default=float("inf")),
        command=command,
        is_refused=is_refused,
    )
