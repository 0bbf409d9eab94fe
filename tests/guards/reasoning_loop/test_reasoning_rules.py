"""The rule functions, their skipping tests and the figures, against the literal rules."""

from itertools import accumulate

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st
from literal_rules import DECORATION, judge, judge_points
from literal_rules import figures as literal_figures
from literal_rules import strip as literal_strip
from reasoning_texts import configs, cut_by, prose, sizes, texts

from dsh_calibrate.guards.reasoning_loop import lines, periodic
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.guards.reasoning_loop.figures import FigureRecorder, held
from dsh_calibrate.guards.reasoning_loop.repeats import RepeatIndex
from dsh_calibrate.guards.reasoning_loop.stripping import (
    from_units,
    length,
    strip,
    strip_in_lines_up_to,
    to_units,
    trailing_decoration,
)


@given(texts)
def test_units_are_those_of_javascript(text):
    units = to_units(text)
    assert len(units) == length(text) == len(text.encode("utf-16-le", "surrogatepass")) // 2
    assert max(units, default="") <= "\uffff"
    assert to_units(from_units(units)) == units


@given(texts, st.lists(st.integers(0, 10**4), max_size=5))
def test_stripping(text, places):
    units = to_units(text)
    assert strip(units) == literal_strip(units)
    ends = sorted({min(place, len(units)) for place in places} | {len(units)})
    pairs = regex.compile("[\ud800-\udbff][\udc00-\udfff]")
    ends = [end for end in ends if not pairs.match(units[max(0, end - 1) : end + 1])]
    lined, lined_ends = strip_in_lines_up_to(units, ends)
    assert lined.replace("\n", "") == strip(units)
    assert [strip(units[:end]) for end in ends] == [
        lined[:end].replace("\n", "") for end in lined_ends
    ]


def test_the_class_is_newer_than_the_interpreter():
    assert strip(to_units("a\U0001fae8b\U0001f6dcc")) == "abc"
    assert DECORATION.match("\U0001fae8")


@pytest.mark.parametrize(
    ("units", "run"),
    [
        ("", ""), ("a", ""), ("a.", "."), (". \n", ". \n"), ("a\u200b.", "."), ("é…—", "…—"),
        ("x" + to_units("😀😀"), "😀😀"), ("x\ud83d", ""), ("x.\ude00.", "."),
    ],
)  # fmt: skip
def test_trailing_decoration(units, run):
    assert trailing_decoration(units) == run


@settings(max_examples=60, deadline=None)
@given(texts, sizes, configs(), st.sampled_from((1, 2, 1000)))
def test_figures_are_the_literal_ones(text, piece_sizes, config, batch):
    pieces = cut_by(text, piece_sizes)
    recorder = FigureRecorder(config)
    found = []
    for first in range(0, len(pieces), batch):
        found += recorder.feed_many(pieces[first : first + batch])
    points = list(judge_points(pieces, config))
    assert len(found) == len(points)
    for figures, (_, buffer, tail, total) in zip(found, points, strict=True):
        expected = literal_figures(buffer, tail, config)
        assert figures.at_utf16 == total
        assert figures.stripped_utf16 == len(expected["stripped"])
        assert (figures.units, figures.period) == (expected["periodic"] or (0, 0))[:2]
        assert figures.block_count == expected["block"][0]
        count, line, share = expected["line"]
        assert (figures.line_count, figures.line_len) == (count, len(line))
        assert figures.line_share == share
        assert figures.kgram_count == expected["kgram"][0]
        assert figures.filler_run == expected["filler"][0]
        verdict = judge(buffer, tail, total, config)
        assert held(figures, config) == (verdict and verdict["rule"])


@given(st.text("abc", max_size=120), st.integers(2, 6), st.integers(1, 30), st.integers(2, 5))
def test_skipping_a_period_is_never_wrong(text, shortest, more, units):
    config = Config(
        min_period=shortest, max_period=shortest + more, min_units=units, period_tail=10**6
    )
    if periodic.measure(text, config).units >= units:
        assert periodic.Probe(config).may_hold(text, len(text))


@settings(max_examples=300)
@given(
    st.integers(0, 99),
    st.integers(24, 60),
    st.lists(st.integers(0, 900), min_size=1, max_size=3),
    st.lists(st.sampled_from((1, 30, 70, 699, 700, 701, 1500)), max_size=20),
)
@example(0, 64, [20, 0, 900], [800] + [50] * 40)
def test_skipping_a_block_is_never_wrong(seed, size, gaps, steps):
    """A passage of ``size`` units that returns after each of the gaps is always suspected."""
    passage = strip(prose(4 * size, seed))[:size]
    text = passage
    for number, gap in enumerate(gaps):
        text += strip(prose(2 * gap + 2, seed + number + 1))[:gap] + passage
    index = RepeatIndex(size, len(gaps) + 1, len(text))
    for end in accumulate(steps):
        index.extend(text[:end], 0)
    index.extend(text, 0)
    assert index.may_hold(len(text))


def test_healthy_prose_is_skipped():
    index = RepeatIndex(64, 4, 4096)
    text = strip(prose(30_000))
    for end in range(5000, 30_000, 150):
        index.extend(text[:end], 0)
    index.extend(text, 0)
    assert not any(index.may_hold(end) for end in range(0, len(text), 50))


def test_one_letter_is_suspected():
    """Nothing in such text is sampled by its hash, or everything is."""
    for letter in "abcdefgh":
        index = RepeatIndex(64, 4, 4096)
        for end in range(10, 400, 10):
            index.extend(letter * end, 0)
        assert index.may_hold(390)
        assert not index.may_hold(34)


@pytest.mark.parametrize(
    ("share", "rounded"), [(0.03125, 0.0313), (0.1, 0.1), (0.12344999, 0.1234), (1.0, 1.0)]
)
def test_share_is_rounded_as_to_fixed(share, rounded):
    assert lines.rounded(share) == rounded


@pytest.mark.parametrize(
    ("line", "is_code"),
    [
        ("if (x) {", True), ("}", True), ("</p>", True), ("<p>", True), ("<!-- x", True),
        ("- a", True), ("\t +\ta", True), ("--- a", True), ("---- a", False), ("-a", False),
        ("* a", False), ("a < b", False), ("a - b", False), ("<3", False), ("(see above)", False),
        ("\u00a0- a", False),
    ],
)  # fmt: skip
def test_code_lines(line, is_code):
    assert lines.is_code(line) is is_code


def test_many_short_feeds_keep_little():
    detector = Detector(Config())
    for seed in range(300):
        detector.feed(prose(997, seed))
    tape = detector._tape
    assert detector.total == 997 * 300
    assert len(tape.raw) <= 3 * 4096
    assert len(tape.stripped) <= 3 * 4096
