"""Settings of reasoning-loop-guard: what is accepted, what is refused and on which key."""

import pickle

import pytest

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.reasoning_loop.config import DEFAULTS, FIELDS, Config, configure

MINIMA = {
    "minChars": 0, "every": 16, "window": 64, "kgram": 8, "kgramThreshold": 2,
    "periodTail": 64, "minPeriod": 2, "maxPeriod": 3, "minUnits": 2, "blockMin": 2,
    "blockCount": 2, "lineMin": 2, "lineCount": 2, "fillerRun": 2,
    "journalMaxBytes": 1024, "journalPreviewChars": 0,
}  # fmt: skip
# What has to move along so that a single key can be at its minimum.
ALONG = {
    "window": {"kgram": 8, "blockMin": 2, "blockCount": 2},
    "periodTail": {"maxPeriod": 9},
    "maxPeriod": {"minPeriod": 2},
}


def test_defaults_are_those_of_the_readme():
    assert configure({}) == configure(DEFAULTS) == Config()
    assert Config().thresholds() == {
        "minChars": 800, "every": 200, "window": 4096, "kgram": 64, "kgramThreshold": 12,
        "periodTail": 1200, "minPeriod": 8, "maxPeriod": 400, "minUnits": 4, "blockMin": 100,
        "blockCount": 4, "lineMin": 10, "lineCount": 3, "lineShare": 0.1, "fillerRun": 400,
    }  # fmt: skip


@pytest.mark.parametrize(("key", "least"), MINIMA.items())
def test_minimum(key, least):
    config = configure({**ALONG.get(key, {}), key: least})
    if key in FIELDS:
        assert getattr(config, FIELDS[key]) == least
    with pytest.raises(SettingsError, match=rf"rlg\.{key}: .*{least}"):
        configure({**ALONG.get(key, {}), key: least - 1})


@pytest.mark.parametrize("key", MINIMA)
@pytest.mark.parametrize("value", [None, True, "900", 900.5, float("nan"), float("inf"), [900]])
def test_not_an_integer(key, value):
    with pytest.raises(SettingsError) as refused:
        configure({key: value})
    assert (refused.value.guard, refused.value.key) == ("rlg", key)


def test_a_double_without_fraction_is_an_integer():
    config = configure({"every": 300.0})
    assert config.every == 300
    assert isinstance(config.every, int)


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"kgram": 4097}, "kgram"),
        ({"window": 64, "blockMin": 2, "kgram": 65}, "kgram"),
        ({"minPeriod": 400}, "minPeriod"),
        ({"periodTail": 799}, "periodTail"),
        ({"blockMin": 1025}, "blockMin"),
        ({"blockCount": 41}, "blockMin"),
        ({"lineShare": -0.01}, "lineShare"),
        ({"lineShare": 1.01}, "lineShare"),
        ({"lineShare": "0.1"}, "lineShare"),
        ({"lineShare": True}, "lineShare"),
        ({"lineShare": None}, "lineShare"),
        ({"lineShare": float("nan")}, "lineShare"),
        ({"failureCode": ""}, "failureCode"),
        ({"failureCode": 5}, "failureCode"),
        ({"failureCode": None}, "failureCode"),
    ],
)
def test_refused(row, key):
    with pytest.raises(SettingsError) as refused:
        configure(row)
    assert refused.value.key == key
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "row",
    [
        {"kgram": 4096}, {"minPeriod": 399}, {"periodTail": 800}, {"blockMin": 1024},
        {"lineShare": 0}, {"lineShare": 1},
    ],
)  # fmt: skip
def test_edges_that_work_together(row):
    (key, value), *_ = row.items()
    assert getattr(configure(row), FIELDS[key]) == value


@pytest.mark.parametrize(
    "row",
    [
        {"recovery": {"enabled": True, "maxRetries": 3}}, {"effort": {"value": "high"}},
        {"stripHistory": {"enabled": True}}, {"journal": False, "journalPath": "x"},
        {"logTool": False}, {"settingsPath": "y"},
        {"somethingElse": 1}, {"enabled": True}, {"enabled": None}, {"enabled": 0},
    ],
)  # fmt: skip
def test_accepted_and_without_effect(row):
    assert configure(row) == Config()


def test_failure_code_is_kept_for_recognising_recorded_fires():
    row = {"failureCode": "EMPTY_RESPONSE"}
    assert configure(row).failure_code == "EMPTY_RESPONSE"
    assert configure(row).thresholds() == Config().thresholds()


def test_failure_code_is_kept():
    assert configure({"failureCode": "EMPTY_RESPONSE"}).failure_code == "EMPTY_RESPONSE"


def test_only_false_turns_it_off():
    assert not configure({"enabled": False}).enabled


def test_travels_to_other_processes():
    config = configure({"minUnits": 7})
    assert pickle.loads(pickle.dumps(config)) == config
