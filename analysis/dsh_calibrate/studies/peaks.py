"""The highest counts of a log, by measure, and the one that comes nearest its threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningConfig
from dsh_calibrate.guards.reasoning_loop.verdict import Figures
from dsh_calibrate.guards.repeat_tool_breaker.config import cap_of


@dataclass(frozen=True, slots=True)
class Nearest:
    """The figure that comes nearest its threshold: ``ratio = figure / threshold``.

    ``measure`` is a kind (``exact``), a failure streak (``exact failures``) or a rule.
    """

    ratio: float
    measure: str
    figure: float
    threshold: float


@dataclass(slots=True)
class Peaks:
    """Highest ungated counts of one log.

    ``occurrences[kind]`` are calls within the window, ``streaks[kind]`` failures in a row,
    ``rules[rule]`` the figure each reasoning rule compares first (units, occurrences, words).
    ``nearest`` looks at measures that have a threshold; ``None`` where no call and no
    reasoning had one.
    """

    occurrences: dict[str, int] = field(default_factory=dict)
    streaks: dict[str, int] = field(default_factory=dict)
    rules: dict[str, int] = field(default_factory=dict)
    nearest: Nearest | None = None

    def count(self, fingerprint: str, count: int, limits: Mapping[str, int | float | None]) -> None:
        """Take an occurrence count of one fingerprint."""
        kind = fingerprint.partition(":")[0]
        if count > self.occurrences.get(kind, 0):
            self.occurrences[kind] = count
        cap = cap_of(limits, fingerprint)
        if cap is not None:
            self._near(kind, count, cap)

    def streak(
        self,
        fingerprint: str,
        streak: int,
        limits: Mapping[str, int | float | None],
        fail_limit: float | None,
    ) -> None:
        """Take a run of failures of one fingerprint; uncapped measures have no threshold."""
        kind = fingerprint.partition(":")[0]
        if streak > self.streaks.get(kind, 0):
            self.streaks[kind] = streak
        if fail_limit is not None and streak and cap_of(limits, fingerprint) is not None:
            self._near(f"{kind} failures", streak, fail_limit)

    def reasoning(self, figures: Figures, config: ReasoningConfig) -> None:
        """Take the figures of one judge point (guards.md 4)."""
        found: list[tuple[str, int, float]] = [
            ("periodic-run", figures.units, config.min_units),
            ("kgram-repeat", figures.kgram_count, config.kgram_threshold),
            ("filler-run", figures.filler_run, config.filler_run),
        ]
        if figures.stripped_utf16 >= config.block_min * config.block_count:
            found.append(("block-repeat", figures.block_count, config.block_count))
        for rule, figure, threshold in found:
            if figure > self.rules.get(rule, 0):
                self.rules[rule] = figure
                self._near(rule, figure, threshold)
        self._line(figures, config)

    def _line(self, figures: Figures, config: ReasoningConfig) -> None:
        """The line rule asks for a count and a share: the one further away decides."""
        count = figures.line_count
        if count > self.rules.get("line-repeat", 0):
            self.rules["line-repeat"] = count
        share = figures.line_share
        if not config.line_share or share / config.line_share >= count / config.line_count:
            self._near("line-repeat", count, config.line_count)
        else:
            self._near("line-repeat share", share, config.line_share)

    def _near(self, measure: str, figure: float, threshold: float) -> None:
        ratio = figure / threshold
        if self.nearest is None or ratio > self.nearest.ratio:
            self.nearest = Nearest(ratio, measure, figure, threshold)
