from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.calibrate.folds import Fold, folds, labelled_split, parts
from dsh_calibrate.errors import UsageError

ids = st.lists(st.text(max_size=6), min_size=2, max_size=40, unique=True)


@given(ids, st.integers(2, 6), st.randoms())
def test_folds_part_the_sessions(sessions: list[str], k: int, random) -> None:
    k = min(k, len(sessions))
    made = folds(sessions, k)
    assert sorted(s for fold in made for s in fold.test) == sorted(sessions)
    for fold in made:
        assert not set(fold.train) & set(fold.test)
        assert set(fold.train) | set(fold.test) == set(sessions)
        assert fold.train
        assert fold.test
    shuffled = sessions * 2
    random.shuffle(shuffled)
    assert folds(shuffled, k) == made


@given(ids, st.integers(2, 5))
def test_outcomes_are_dealt_evenly(sessions: list[str], k: int) -> None:
    k = min(k, len(sessions))
    strata = {s: "stuck" if i % 3 == 0 else "healthy" for i, s in enumerate(sessions)}
    part = parts(sessions, k, strata)
    for outcome in ("stuck", "healthy"):
        sizes = Counter(part[s] for s in sessions if strata[s] == outcome)
        assert max(sizes.values(), default=0) - min(sizes[p] for p in range(k)) <= 1


def test_parts_hang_on_the_ids() -> None:
    assert parts(["a", "b", "c", "d"], 2) == {"a": 1, "b": 0, "c": 0, "d": 1}


@pytest.mark.parametrize(("sessions", "k"), [([], 2), (["a"], 2), (["a", "a"], 2), (["a", "b"], 1)])
def test_too_few_sessions(sessions: list[str], k: int) -> None:
    with pytest.raises(UsageError, match="folds cannot be made"):
        folds(sessions, k)


def test_the_labelled_split() -> None:
    found = labelled_split([("b", "test"), ("a", None), ("c", "train"), ("b", None), ("a", None)])
    assert found == Fold(train=("a", "c"), test=("b",))


@pytest.mark.parametrize(
    ("splits", "said"),
    [
        ([("a", "train"), ("a", "test")], "'a' is in train and in test"),
        ([("a", "train"), ("b", None)], 'no session has split = "test"'),
        ([("a", "test")], 'no session has split = "train"'),
    ],
)
def test_splits_that_cannot_be_used(splits: list[tuple[str, str | None]], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        labelled_split(splits)
    assert said in str(caught.value)
