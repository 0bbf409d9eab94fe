"""Choosing settings so that few healthy sessions are disturbed, and saying how sure that is.

"Learn then Test": every candidate setting is a hypothesis "it disturbs more than ``alpha`` of
healthy sessions". An exact binomial p-value tests it; what is rejected with the family-wise
error held at ``delta`` is certified. Nothing is assumed about how the risk changes from one
candidate to the next, so answers hold for risks that are not monotone too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from dsh_calibrate.errors import UsageError

Method = Literal["fixed-sequence", "bonferroni"]
Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class Candidate(Generic[Key]):
    """A setting and what it did: ``disturbed`` of ``of`` healthy sessions."""

    key: Key
    disturbed: int
    of: int


@dataclass(frozen=True, slots=True)
class Verdict(Generic[Key]):
    """One candidate's test: certified when ``p_value`` ≤ ``level`` and its turn came.

    ``tested`` is false for candidates behind the first failure of a fixed sequence.
    """

    candidate: Candidate[Key]
    p_value: float
    level: float
    tested: bool
    certified: bool


def p_value(disturbed: int, of: int, alpha: float) -> float:
    """How likely so few disturbed sessions are if the true risk were ``alpha``, or more.

    The exact binomial p-value of "the risk exceeds ``alpha``"; 1 when there is no session.
    """
    from scipy.special import bdtr

    if not 0 <= disturbed <= of:
        raise ValueError(f"{disturbed} of {of} is no count")
    check_share("alpha", alpha)
    return float(bdtr(disturbed, of, alpha)) if disturbed < of else 1.0


def certify(
    candidates: Iterable[Candidate[Key]],
    alpha: float,
    delta: float,
    method: Method = "fixed-sequence",
) -> tuple[Verdict[Key], ...]:
    """Test all candidates, in their order, with the whole family's error at most ``delta``.

    ``fixed-sequence``: each at the full ``delta`` until the first that fails; the order must
    be chosen without looking at these sessions (safest first). ``bonferroni``: any order,
    each at ``delta`` divided by the number of candidates. Raises :class:`UsageError` for
    shares outside (0, 1).
    """
    check_share("delta", delta)
    check_share("alpha", alpha)
    ordered = tuple(candidates)
    if method == "bonferroni":
        level = delta / max(len(ordered), 1)
        found = [(c, p_value(c.disturbed, c.of, alpha)) for c in ordered]
        return tuple(Verdict(c, p, level, True, p <= level) for c, p in found)
    verdicts: list[Verdict[Key]] = []
    going = True
    for candidate in ordered:
        p = p_value(candidate.disturbed, candidate.of, alpha)
        certified = going and p <= delta
        verdicts.append(Verdict(candidate, p, delta, going, certified))
        going = certified
    return tuple(verdicts)


def certified(verdicts: Iterable[Verdict[Key]]) -> tuple[Candidate[Key], ...]:
    """The candidates that hold, in the order of the tests."""
    return tuple(v.candidate for v in verdicts if v.certified)


def check_share(name: str, value: float) -> None:
    """Refuse a share that is not strictly between 0 and 1."""
    if not 0 < value < 1:
        raise UsageError(f"{name} must lie between 0 and 1, for example 0.05; it is {value:g}")
