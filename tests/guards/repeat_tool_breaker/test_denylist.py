"""The later rule: what a line can run, and what of it is denied (guards.md 1.8)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.denylist import commands_run, refused
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES

CONFIG = configure({}, PROFILES["0.8"])


@pytest.mark.parametrize(
    ("command", "is_refused"),
    [
        # C29: the port goes first, so these are local here.
        ("curl -s http://127.0.0.1:$PORT/health", False),
        ("curl -s http://localhost:${PORT}/health", False),
        ("curl -s http://user:pw@localhost:$PORT/health", False),
        ("curl -s http://[::1]:$PORT/health", False),
        ("curl -s http://${HOST}/x", True),
        # C26: hidden fetches that the allowlist lets through.
        ("grep -oE 'https://api.example.org/v1' c.yml | xargs curl -s", True),
        ("U=$(grep -oE 'https://[a-z.]+' c.yml); curl -s \"$U\"", True),
        ("docker run --rm alpine wget -qO- https://example.org/", False),
        ("bash /tmp/fetch.sh", False),
        # C24: addresses in passing that the allowlist refuses.
        ("cat > README.md <<'MD'\nDocs: https://docs.example.org/guide\nMD", False),
        ("# see https://example.org/spec\nmake test", False),
        # C22
        ("command -v curl wget jq", True),
        ("which curl", False),
        ("echo https://example.org/", False),
        ("python3 -c \"import requests; requests.get('https://example.org')\"", True),
    ],
)
def test_refusals(command, is_refused):
    assert refused("bash", command, CONFIG) is is_refused


def test_only_shells_and_only_what_is_listed():
    assert not refused("web_fetch", "curl https://example.org", CONFIG)
    assert refused("bash", "aria2c https://example.org", CONFIG, ("aria2c",))
    assert not refused("bash", "curl https://example.org", CONFIG, ("aria2c",))


def test_nothing_is_opened_deeper_than_six():
    nested = "a" + "".join(f" $({letter}" for letter in "bcdefgh") + ")" * 7
    assert commands_run(nested)[-1].startswith("g ")


@given(st.lists(st.sampled_from([*"ab $()`;|&'\"\\{}!\n", "sh -c ", "-exec ", "curl ", "x=("])))
def test_any_line_opens_into_texts_listed_once(parts):
    found = commands_run("".join(parts))
    assert len(set(found)) == len(found)
    assert all(found)


@pytest.mark.parametrize(
    "text", ["$(" * 20_000, "`" * 40_000, "a;" * 20_000, "-exec " * 8_000, "sh -c '" * 6_000]
)
def test_hostile_lines_take_little_time(text):
    start = time.process_time()
    refused("bash", text, CONFIG)
    assert time.process_time() - start < 5
