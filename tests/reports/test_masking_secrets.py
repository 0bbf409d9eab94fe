from __future__ import annotations

import base64
import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.reports.masking import mask_command, mask_text
from dsh_calibrate.reports.secrets import Secret, entropy, find_secrets, replace_secrets

RANDOM = base64.b64encode(random.Random(3).randbytes(30)).decode()
HEX = random.Random(4).randbytes(20).hex()
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("text", "left", "rule"),
    [
        ("key sk-" + "abcdefgh" * 3 + " end", "key <secret> end", "key-prefix"),
        ("ghp_" + "a1" * 18, "<secret>", "key-prefix"),
        ("xoxb-123456789012-abc", "<secret>", "key-prefix"),
        ("id AKIA" + "ABCD1234" * 2, "id <secret>", "access-key"),
        ("eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "<secret>", "jwt"),
        ("Authorization: Bearer abc.def", "Authorization: Bearer <secret>", "authorization"),
        ("authorization: Basic YTpi", "authorization: Basic <secret>", "authorization"),
        ("-H 'X-Api-Key: abc'", "-H 'X-Api-Key: <secret>'", "authorization"),
        ("Cookie: sid=1", "Cookie: <secret>", "authorization"),
        ("https://ada:pw@example.org/", "https://<secret>@example.org/", "user-info"),
        ("DB_PASSWORD=hunter2 x", "DB_PASSWORD=<secret> x", "assignment"),
        ('{"api_key": "abc"}', '{"api_key": "<secret>"}', "assignment"),
        ("run --token abc", "run --token <secret>", "option"),
        (f"a {KEY} b", "a <secret> b", "private-key"),
        (KEY[:40] + " cut", "<secret>", "private-key"),
        (f"x {RANDOM} y", "x <secret> y", "entropy"),
        (f"sha {HEX}", "sha <secret>", "entropy"),
    ],
)
def test_secrets_are_found(text: str, left: str, rule: str) -> None:
    assert replace_secrets(text) == left
    assert [s.rule for s in find_secrets(text)] == [rule]


@pytest.mark.parametrize(
    "text",
    [
        "a perfectly ordinary sentence about tokens and passwords",
        "/home/ada/projects/some-very-long-folder-name/and/another/one",
        "3f2a9c1e-1111-2222-3333-444455556666",
        "0" * 64,
        "thisIsAVeryLongCamelCaseIdentifierName",
        "https://example.org:8080/a@b",
        "sk-short",
        "max_tokens: 5",
    ],
)
def test_what_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []


def test_overlaps_are_joined() -> None:
    text = "token=sk-" + "abcdefgh" * 3
    assert find_secrets(text) == [Secret(6, len(text), "key-prefix")]


@given(st.text(max_size=80))
def test_stretches_are_apart_and_inside(text: str) -> None:
    found = find_secrets(text)
    assert all(0 <= s.start < s.end <= len(text) for s in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


def test_entropy() -> None:
    assert entropy("") == 0
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2


def test_masking_names_secrets() -> None:
    assert mask_text(f"use {RANDOM} now") == "u… <secret> n…"
    assert mask_command("curl -u ada:pw --api-key abc x") == "curl -u … --api-key <secret> x"
