"""``JSON.parse`` in Python: every decoder behind it gives the same answers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.javascript import nested_json
from dsh_calibrate.javascript.canonical_json import canonical
from dsh_calibrate.javascript.json_text import NotJson, parse, parse_arguments

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
PIECES = st.sampled_from(
    ["{", "}", "[", "]", '"', ":", ",", "1", "-", "0", ".", "e", "+", "true", "null", " ",
     "\t", "\n", "\\u", "d83d", "\\ude00", "\\n", '"a"', '"a":', "\ud83d", "\u00a0", "\x0b",
     "NaN", "\x00"]
)  # fmt: skip


def nested(text: str) -> object:
    """The decoder for deep texts, asked about any text, or ``NotJson`` itself."""
    try:
        return nested_json.decode(text, int)
    except ValueError:
        return NotJson


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_the_decoder_for_deep_texts_reads_what_is_written(value, indent, ensure_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)
    if "Infinity" not in text:
        assert nested(text) == value


@given(st.lists(PIECES, max_size=8).map("".join))
def test_the_decoder_for_deep_texts_refuses_what_the_others_refuse(text):
    try:
        expected = canonical(parse(text))
    except NotJson:
        assert nested(text) is NotJson or "\ud83d" in text
    else:
        assert canonical(nested(text)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("depth", [900, 1_100, 3_000, 100_000])
@pytest.mark.parametrize(
    ("before", "after", "canonical_before"),
    [("[", "]", "["), ('{"b":', ',"a":1}', '{"a":1,"b":'), ('[{"b" : ', "}]", '[{"b":')],
)
def test_depth_makes_no_text_invalid(depth, before, after, canonical_before):
    value = parse(before * depth + "0" + after * depth)
    written = canonical(value)
    assert written.startswith(canonical_before * 2)
    assert written.count("{") + written.count("[") == depth * sum(map(before.count, "[{"))


@pytest.mark.parametrize(
    "text", ["[" * 2_000 + "]" * 1_999, "[" * 2_000 + "]" * 2_001, "[" * 2_000 + "}" * 2_000]
)
def test_deep_text_that_does_not_close_is_no_json(text):
    with pytest.raises(NotJson):
        parse(text)
    assert parse_arguments(text) == text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"\ud83d\\ude00"', "\U0001f600"),
        ('"\\ud83d\ude00"', "\U0001f600"),
        ('"\ud83d\ude00"', "\U0001f600"),
        ('"\\\\\ud83d"', "\\\ud83d"),
        ('"\ude00\ud83d"', "\ude00\ud83d"),
        ('{"\ud83d\\ude00":1,"\U0001f600":2}', {"\U0001f600": 2}),
    ],
)
def test_halves_of_a_pair_join_however_they_are_written(text, value):
    assert parse(text) == value


@pytest.mark.parametrize("text", ['"\\\ud83d"', "\ud83d", '{"a":1}\ud83d', '"\\ud83', '"\\u00_1"'])
def test_a_surrogate_makes_nothing_valid(text):
    with pytest.raises(NotJson):
        parse(text)
