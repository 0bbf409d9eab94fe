"""Canonical JSON: cases.md section C, parity.md, and invariants."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.javascript import utf16
from dsh_calibrate.javascript.canonical_json import canonical, property_order, quoted
from dsh_calibrate.javascript.json_text import NotJson, parse, parse_arguments
from dsh_calibrate.javascript.numbers import as_double, printed
from dsh_calibrate.javascript.white_space import CHARACTERS, trim


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # C50: sorted at every depth, arrays keep their order.
        ('{"b":{"y":1,"x":2},"a":2}', '{"a":2,"b":{"x":2,"y":1}}'),
        ('{"a":[3,1,{"d":1,"c":2}]}', '{"a":[3,1,{"c":2,"d":1}]}'),
        # C51: every number is a double.
        ('{"n":1}', '{"n":1}'),
        ('{"n":1.0}', '{"n":1}'),
        ('{"n":1e0}', '{"n":1}'),
        ('{"n":-0}', '{"n":0}'),
        ('{"n":-0.0}', '{"n":0}'),
        ('{"n":1e21}', '{"n":1e+21}'),
        ('{"n":1e20}', '{"n":100000000000000000000}'),
        ('{"n":1e-7}', '{"n":1e-7}'),
        ('{"n":0.000001}', '{"n":0.000001}'),
        ('{"n":1e400}', '{"n":null}'),
        ('{"n":-1e400}', '{"n":null}'),
        ('{"n":true}', '{"n":true}'),
        ('{"n":9007199254740993}', '{"n":9007199254740992}'),
        ('{"n":123456789012345678901234567890}', '{"n":1.2345678901234568e+29}'),
        ('{"n":0.1}', '{"n":0.1}'),
        ('{"n":1.5e-9}', '{"n":1.5e-9}'),
        # C54: the order that JavaScript imposes.
        ('{"10":1,"9":2,"a":3}', '{"9":2,"10":1,"a":3}'),
        ('{"01":1,"1":2,"4294967295":3,"4294967294":4}',
         '{"1":2,"4294967294":4,"01":1,"4294967295":3}'),
        ('{"\uff4b":2,"\U00020bb7":1}', '{"\U00020bb7":1,"\uff4b":2}'),
        ('{"__proto__":{"x":1},"a":1}', '{"a":1}'),
        ('{"a":{"__proto__":1}}', '{"a":{}}'),
        # C55: duplicates, escapes, normal forms.
        ('{"a":1,"a":2}', '{"a":2}'),
        ('{"s":"\\ud83d\\ude00"}', '{"s":"\U0001f600"}'),
        ('{"s":"\\ud83d"}', '{"s":"\\ud83d"}'),
        ('{"s":"\\u00e9"}', '{"s":"\u00e9"}'),
        ('{"s":"e\\u0301"}', '{"s":"e\u0301"}'),
        ('{"s":"a\\u0000\\u001f\\u007f\\"\\\\\\/"}', '{"s":"a\\u0000\\u001f\x7f\\"\\\\/"}'),
        ('{"s":"\\b\\f\\n\\r\\t\\u2028"}', '{"s":"\\b\\f\\n\\r\\t\u2028"}'),
    ],
)  # fmt: skip
def test_canonical(text, expected):
    assert canonical(parse(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        '{"command":"ls"',
        " ",
        '{"a":1,}',
        '{"n":NaN}',
        '{"n":Infinity}',
        '{"a":"x\ty"}',
        "01",
        "'a'",
    ],
)
def test_what_is_no_json_stays_the_raw_text(text):
    with pytest.raises(NotJson):
        parse(text)
    assert parse_arguments(text) == text


def test_empty_arguments_are_an_empty_object():
    assert parse_arguments("") == {}


@pytest.mark.parametrize("depth", [100, 1_000, 10_000])
def test_deep_nesting_does_not_break(depth):
    value = parse_arguments("[" * depth + "]" * depth)
    assert canonical(value) in ("[" * depth + "]" * depth, quoted("[" * depth + "]" * depth))


def test_numbers_of_any_length():
    assert canonical(parse('{"n":' + "9" * 5000 + "}")) == '{"n":null}'
    assert canonical(parse('{"n":0.' + "1" * 5000 + "}")) == '{"n":0.1111111111111111}'


@pytest.mark.parametrize(
    ("value", "text"),
    [(2**53, "9007199254740992"), (-(2**53) - 1, "-9007199254740992"), (10**400, "null"),
     (123456.789, "123456.789"), (5e-324, "5e-324"),
     (1.7976931348623157e308, "1.7976931348623157e+308"),
     (0.00001, "0.00001"), (1e-6, "0.000001"), (-1.25e-8, "-1.25e-8"), (1e15, "1000000000000000")],
)  # fmt: skip
def test_printed(value, text):
    assert printed(value) == text


def test_as_double_keeps_what_a_double_holds():
    assert as_double(2**53) == 2**53
    assert isinstance(as_double(2**53 + 1), float)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON)
def test_canonical_is_json_that_reads_back_the_same(value):
    text = canonical(value)
    assert canonical(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), min_size=2, max_size=6), st.randoms())
def test_order_of_keys_is_irrelevant(value, random):
    items = list(value.items())
    random.shuffle(items)
    assert canonical(dict(items)) == canonical(value)
    assert set(property_order(value)) == set(value) - {"__proto__"}


@given(st.text(st.characters()))
def test_utf16_length_counts_units(text):
    assert utf16.length(text) == sum(1 + (ord(c) > 0xFFFF) for c in text)


@pytest.mark.parametrize("code", [0x09, 0x0B, 0x20, 0xA0, 0x1680, 0x2003, 0x2028, 0x3000, 0xFEFF])
def test_white_space_is_javascripts(code):
    assert chr(code) in CHARACTERS
    assert trim(f"{chr(code)}a{chr(code)}") == "a"


@pytest.mark.parametrize("code", [0x1C, 0x1F, 0x85, 0x180E, 0x200B])
def test_what_is_white_space_only_in_python_stays(code):
    assert trim(f"{chr(code)}a") == f"{chr(code)}a"
