from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from dsh_calibrate.calibrate.intervals import lower_bound, rate, upper_bound
from dsh_calibrate.calibrate.paired import even_split, mcnemar, mean_difference, sign_test

counts = st.integers(0, 400).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))
confidences = st.sampled_from([0.8, 0.9, 0.95, 0.99])


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-7, abs_tol=1e-10)


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [
        (0, 6, 0.0, 0.459258),
        (1, 1, 0.025, 1.0),
        (6, 6, 0.540742, 1.0),
        (3, 150, 0.004144, 0.057334),
        (0, 0, 0.0, 1.0),
    ],
)
def test_known_intervals(count: int, of: int, low: float, high: float) -> None:
    found = rate(count, of)
    assert (round(found.low, 6), round(found.high, 6)) == (low, high)


@settings(max_examples=60, deadline=None)
@given(counts.filter(lambda c: c[1] > 0), confidences)
def test_intervals_are_scipys(count: tuple[int, int], confidence: float) -> None:
    k, n = count
    theirs = binomtest(k, n).proportion_ci(confidence)
    ours = rate(k, n, confidence)
    assert close(ours.low, theirs.low)
    assert close(ours.high, theirs.high)
    below = binomtest(k, n, alternative="less").proportion_ci(confidence)
    above = binomtest(k, n, alternative="greater").proportion_ci(confidence)
    assert close(upper_bound(k, n, confidence), below.high)
    assert close(lower_bound(k, n, confidence), above.low)


def test_bounds_of_nothing_say_nothing() -> None:
    assert (lower_bound(0, 0, 0.9), upper_bound(0, 0, 0.9)) == (0.0, 1.0)


def test_zero_of_n_has_the_closed_bound() -> None:
    assert close(upper_bound(0, 45, 0.9), 1 - 0.1 ** (1 / 45))


@pytest.mark.parametrize(
    ("count", "of", "confidence"), [(-1, 3, 0.9), (4, 3, 0.9), (1, 3, 0), (1, 3, 1)]
)
def test_impossible_counts_are_refused(count: int, of: int, confidence: float) -> None:
    for bound in (lower_bound, upper_bound):
        with pytest.raises(ValueError):
            bound(count, of, confidence)


@pytest.mark.parametrize(
    ("a", "b", "p"), [(0, 0, 1.0), (0, 1, 1.0), (0, 5, 0.0625), (5, 0, 0.0625), (1, 9, 11 / 512)]
)
def test_known_sign_tests(a: int, b: int, p: float) -> None:
    assert close(even_split(a, b), p)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 80), st.integers(0, 80))
def test_the_sign_test_is_scipys(a: int, b: int) -> None:
    if a + b:
        assert close(even_split(a, b), binomtest(a, a + b).pvalue)


def test_only_unlike_sessions_count() -> None:
    pairs = [(True, False)] * 6 + [(False, True)] + [(True, True)] * 50 + [(False, False)] * 50
    found = mcnemar(pairs)
    assert (found.a, found.b, found.alike) == (6, 1, 100)
    assert close(found.p_value, 0.125)
    assert sign_test([(3, 1), (2, 2), (0, 5)]).alike == 1


def test_the_bootstrap_repeats_itself_in_any_order() -> None:
    pairs = [
        (random.Random(k).randint(0, 9), random.Random(k + 100).randint(0, 9)) for k in range(40)
    ]
    found = mean_difference(pairs)
    assert found == mean_difference(pairs[::-1])
    assert found.value == pytest.approx(sum(b - a for a, b in pairs) / 40)
    assert found.low is not None
    assert found.high is not None
    assert found.value is not None
    assert found.low < found.value < found.high
    assert mean_difference(pairs, seed=1) != found


def test_the_bootstrap_nears_the_exact_distribution() -> None:
    pairs = [(0.0, 0.0), (0.0, 1.0), (0.0, 5.0)]
    exact = sorted(sum(draw) / 3 for draw in itertools.product([0.0, 1.0, 5.0], repeat=3))
    found = mean_difference(pairs, confidence=0.5)
    assert found.low == pytest.approx(exact[6], abs=0.35)
    assert found.high == pytest.approx(exact[20], abs=0.35)


def test_the_bootstrap_of_little() -> None:
    assert mean_difference([]).value is None
    same = mean_difference([(1, 3)] * 5)
    assert (same.value, same.low, same.high) == (2, 2, 2)
