"""Where two JSON values differ."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.conformance.comparison import ABSENT, Place, differing_places

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (1, 1.0),
        (-0.0, 0),
        ("\ud83d\ude00", "\U0001f600"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([], []),
        (None, None),
    ],
)
def test_the_same_to_javascript(expected, got):
    assert differing_places(expected, got) == ()


@pytest.mark.parametrize(
    ("expected", "got", "keys"),
    [
        (1, True, [""]),
        (0, False, [""]),
        (None, 0, [""]),
        (None, {}, [""]),
        ("1", 1, [""]),
        ("\ud83d", "\ufffd", [""]),
        ([1, 2], [2, 1], ["[0]", "[1]"]),
        ([1], {"0": 1}, [""]),
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, ["a.b[1].c"]),
        ({"a": 1}, {"b": 1}, ["a", "b"]),
        ({"a": None}, {}, ["a"]),
        ([], [None], ["[0]"]),
    ],
)
def test_places(expected, got, keys):
    assert [place.key for place in differing_places(expected, got)] == keys


def test_a_place_holds_both_sides_and_tells_null_from_nothing():
    assert differing_places({"a": None, "b": 1}, {"b": 2}) == (
        Place("a", None, ABSENT),
        Place("b", 1, 2),
    )
    assert differing_places([], [None]) == (Place("[0]", ABSENT, None),)


@given(JSON)
def test_a_value_differs_from_itself_nowhere(value):
    assert differing_places(value, json.loads(json.dumps(value))) == ()


@given(JSON, JSON)
def test_differing_is_symmetric(one, other):
    there = {place.key for place in differing_places(one, other)}
    assert there == {place.key for place in differing_places(other, one)}
