from __future__ import annotations

import json
import math
import pickle

import pytest

from dsh_calibrate.errors import SettingsError
from dsh_calibrate.guards.repeat_tool_breaker.config import (
    REMOVED,
    SHELL_HTTP_KEYS,
    as_json,
    cap_of,
    configure,
)
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT as DEFAULT_VERSION
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from shared_material import ROOT, needs_shared

DEFAULT = PROFILES[DEFAULT_VERSION]


@needs_shared
def test_golden_configurations() -> None:
    rows = (ROOT / "goldens" / "configs.jsonl").read_bytes().split(b"\n")
    wrong = []
    for number, row in enumerate(filter(None, rows), 1):
        vector = json.loads(row)
        try:
            config = as_json(configure(vector["in"]["config"], DEFAULT))
            for key in SHELL_HTTP_KEYS:
                config.pop(key)
            seen = {"ok": True, "config": config}
        except SettingsError as error:
            seen = {"ok": False, "key": error.key}
        if seen != vector["expect"]:
            wrong.append((number, vector["in"], seen))
    assert not wrong


@pytest.mark.parametrize(
    ("row", "key"),
    [
        ({"window": True}, "window"),
        ({"window": None}, "window"),
        ({"window": math.inf}, "window"),
        ({"window": 3.0}, "window"),
        ({"localHosts": None}, "localHosts"),
        ({"onLimit": "Deny"}, "onLimit"),
        ({"includeLocal": None}, "includeLocal"),
        ({"warnAt": math.nan}, "warnAt"),
        ({"warnAt": -math.inf}, "warnAt"),
        ({"summarizeAt": 7.5}, "summarizeAt"),
        ({"failWarnAt": "3"}, "failWarnAt"),
        ({"failLimit": 0}, "failLimit"),
        ({"failLimit": 1.999}, "failLimit"),
        ({"failLimit": True}, "failLimit"),
        ({"previewChars": None}, "previewChars"),
        ({"limits": None}, "limits"),
        ({"limits": {"verb:git": 0}}, "limits.verb:git"),
        ({"limits": {"exact": math.inf}}, "limits.exact"),
        ({"hostAliases": None}, "hostAliases"),
        ({"hostAliases": {"a.example.org": 1}}, "hostAliases.a.example.org"),
        ({"ignoreArgs": {"read": "offset"}}, "ignoreArgs.read"),
        ({"include": None}, "include"),
        ({"shellHttpAllow": "git"}, "shellHttpAllow"),
        ({"blockShellHttp": "yes"}, "blockShellHttp"),
        ({"blockLocalHttp": 0}, "blockLocalHttp"),
        *(({key: None}, key) for key in REMOVED),
    ],
)
def test_refusals_name_the_key(row: dict[str, object], key: str) -> None:
    with pytest.raises(SettingsError) as raised:
        configure(row, DEFAULT)
    assert raised.value.key == key
    assert raised.value.guard == "rtb"
    assert "\n" not in str(raised.value)


def test_ask_for_local_hosts_names_the_migration() -> None:
    with pytest.raises(SettingsError, match="onLimit: ask"):
        configure({"localHosts": "ask"}, DEFAULT)


def test_merging_keeps_the_defaults_of_maps_and_replaces_lists() -> None:
    config = configure(
        {
            "limits": {"exact": 3, "site": 5.0},
            "ignoreArgs": {"bash": ["x"], "read": None},
            "hostAliases": {"a.example.org": "b.example.org", "www.open.canada.ca": None},
            "exclude": [],
        },
        DEFAULT,
    )
    assert config.limits["exact"] == 3
    assert config.limits["host"] == 16
    assert repr(config.limits["site"]) == "5"
    assert config.ignore_args["bash"] == ("x",)
    assert config.ignore_args["read"] == ()
    assert "title" in config.ignore_args["*"]
    assert config.host_aliases == {
        "open-data.canada.ca": "open.canada.ca",
        "www.open-data.canada.ca": "open.canada.ca",
        "a.example.org": "b.example.org",
    }
    assert config.exclude == ()


def test_whole_floats_are_integers() -> None:
    config = configure({"window": 16.0, "warnAt": 5.0, "failLimit": 4.0}, DEFAULT)
    assert (config.window, config.warn_at, config.fail_limit) == (16, 5, 4)
    assert isinstance(config.window, int)


def test_a_profile_without_the_block_does_not_know_its_keys() -> None:
    config = configure({"shellHttpAllow": "anything", "blockShellHttp": True}, PROFILES["0.5.2"])
    assert config.block_shell_http is False
    assert as_json(config)["shellHttpAllow"] == "anything"


def test_the_block_is_on_with_four_exempt_verbs() -> None:
    config = configure({}, PROFILES["0.8"])
    assert config.block_shell_http
    assert not config.block_local_http
    assert config.shell_http_allow == ("git", "docker", "grep", "rg")


@pytest.mark.parametrize(
    ("fingerprint", "cap"),
    [
        ("exact:bash:{}", 12),
        ("verb:curl", None),
        ("verb:git", None),
        ("host:example.org", None),
        ("host:example.net", 16),
        ("site:example.org", 3),
        ("site:example.net", None),
    ],
)
def test_the_complete_string_wins_even_when_null(fingerprint: str, cap: int | None) -> None:
    config = configure({"limits": {"host:example.org": None, "site:example.org": 3}}, DEFAULT)
    assert cap_of(config.limits, fingerprint) == cap


def test_travels_between_processes() -> None:
    config = configure({"warnAt": 4, "unknown": [1]}, DEFAULT)
    assert as_json(pickle.loads(pickle.dumps(config))) == as_json(config)
