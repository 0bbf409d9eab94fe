"""Two settings on the same sessions: exact tests and a bootstrap, always per session.

Calls of one session depend on each other, sessions do not: a session is the unit. What two
settings do alike says nothing about their difference, so only unlike sessions are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dsh_calibrate.replay.rates import CONFIDENCE

RESAMPLES = 2000
SEED = 20_177


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Sessions for which only ``a``, only ``b`` or neither side is the larger one.

    ``p_value`` is two-sided: how often chance alone would divide the unlike sessions at
    least as unevenly. Without an unlike session it is 1.
    """

    a: int
    b: int
    alike: int
    p_value: float


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """The mean of b − a per session, with the bounds of its percentile bootstrap.

    ``None`` when there is no session.
    """

    sessions: int
    value: float | None
    low: float | None
    high: float | None


def mcnemar(pairs: Iterable[tuple[bool, bool]]) -> PairedTest:
    """The exact McNemar test: ``pairs`` says of each session whether a and whether b hit it."""
    return sign_test((int(a), int(b)) for a, b in pairs)


def sign_test(pairs: Iterable[tuple[float, float]]) -> PairedTest:
    """The exact sign test on counts of each session under a and under b."""
    above = below = alike = 0
    for a, b in pairs:
        if a > b:
            above += 1
        elif b > a:
            below += 1
        else:
            alike += 1
    return PairedTest(above, below, alike, even_split(above, below))


def even_split(a: int, b: int) -> float:
    """The two-sided exact p-value of ``a`` against ``b`` if both were equally likely."""
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(a, b), a + b, 0.5))) if a != b else 1.0


def mean_difference(
    pairs: Sequence[tuple[float, float]],
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> MeanDifference:
    """Mean of b − a over sessions, and its bootstrap interval (sessions drawn anew).

    The same pairs give the same bounds, whatever their order: the draw has a fixed seed, its
    generator is the one whose stream NumPy promises never to change, and the differences are
    sorted first.
    """
    import numpy as np

    if not pairs:
        return MeanDifference(0, None, None, None)
    differences = np.sort(np.asarray([b - a for a, b in pairs], dtype=np.float64))
    size = len(differences)
    random = np.random.RandomState(seed)
    means = np.empty(resamples)
    for k in range(resamples):
        means[k] = differences[random.randint(0, size, size)].mean()
    tail = (1 - confidence) / 2
    low, high = np.quantile(means, (tail, 1 - tail))
    return MeanDifference(size, float(differences.mean()), float(low), float(high))
