"""How strict candidates are, told from their thresholds alone.

Settings that are certified one after the other must be put in order without a look at the
sessions that judge them (:func:`.risk.certify`). This order needs no session at all: every
threshold is divided by the one that the plugin ships, so that 1 means "as shipped", more means
quieter. A set ranks by its loudest threshold, then by all of them together; where one set is
at most as loud in every threshold, it always comes first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.guards.circuit_breaker import config as circuit_breaker
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder import config as repeat_reminder
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig

DisturbedBy = Literal["any", "gate"]
"""What disturbs a session: an advisory or a gate, or only a gate."""

OFF = 64.0
"""Ratio of a stage that is switched off: quieter than any threshold in use."""

_PLACES = 32
"""Reminders that are compared place by place."""

_SHIPPED_CAP = 12.0
_SHIPPED_WINDOW = 16.0
_STAGES = (("warn_at", 7.0), ("summarize_at", 11.0), ("fail_warn_at", 3.0))
_SHIPPED_FAIL_LIMIT = 5.0
_REASONING = ReasoningLoopConfig()
_RULES = (
    "min_chars",
    "min_units",
    "block_count",
    "line_count",
    "line_share",
    "kgram_threshold",
    "filler_run",
)


def quietest_first(
    sets: Iterable[CandidateSet], guards: Sequence[str], disturbed_by: DisturbedBy = "any"
) -> list[CandidateSet]:
    """The sets in the order in which they are tested; alike ones keep the order given."""
    return sorted(sets, key=lambda one: quietness(one, guards, disturbed_by), reverse=True)


def quietness(
    one: CandidateSet, guards: Sequence[str], disturbed_by: DisturbedBy = "any"
) -> tuple[float, float]:
    """The lowest threshold ÷ shipped of all guards, and the sum of the logarithms of all.

    With ``disturbed_by="gate"`` stages that only speak do not count.
    """
    ratios = [min(max(ratio, 0.01), OFF) for ratio in _ratios(one, guards, disturbed_by)]
    if not ratios:
        return OFF, 0.0
    return min(ratios), round(math.fsum(math.log(ratio) for ratio in ratios), 9)


def _ratios(one: CandidateSet, guards: Sequence[str], disturbed_by: DisturbedBy) -> Iterator[float]:
    if "rtb" in guards:
        yield from _breaker(one.rtb, disturbed_by)
    if "tfb" in guards:
        shipped = circuit_breaker.Config().max_failures
        yield one.tfb.max_failures / shipped
    if "rtr" in guards and disturbed_by == "any":
        yield from _reminder(one.rtr.thresholds)
    if "rlg" in guards:
        for field in _RULES:
            value = getattr(one.rlg, field) if one.rlg.enabled else None
            yield OFF if value is None else value / getattr(_REASONING, field)


def _breaker(config: BreakerConfig, disturbed_by: DisturbedBy) -> Iterator[float]:
    if disturbed_by == "any":
        for field, shipped in _STAGES:
            value = getattr(config, field)
            yield OFF if value is None else value / shipped
    yield OFF if config.fail_limit is None else config.fail_limit / _SHIPPED_FAIL_LIMIT
    for kind in sorted(config.limits):
        cap = config.limits[kind]
        # A measure without a cap exists for neither track: nothing speaks about it.
        yield OFF if cap is None else cap / _SHIPPED_CAP
    yield _SHIPPED_WINDOW / config.window


def _reminder(thresholds: Sequence[int]) -> Iterator[float]:
    """Every reminder against the shipped one of its place; one that is not there is off."""
    shipped = repeat_reminder.Config().thresholds
    for place in range(max(len(thresholds), _PLACES)):
        if place < len(thresholds):
            yield thresholds[place] / shipped[min(place, len(shipped) - 1)]
        else:
            yield OFF
