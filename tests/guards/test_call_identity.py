"""When two calls are one call to the circuit breaker and the reminder (cases C08, C50 to C55)."""

from __future__ import annotations

import pytest

from dsh_calibrate.guards.call_identity import CallIdentity


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"b":{"y":1,"x":2},"a":2}', '{"a":2,"b":{"x":2,"y":1}}'),
        ('{"n":1}', '{"n":1.0}'),
        ('{"n":-0}', '{"n":0}'),
        ('{"n":1e400}', '{"n":null}'),
        ('{"n":9007199254740993}', '{"n":9007199254740992}'),
        ("", "{}"),
        ('{"a":1,"a":2}', '{"a":2}'),
        ('{"__proto__":{"x":1},"a":1}', '{"a":1}'),
        ('{"s":"\\ud83d\\ude00"}', '{"s":"\U0001f600"}'),
        ("[1, 2]", "[1,2]"),
    ],
)
def test_one_call(one, other):
    a, b = CallIdentity("t", one), CallIdentity("t", other)
    assert a.same(b)
    assert b.same(a)
    assert a.canonical == b.canonical


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"n":true}', '{"n":1}'),
        ('{"n":"1"}', '{"n":1}'),
        ("null", "{}"),
        ("[]", "{}"),
        ("[1,2]", "[2,1]"),
        ('{"a":1}', '{"a":1,"description":"again"}'),
        ('{"s":"\u00e9"}', '{"s":"e\u0301"}'),
        ('{"s":"\\ud83d"}', '{"s":"\ufffd"}'),
        ('{"a":', '{"a": '),
        (" ", ""),
    ],
)
def test_two_calls(one, other):
    assert not CallIdentity("t", one).same(CallIdentity("t", other))


def test_the_tool_is_part_of_it():
    assert not CallIdentity("t", "{}").same(CallIdentity("T", "{}"))


def test_broken_json_is_the_text_itself():
    assert CallIdentity("t", '{"n":NaN}').fingerprint == 'call:t:"{\\"n\\":NaN}"'
    assert CallIdentity("t", '"x"').same(CallIdentity("t", '"\\u0078"'))
