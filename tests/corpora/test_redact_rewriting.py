"""Texts are rewritten word by word; what guards look at stays as it is."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from corpora.redacting import KEY, rewriter
from dsh_calibrate.corpora.redaction import keep_list
from dsh_calibrate.corpora.redaction.pseudonyms import Pseudonyms
from dsh_calibrate.guards.repeat_tool_breaker import tokens, urls
from dsh_calibrate.guards.repeat_tool_breaker.sinks import sink

TEXTS = st.text(max_size=60) | st.text("abAB1ñж你%2F\\\"'/.:-_ \n", max_size=60)


def utf16(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@given(TEXTS)
def test_every_character_keeps_its_class(text):
    new = rewriter(text).text(text)
    if "%" not in text:
        assert utf16(new) == utf16(text)
        for old, now in zip(text, new, strict=True):
            if not old.isalnum():
                assert now == old
            else:
                assert unicodedata.category(now) == unicodedata.category(old)
                assert now.isascii() == old.isascii()


@given(st.lists(st.text("abcdefgh", min_size=2, max_size=5), max_size=30))
def test_no_two_words_share_a_pseudonym(words):
    known = Pseudonyms(KEY, frozenset(words))
    assert len({known.word(word) for word in words}) == len(set(words))


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=4, max_size=12))
def test_a_pseudonym_is_neither_the_word_nor_a_kept_one(word):
    new = Pseudonyms(KEY, frozenset({word})).word(word)
    assert new != word
    assert not keep_list.is_kept(new)


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_json_text_stays_the_same_json(text):
    work = rewriter(text)
    for ascii_only in (True, False):
        raw = json.dumps({"command": text}, ensure_ascii=ascii_only)
        assume("\\u" not in raw or not any(0xD800 <= ord(c) < 0xE000 for c in text))
        astral_letter = any(ord(c) > 0xFFFF and c.isalnum() for c in text)
        if not (astral_letter and ascii_only):  # halves of a pair are no letters
            assert json.loads(work.json_text(raw)) == {"command": work.text(text)}


@pytest.mark.parametrize(
    "text",
    [
        "[exit code: 17]",
        "curl: (22)",
        "[timed out after 300ms]",
        "(HTTP 404)",
        "Traceback (most recent call last)",
        "[killed by signal: SIGKILL]",
        "REPEAT_TOOL_BLOCKED",
        "curl -sSfLk -m30 -O --max-time 10 -w '%{http_code}'",
        "wget -O /dev/null",
        "http://localhost:8080/",
        "http://127.0.0.1:3000/",
        "?utm_source=&fbclid=&_ga=",
        "sudo -u timeout 30s env nohup",
        "open-data.canada.ca",
        "interrupted-tool-result-",
    ],
)
def test_what_guards_match_is_kept(text):
    assert rewriter(text).text(text) == text


@pytest.mark.parametrize(
    "private",
    [
        "juergen",
        "Straßenbau",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_abcdefghijklmnopqrstuvwxyz012345",
        "3f2b8c1d-9e4a-4b2c-8d3e-1a2b3c4d5e6f",
        "+49 171 2345678",
        "203.0.113.77",
        "[2001:db8::1:2]",
        "%E4%BD%A0%E5%A5%BD",
        "秘密内容",
        "tskr-notes",
    ],
)
def test_what_is_private_is_replaced(private):
    new = rewriter(private).text(private)
    assert new != private
    assert len(new) == len(private)


@pytest.mark.parametrize(
    ("host", "is_local"),
    [
        ("10.1.2.3", True),
        ("192.168.7.12", True),
        ("172.16.4.5", True),
        ("172.40.4.5", False),
        ("169.254.1.2", True),
        ("127.1.2.3", True),
        ("8.8.4.4", False),
        ("[fd12:3456::7]", True),
        ("[fe80::12]", True),
        ("[::1]", True),
        ("[2001:db8::7]", False),
        ("box.localhost", True),
        ("db.acme.example", False),
    ],
)
def test_addresses_stay_as_local_as_they_were(host, is_local):
    url = f"http://{host}/x"
    new = urls.normal(rewriter(url).text(url), {}, drop_brackets=True)
    assert new is not None
    assert urls.is_local(new.host) is is_local


PARTS = """
    curl wget /usr/bin/git sudo timeout 30s FOO=bar -o ./out.txt > >> | tee -a ; && -m 5 -O -
    --retry=3 -sSL https://a.example.org/Übung?b=1&a=2 'quoted words' deploy.sh
"""
COMMANDS = st.lists(
    st.sampled_from(PARTS.split()) | st.text("abc/.-=", min_size=1, max_size=6), max_size=9
).map(" ".join)


@given(COMMANDS)
def test_a_command_is_taken_apart_alike(command):
    work = rewriter(command)
    new = work.text(command)
    old_words, new_words = tokens.tokens(command), tokens.tokens(new)
    assert new_words == [work.text(word) for word in old_words]
    assert tokens.verb(new_words) == work.text(tokens.verb(old_words))
    assert tokens.stripped(new_words) == work.text(tokens.stripped(old_words))
    old_sink = sink(old_words)
    assert sink(new_words) == (None if old_sink is None else work.text(old_sink))


def test_equal_addresses_stay_equal_in_every_spelling():
    spellings = [
        "https://www.API.acme.example:8443/a?b=J%C3%BCrgen&utm_x=1",
        "https://api.acme.example/a/?b=J\u00fcrgen",
    ]
    work = rewriter(*spellings)
    new = {urls.normal(work.text(url), {}, drop_brackets=True) for url in spellings}
    assert len(new) == 1
    assert "acme" not in str(new)


def test_words_run_together_in_reasoning_are_words_of_their_own():
    text = "Righ Go RighGo"
    righ, go, both = rewriter(text).prose(text).split()
    assert both == righ + go
    assert rewriter(text).text("RighGo") != both


def test_a_word_that_repeats_itself_still_does():
    new = Pseudonyms(KEY).word("hahaha" * 50)
    assert new == new[:2] * 150
    assert new[:2] != "ha"
