"""Which stages counts reach: the only place where a threshold meets a count.

The live decision (:mod:`.breaker`) and every sweep over stored facts call these functions
(design.md, principle 5). They know neither fingerprints nor calls: the measures of one call
are parallel sequences, in the order of its fingerprints, and answers are positions in them.
A cap of ``None`` means that the measure does not exist for either track.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from dsh_calibrate.guards.hits import Track

Stage = Literal["warn", "summarize"]
Cap = int | float | None

_ORDER = ("host", "net", "site", "sink", "cmd", "exact")
_RANKS = {kind: rank for rank, kind in enumerate(_ORDER)}


def rank_of(kind: str) -> int:
    """Return how early a measure kind is named when several tie (0 first, others last)."""
    return _RANKS.get(kind, len(_ORDER))


class Thresholds(msgspec.Struct, frozen=True):
    """The thresholds beside the caps, in calls; ``None`` is off."""

    warn_at: int | None
    summarize_at: int | None
    fail_warn_at: int | None
    fail_limit: int | float | None


class Reached(msgspec.Struct, frozen=True):
    """What the counts of one call reach before it runs.

    ``hits`` are (track, position) pairs, failure hits first, exemptions not considered;
    ``advisory`` is (stage, position) of the one occurrence message the call will get
    should it run.
    """

    hits: tuple[tuple[Track, int], ...]
    advisory: tuple[Stage, int] | None


NOTHING = Reached((), None)


def reached(
    counts: Sequence[int],
    streaks: Sequence[int],
    caps: Sequence[Cap],
    ranks: Sequence[int],
    thresholds: Thresholds,
) -> Reached:
    """Judge one call before it runs (guards.md 1.5).

    ``counts[i]`` are the occurrences of measure ``i`` in the window including this call,
    ``streaks[i]`` its failures in a row so far, ``ranks[i]`` its :func:`rank_of`. A hit is
    ``streak >= fail_limit`` or ``count >= cap``; an advisory needs equality: the highest
    stage, then the highest count, then the lowest rank, then the first.
    """
    warn_at, summarize_at = thresholds.warn_at, thresholds.summarize_at
    fail_limit = thresholds.fail_limit
    failed: list[tuple[Track, int]] = []
    repeated: list[tuple[Track, int]] = []
    advisory: tuple[Stage, int] | None = None
    best = (0, 0, 0)
    for position, cap in enumerate(caps):
        if cap is None:
            continue
        count = counts[position]
        if count >= cap:
            repeated.append(("repeat", position))
        if fail_limit is not None and streaks[position] >= fail_limit:
            failed.append(("failure", position))
        if count in (summarize_at, warn_at):
            stage: Stage = "summarize" if count == summarize_at else "warn"
            standing = (2 if stage == "summarize" else 1, count, -ranks[position])
            if advisory is None or standing > best:
                advisory, best = (stage, position), standing
    if not (failed or repeated or advisory):
        return NOTHING
    return Reached((*failed, *repeated), advisory)


def failure_advisory(
    streaks: Sequence[int], caps: Sequence[Cap], ranks: Sequence[int], fail_warn_at: int | None
) -> int | None:
    """Return the position of the measure that one failed result's advisory names, if any.

    ``streaks[i]`` is the streak after the result, 0 where the result did not count. The
    advisory needs ``streak == fail_warn_at``; lowest rank first, then the first.
    """
    named: int | None = None
    if fail_warn_at is None:
        return None
    for position, streak in enumerate(streaks):
        if (
            streak == fail_warn_at
            and caps[position] is not None
            and (named is None or ranks[position] < ranks[named])
        ):
            named = position
    return named
