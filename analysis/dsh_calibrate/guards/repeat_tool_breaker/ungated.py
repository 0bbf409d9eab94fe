"""The counts of a log as if nothing had ever been stopped (contract.md 5, "Peaks").

Every call runs and commits all its fingerprints, also those without a cap; nobody is
exempt. So the figures hang on no threshold, and every threshold can be held against them.
"""

from __future__ import annotations

import msgspec

from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.decisions import Outcome, recorded_denial
from dsh_calibrate.guards.repeat_tool_breaker.failure import Failure, classify
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo, Prepared
from dsh_calibrate.guards.repeat_tool_breaker.streaks import Streaks
from dsh_calibrate.guards.repeat_tool_breaker.window import Window
from dsh_calibrate.guards.tool_patterns import ToolPatterns


class UngatedCall(msgspec.Struct, frozen=True):
    """One call: ``counts[i]`` are the occurrences of ``fingerprints[i]``, this one included.

    ``streaks[i]`` are its failures in a row before the call (what the failure gate sees).
    """

    fingerprints: tuple[str, ...]
    counts: tuple[int, ...]
    streaks: tuple[int, ...]


class UngatedResult(msgspec.Struct, frozen=True):
    """One result: ``streaks[i]`` are the failures in a row of ``fingerprints[i]`` after it."""

    failure: Failure | None
    fingerprints: tuple[str, ...]
    streaks: tuple[int, ...]


class UngatedBreaker:
    """Counts for one agent in one lifecycle; the same window and streaks as the live gate.

    Of the configuration only what shapes fingerprints, the window and the profile matter.
    """

    def __init__(self, config: Config, *, memo: Memo | None = None) -> None:
        self._config = config
        self._memo = memo if memo is not None else Memo()
        self._patterns = ToolPatterns(config.include, config.exclude)
        self._window = Window(config.window)
        self._streaks = Streaks()
        self._running: dict[int, tuple[str, Prepared]] = {}

    def call(self, key: int, tool: str, arguments: str) -> UngatedCall | None:
        """Count one call; ``None`` for a tool that is not tracked."""
        if not self._patterns.tracks(tool):
            return None
        prepared = self._memo.prepared(tool, arguments, self._config)
        counts = tuple(self._window.nexts(prepared.all))
        streaks = tuple(self._streaks.of(fingerprint) for fingerprint in prepared.all)
        self._window.commit(prepared.all)
        self._running[key] = (tool, prepared)
        return UngatedCall(prepared.all, counts, streaks)

    def result(self, key: int, outcome: Outcome) -> UngatedResult | None:
        """Settle one result; ``None`` when it settles nothing.

        Synthetic results, recorded denials and results of unknown calls settle nothing.
        """
        if outcome.synthetic:
            return None
        running = self._running.pop(key, None)
        if running is None or recorded_denial(outcome) is not None:
            return None
        tool, prepared = running
        failure = classify(
            tool,
            outcome.text,
            outcome.is_error,
            outcome.error_name,
            outcome.error_code,
            outcome.status_code,
            prepared.command,
            self._config.profile,
        )
        streaks = self._streaks.settle(prepared.all, failed=failure is not None)
        return UngatedResult(failure, prepared.all, tuple(streaks))

    def human(self) -> None:
        """Forget window and streaks; calls under way settle into the fresh state."""
        self._window.clear()
        self._streaks.clear()
