from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest

from dsh_calibrate.calibrate.needed import (
    MOST_SESSIONS,
    healthy_if_quiet,
    stuck_if_caught,
)
from dsh_calibrate.calibrate.risk import Candidate, Method, certified, certify, p_value
from dsh_calibrate.errors import UsageError

counts = st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))
shares = st.sampled_from([0.01, 0.05, 0.1, 0.3, 0.5])


@settings(max_examples=60, deadline=None)
@given(counts, shares)
def test_p_values_are_scipys(count: tuple[int, int], alpha: float) -> None:
    k, n = count
    theirs = binomtest(k, n, alpha, alternative="less").pvalue
    assert math.isclose(p_value(k, n, alpha), theirs, rel_tol=1e-8, abs_tol=1e-12)


def test_no_session_proves_nothing() -> None:
    assert p_value(0, 0, 0.05) == 1.0


def names(*found: Candidate[str]) -> list[str]:
    return [c.key for c in found]


TRIED = [
    Candidate("a", 0, 100),
    Candidate("b", 1, 100),
    Candidate("c", 9, 100),
    Candidate("d", 0, 100),
]


def test_a_fixed_sequence_stops_at_the_first_failure() -> None:
    verdicts = certify(TRIED, alpha=0.05, delta=0.1)
    assert names(*certified(verdicts)) == ["a", "b"]
    assert [v.tested for v in verdicts] == [True, True, True, False]
    assert {v.level for v in verdicts} == {0.1}


def test_bonferroni_looks_at_all() -> None:
    verdicts = certify(TRIED, alpha=0.05, delta=0.1, method="bonferroni")
    assert names(*certified(verdicts)) == ["a", "d"]
    assert {v.level for v in verdicts} == {0.025}
    assert all(v.tested for v in verdicts)


def test_nothing_to_choose_from() -> None:
    assert certify([], 0.05, 0.1) == ()
    assert certify([], 0.05, 0.1, "bonferroni") == ()


@pytest.mark.parametrize(("alpha", "delta"), [(0, 0.1), (1, 0.1), (0.05, 0), (0.05, 1.0)])
def test_shares_are_checked(alpha: float, delta: float) -> None:
    with pytest.raises(UsageError, match="must lie between 0 and 1"):
        certify(TRIED, alpha, delta)


@pytest.mark.parametrize("method", ["fixed-sequence", "bonferroni"])
def test_the_family_error_stays_below_delta_though_risks_jump(method: Method) -> None:
    alpha, delta, n, rounds = 0.1, 0.2, 40, 1500
    risks = (0.0, 0.1001, 0.01, 0.1001, 0.3)
    draws = np.random.RandomState(5).binomial(n, risks, (rounds, len(risks)))
    wrong = 0
    for draw in draws.tolist():
        tried = [Candidate(risk, k, n) for risk, k in zip(risks, draw, strict=True)]
        wrong += any(c.key > alpha for c in certified(certify(tried, alpha, delta, method)))
    assert 0 < wrong / rounds <= delta + 0.02


@pytest.mark.parametrize(
    ("disturbed", "of", "alpha", "delta", "more"),
    [
        (0, 0, 0.05, 0.1, 45),  # 0.95 ** 45 <= 0.1 < 0.95 ** 44
        (0, 6, 0.05, 0.1, 39),
        (0, 45, 0.05, 0.1, 0),
        (0, 0, 0.05, 0.05, 59),
        (1, 6, 0.05, 0.1, 71),
        (0, 0, 0.5, 0.5, 1),
    ],
)
def test_known_needs(disturbed: int, of: int, alpha: float, delta: float, more: int) -> None:
    assert healthy_if_quiet(disturbed, of, alpha, delta) == more


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 8), st.integers(0, 60), shares, st.sampled_from([0.05, 0.1, 0.2]))
def test_the_need_is_the_smallest(d: int, extra: int, alpha: float, delta: float) -> None:
    of = d + extra
    more = healthy_if_quiet(d, of, alpha, delta)
    assert more is not None
    assert p_value(d, of + more, alpha) <= delta
    assert more == 0 or p_value(d, of + more - 1, alpha) > delta


def test_needs_that_cannot_be_met() -> None:
    assert healthy_if_quiet(0, 0, 1 / MOST_SESSIONS, 0.1) is None


def test_many_candidates_cost_more() -> None:
    assert healthy_if_quiet(0, 0, 0.05, 0.1, tests=10) == 90


def test_catch_rates() -> None:
    # 0.8 ** 11 <= 0.1 < 0.8 ** 10: eleven of eleven show at least 80 %.
    assert stuck_if_caught(0, 0, 0.8, 0.1) == 11
    assert stuck_if_caught(1, 1, 0.8, 0.1) == 10
    assert stuck_if_caught(11, 11, 0.8, 0.1) == 0
    missed_one = stuck_if_caught(5, 6, 0.8, 0.1)
    assert missed_one is not None
    assert binom.sf(5 + missed_one - 1, 6 + missed_one, 0.8) <= 0.1
    with pytest.raises(UsageError, match="share"):
        stuck_if_caught(1, 1, 1.0, 0.1)
