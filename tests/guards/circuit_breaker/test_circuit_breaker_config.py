"""Settings of tool-failure-circuit-breaker: what is taken and what is refused by name."""

from __future__ import annotations

import pytest

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.circuit_breaker.config import Config, configure


def test_an_empty_row_gives_the_defaults():
    assert configure({}) == Config(max_failures=2, include=(), exclude=(), error_preview_chars=300)


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [
        ({"maxFailures": 1}, "max_failures", 1),
        ({"maxFailures": 4.0}, "max_failures", 4),
        ({"include": ["bash", "web_*"]}, "include", ("bash", "web_*")),
        ({"exclude": ["poll"]}, "exclude", ("poll",)),
        ({"errorPreviewChars": 1}, "error_preview_chars", 1),
    ],
)
def test_a_key_replaces_its_default(row, field, value):
    got = getattr(configure(row), field)
    assert got == value
    assert type(got) is type(value)


def test_unknown_keys_are_accepted_and_change_nothing():
    assert configure({"maxFailure": 9, "x": {}}) == configure({})


@pytest.mark.parametrize("key", ["maxFailures", "errorPreviewChars"])
@pytest.mark.parametrize(
    "value", [0, -1, 1.5, True, "2", None, [], float("nan"), float("inf")], ids=repr
)
def test_sizes_are_integers_of_at_least_one(key, value):
    with pytest.raises(SettingsError) as refused:
        configure({key: value})
    assert (refused.value.guard, refused.value.key) == ("tfb", key)
    assert str(refused.value).startswith(f"tfb.{key}: ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("key", ["include", "exclude"])
@pytest.mark.parametrize("value", ["bash", None, {"bash": True}, ["bash", 3], [None]], ids=repr)
def test_patterns_are_arrays_of_strings(key, value):
    with pytest.raises(SettingsError) as refused:
        configure({key: value})
    assert (refused.value.guard, refused.value.key) == ("tfb", key)
