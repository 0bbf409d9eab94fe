"""Settings of repeat-tool-reminder: what is taken and what is refused by name."""

from __future__ import annotations

import pytest

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.repeat_reminder.config import Config, configure


def test_an_empty_row_gives_the_defaults():
    assert configure({}) == Config(
        thresholds=(3, 5, 8), include=(), exclude=("todo_write",), arguments_preview_chars=500
    )


@pytest.mark.parametrize(
    ("row", "field", "value"),
    [
        ({"thresholds": [4]}, "thresholds", (4,)),
        ({"thresholds": [9, 2, 4.0]}, "thresholds", (2, 4, 9)),
        ({"include": ["bash"]}, "include", ("bash",)),
        ({"exclude": []}, "exclude", ()),
        ({"argumentsPreviewChars": 1}, "arguments_preview_chars", 1),
    ],
)
def test_a_key_replaces_its_default(row, field, value):
    assert getattr(configure(row), field) == value


def test_unknown_keys_are_accepted_and_change_nothing():
    assert configure({"threshold": 1, "enabled": False}) == configure({})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("thresholds", []),
        ("thresholds", [1, 3]),
        ("thresholds", [3, 3]),
        ("thresholds", [3, 3.0]),
        ("thresholds", [3, 4.5]),
        ("thresholds", [3, True]),
        ("thresholds", [3, "5"]),
        ("thresholds", [3, None]),
        ("thresholds", 3),
        ("thresholds", "358"),
        ("thresholds", None),
        ("include", "bash"),
        ("include", [1]),
        ("exclude", None),
        ("argumentsPreviewChars", 0),
        ("argumentsPreviewChars", 2.5),
    ],
)
def test_a_bad_value_is_refused_by_guard_and_key(key, value):
    with pytest.raises(SettingsError) as refused:
        configure({key: value})
    assert (refused.value.guard, refused.value.key) == ("rtr", key)
    assert str(refused.value).startswith(f"rtr.{key}: must be ")
