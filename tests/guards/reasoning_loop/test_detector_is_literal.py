"""The detector equals the literal rules on every input (issue 4)."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from literal_rules import detect
from reasoning_texts import configs, cut, cut_by, prose, sizes, texts

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.guards.reasoning_loop.stripping import length


def given_fields(verdict):
    return {
        field: getattr(verdict, field)
        for field in verdict.__struct_fields__
        if getattr(verdict, field) is not None
    }


def fed_one_by_one(pieces, config):
    detector = Detector(config)
    found = None
    for index, piece in enumerate(pieces):
        verdict = detector.feed(piece)
        if verdict:
            assert found is None, "it fires once"
            found = index, given_fields(verdict)
    return found


def fed_at_once(pieces, config, batch):
    detector = Detector(config)
    for first in range(0, len(pieces), batch):
        fired = detector.feed_many(pieces[first : first + batch])
        if fired:
            return first + fired[0], given_fields(fired[1])
    return None


@settings(max_examples=120, deadline=None)
@given(texts, sizes, configs(), st.sampled_from((1, 3, 1000)))
@example("\ud83d\ude00" * 300, [1], Config(min_chars=0, every=16), 1000)
def test_equal_on_generated_text(text, piece_sizes, config, batch):
    pieces = cut_by(text, piece_sizes)
    expected = detect(pieces, config)
    assert fed_one_by_one(pieces, config) == expected
    assert fed_at_once(pieces, config, batch) == expected


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(30, 900), st.integers(0, 400)),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from(("", "\n", "😀 ", "好。", "\n- ")),
    st.sampled_from((16, 40, 200, 1000)),
)
def test_equal_with_the_default_settings(seed, quotes, joint, size):
    """Prose that quotes the same passages again, about as often as the rules allow."""
    text = prose(700, seed)
    for number, (source, quote_length, between) in enumerate(quotes):
        text += prose(quote_length, source) + joint + prose(between + 1, seed + number) + joint
        text += prose(quote_length, source) + joint
    pieces = cut(text, size)
    config = Config()
    expected = detect(pieces, config)
    assert fed_one_by_one(pieces, config) == expected
    for batch in (7, 1000):
        assert fed_at_once(pieces, config, batch) == expected


@pytest.mark.parametrize("size", [1, 7, 200, 5000])
def test_total_counts_units_also_past_the_verdict(size):
    text = "😀x" * 2000
    detector, at_once = Detector(Config()), Detector(Config())
    for piece in cut(text, size):
        detector.feed(piece)
    at_once.feed_many(cut(text, size))
    assert detector.total == at_once.total == 6000


QUIET = Config(
    min_units=1000, block_min=2, block_count=30, kgram_threshold=1000, filler_run=1000,
    line_count=1000,
)  # fmt: skip


def test_a_line_counts_at_both_ends_of_the_window():
    """The window starts inside one line and ends inside another: both parts count."""
    line = "the same line here"
    text = f"zz{line}\n{line}\n{line}"
    config = replace(QUIET, min_chars=len(text), window=len(text) - 2, line_count=3, kgram=8)
    for window, fires in ((len(text) - 2, True), (len(text), False)):
        config = replace(config, window=window)
        found = fed_one_by_one([text], config)
        assert found == detect([text], config)
        assert (found is not None) is fires


def test_the_first_unit_may_be_half_of_a_stripped_pair():
    """The tail starts inside an emoji; its second half completes the first of four units."""
    unit = "\ude00abcdefghijklmnopqrs"
    text = "\U0001f600" + (unit * 4)[1:]
    config = replace(QUIET, min_chars=81, period_tail=80, min_period=20, max_period=40, min_units=4)
    found = fed_one_by_one([text], config)
    assert found == detect([text], config)
    assert found is not None
    assert (found[1]["units"], found[1]["period"]) == (4, 20)


def test_a_block_may_begin_with_half_of_a_stripped_pair():
    """The window starts inside an emoji; its second half completes the first of two blocks."""
    block = "\ude00abcdefghijklmnopqrstuvwxyz01234"
    # Stripped, the second block starts at 51: a search looks at what starts there and no more.
    text = f"\U0001f600{block[1:]}{prose(90).replace(' ', '')[:20]}{block}"
    window = length(text) - 1
    config = replace(
        QUIET, min_chars=1, window=window, block_min=32, block_count=2, min_period=32, max_period=33
    )
    found = fed_one_by_one([text], config)
    assert found == detect([text], config)
    assert found is not None
    assert found[1]["count"] == 2


def test_an_open_line_may_end_in_half_of_a_pair():
    """What is judged ends in the first half of a pair, and so does an earlier line."""
    line = "the same line here\ud83d"
    text = f"{line}\n{prose(50)}\n{line}"
    config = replace(QUIET, min_chars=1, line_count=2, line_min=16)
    assert fed_one_by_one([text], config) == detect([text], config)
    text = f"zz{line}\n{line}\n{line}"
    config = replace(config, line_count=3, window=len(text) - 2, block_min=2, block_count=28)
    found = fed_one_by_one([text], config)
    assert found == detect([text], config)
    assert found is not None
    assert found[1]["count"] == 3
