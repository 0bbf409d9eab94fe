"""Rates per session with their exact binomial interval (Clopper and Pearson)."""

from __future__ import annotations

from dataclasses import dataclass

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """``count`` of ``of`` sessions, with the bounds of the two-sided exact interval."""

    count: int
    of: int
    low: float
    high: float

    @property
    def value(self) -> float | None:
        """The share itself; ``None`` when there is no session to count."""
        return self.count / self.of if self.of else None


def rate(count: int, of: int, confidence: float = CONFIDENCE) -> Rate:
    """The rate ``count`` / ``of`` with its exact interval; of nothing it is 0 to 1."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = 0.0 if count == 0 else float(betaincinv(count, of - count + 1, tail))
    high = 1.0 if count == of else float(betaincinv(count + 1, of - count, 1 - tail))
    return Rate(count, of, low, high)
