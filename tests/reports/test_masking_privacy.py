from __future__ import annotations

import json
import re
import string
import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_calibrate.reports import masking, public_words
from dsh_calibrate.reports.secrets import find_secrets

PUBLIC = {
    word.lower()
    for value in vars(public_words).values()
    if isinstance(value, frozenset)
    for entry in value
    for word in re.findall(r"\w+", entry)
} | {"secret", "private", "session", "sessions", "jsonl", "zstd", "exact", "family", "localhost"}

letters = string.ascii_letters + string.digits
words = st.one_of(
    st.text(letters, min_size=4, max_size=24),
    st.text("дзжийклмнопр" + "我需要检查" + "éèüß" + "ⓟⓐⓢⓣ", min_size=4, max_size=9),
).filter(lambda w: w.lower() not in PUBLIC and not w.isspace())
hosts = st.lists(words, min_size=1, max_size=4).map(".".join)
paths = st.tuples(
    st.sampled_from(["/", "", "~/", "./", "/home/", "C:\\"]),
    st.lists(words, min_size=1, max_size=7),
    st.sampled_from(["/", "\\"]),
    st.sampled_from(["", ".py", ".html", ".unknown"]),
).map(lambda p: p[0] + p[2].join(p[1]) + p[3])
urls = st.tuples(
    st.sampled_from(["https://", "http://", "ftp://"]),
    st.one_of(st.just(""), st.tuples(words, words).map(lambda u: f"{u[0]}:{u[1]}@")),
    hosts,
    st.lists(words, max_size=4).map(lambda p: "".join("/" + w for w in p)),
    st.lists(st.tuples(words, words), max_size=3).map(
        lambda q: "?" + "&".join(f"{k}={v}" for k, v in q) if q else ""
    ),
).map("".join)
private = st.one_of(words, hosts, paths, urls, st.lists(words, max_size=4).map("-".join))

# Around a private thing, whatever a log may put there. Words of these frames are not private.
frames = st.sampled_from(
    [
        "{}",
        "curl -sS {} -o {}",
        "curl -H 'X-Api-Key: {}' \"{}\"",
        "git commit -m '{} {}'",
        "bash -lc \"cat {} | grep '{}'\"",
        "FOO={} python3 {} > {}",
        "mysql -u {} -p{} --password={}",
        "echo {}; ls {} && cd {}",
        "cat <<X\n{}\n{}\nX",
        "ssh {}@{}",
        "password: {} token={}",
        "{}/{}:{}",
        "({})[{}]",
        "sh -c \"sh -c 'sh -c {} {}'\"",
        "--flag={} -x{}",
        "sudo -u {} {}",
        "npm run {}",
        'unclosed " {} {}',
        "a\\{} \\{}",
    ]
)


def survivors(given_text: str, shown: str) -> set[str]:
    """Words of four characters and more of the private text that can still be read."""
    pieces = {p for p in re.split(r"[\W_]+", given_text) if len(p) >= 4}
    pieces |= {p for p in re.findall(r"[ⓟⓐⓢⓣ]+", given_text) if len(p) >= 4}
    shown = shown.lower()
    return {p for p in pieces if p.lower() not in PUBLIC and p.lower() in shown}


def fill(frame: str, things: list[str]) -> str:
    for thing in things:
        frame = frame.replace("{}", thing, 1)
    return frame.replace("{}", "x")


TEXT_MASKS: list[Callable[[str], str]] = [
    masking.mask_text,
    masking.mask_command,
    masking.mask_url,
    masking.mask_path,
    masking.mask_host,
    masking.mask_verb,
    masking.mask_log_key,
    masking.mask_fingerprint,
    masking.mask_arguments,
    lambda text: masking.mask_fingerprint("cmd:curl:" + text),
    lambda text: masking.mask_fingerprint("net:" + text),
    lambda text: masking.mask_fingerprint("sink:" + text),
    lambda text: masking.mask_fingerprint("family:" + text),
]


@settings(max_examples=400, deadline=None)
@given(frames, st.lists(private, min_size=1, max_size=3), st.sampled_from(TEXT_MASKS))
def test_no_private_word_survives(
    frame: str, things: list[str], mask: Callable[[str], str]
) -> None:
    shown = mask(fill(frame, things))
    assert survivors(" ".join(things), shown) == set()


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["command", "url", "path", "prompt", "offset", "zz"]),
    frames,
    st.lists(private, min_size=1, max_size=3),
)
def test_no_private_word_survives_in_arguments(key: str, frame: str, things: list[str]) -> None:
    value = fill(frame, things)
    nested = json.dumps({key: value, things[0]: [{key: value}]}, ensure_ascii=False)
    shown = masking.mask_fingerprint(f"exact:bash:{nested}")
    assert survivors(" ".join(things), shown) == set()


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60), st.sampled_from(TEXT_MASKS))
def test_any_text_becomes_one_printable_line(text: str, mask: Callable[[str], str]) -> None:
    shown = mask(text)
    assert shown == mask(text)
    assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co") for c in shown)
    assert not any(unicodedata.category(c) in ("Zl", "Zp") for c in shown)
    shown.encode()


@pytest.mark.parametrize(
    "unit",
    [" ", "a", "://", '"', "'", "\\", "x-", "eyJ", "sk-", "a.", "a=/", "password=", "…", "-e ",
     "-----BEGIN PRIVATE KEY-----", "Ab1/", "$(", "a@b:", "authorization: ", "\n ", "[[", "A=b "],
)  # fmt: skip
def test_time_is_linear(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    start = time.perf_counter()
    for mask in TEXT_MASKS:
        mask(text)
    find_secrets(text)
    assert time.perf_counter() - start < 10
