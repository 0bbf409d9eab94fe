"""Exact binomial bounds for rates per session (Clopper and Pearson).

The two-sided interval is :func:`dsh_calibrate.replay.rates.rate`, shown beside every rate;
the one-sided bounds here are what a promise is made of ("at most 4.8% with confidence 95%").
"""

from __future__ import annotations

from dsh_calibrate.replay.rates import Rate, rate

__all__ = ["Rate", "lower_bound", "rate", "upper_bound"]


def upper_bound(count: int, of: int, confidence: float) -> float:
    """The highest rate that ``count`` of ``of`` leaves possible, one-sided; of nothing: 1.

    A risk above it would have given so few only with probability 1 − ``confidence``.
    Raises ``ValueError`` for impossible counts or a confidence outside (0, 1).
    """
    from scipy.special import betaincinv

    _check(count, of, confidence)
    if count == of:
        return 1.0
    return float(betaincinv(count + 1, of - count, confidence))


def lower_bound(count: int, of: int, confidence: float) -> float:
    """The lowest rate that ``count`` of ``of`` leaves possible, one-sided; of nothing: 0."""
    from scipy.special import betaincinv

    _check(count, of, confidence)
    if count == 0:
        return 0.0
    return float(betaincinv(count, of - count + 1, 1 - confidence))


def _check(count: int, of: int, confidence: float) -> None:
    if not 0 <= count <= of:
        raise ValueError(f"{count} of {of} is no count")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
