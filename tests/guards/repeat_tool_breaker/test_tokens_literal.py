"""The fast word splitter against the rule of guards.md 1.3, read character by character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.repeat_tool_breaker import commands, sinks, tokens
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.javascript.white_space import CHARACTERS

CONFIG = configure({}, PROFILES["0.8"])
TEXT = st.lists(
    st.sampled_from([*"ab'\"\\ \n=-/.>|;&$", "\u00a0", "\u0085", "\ufeff", "\U0001f600", "\ud83d"])
    | st.sampled_from(["timeout ", "sudo ", "-u ", "A=1 ", "5s ", "--fail ", "-m 5 ", "-sS "])
    | st.sampled_from(["-o ", "-O ", "tee ", "> ", ">>", "--output=", "https://a.example.org/ "]),
    max_size=20,
).map("".join)  # fmt: skip


def literal_tokens(command: str) -> list[str]:
    """One character after the other, with the quote that is open."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    at = 0
    while at < len(command):
        letter = command[at]
        if letter == "\\" and quote != "'" and at + 1 < len(command):
            word = (word or "") + command[at + 1]
            at += 1
        elif quote:
            if letter == quote:
                quote = ""
            else:
                word = (word or "") + letter
        elif letter in "'\"":
            quote, word = letter, word or ""
        elif letter in CHARACTERS:
            if word is not None:
                words.append(word)
            word = None
        else:
            word = (word or "") + letter
        at += 1
    return words if word is None else [*words, word]


@given(TEXT)
def test_words_are_the_literal_ones(command):
    assert tokens.tokens(command) == literal_tokens(command)


@given(TEXT)
def test_an_assignment_and_a_timeout_in_front_change_nothing(command):
    words = tokens.tokens(command)
    longer = ["B=2", "timeout", "--foreground", "1.5m", *words]
    if words[:1] != ["timeout"] or len(words) > 1:
        assert tokens.verb(longer) == tokens.verb(words)
    assert tokens.stripped(longer) == tokens.stripped(words)


@given(TEXT)
def test_pieces_hang_together(command):
    parts = commands.analyse(command, CONFIG)
    words = tokens.tokens(command)
    assert parts.verb == parts.verb.lower()
    assert "/" not in parts.verb
    assert len(parts.addresses) == len(parts.urls) == len(set(parts.urls))
    assert all(url in command.replace("\\", "") for url in parts.urls)
    if parts.sink is not None:
        assert parts.sink
        assert not parts.sink.startswith("./")
        assert any(parts.sink in word for word in words)
    assert set(commands.fetch_verbs(command, CONFIG)) <= {
        tokens.verb(tokens.tokens(segment)) for segment in commands.segments(command)
    }


@given(st.lists(st.sampled_from(["make", "-o", "-O", "tee", ">", ">x", "|", "a.txt"]), max_size=8))
def test_the_first_place_found_ends_the_search(words):
    found = sinks.sink(words)
    if found is not None:
        assert sinks.sink([*words, "|", "-o", "other"]) == found
