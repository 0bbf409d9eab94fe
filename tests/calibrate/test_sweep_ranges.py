"""What ``--over`` and candidates files are read as, and what they refuse."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.calibrate.candidates import from_file, grid, in_force, with_pieces
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.errors import UsageError


@pytest.mark.parametrize(
    ("text", "keys", "values"),
    [
        ("rtb.warnAt=3..6", ["rtb.warnAt"], [3, 4, 5, 6]),
        ("rtb.warnAt = 3 .. 9 : 3", ["rtb.warnAt"], [3, 6, 9]),
        ("rtb.warnAt=3..8:3", ["rtb.warnAt"], [3, 6]),
        ("rtb.warnAt=5..5", ["rtb.warnAt"], [5]),
        ("rlg.lineShare=0.1..0.3:0.1", ["rlg.lineShare"], [0.1, 0.2, 0.3]),
        ("rtb.limits.site=[null, 12]", ["rtb.limits.site"], [None, 12]),
        ("rtr.thresholds=[[3],[2,4]]", ["rtr.thresholds"], [[3], [2, 4]]),
        (
            "rtb.limits.{exact,cmd}=9..10",
            ["rtb.limits.exact", "rtb.limits.cmd"],
            [9, 10],
        ),
        ("rtb.{warnAt, failWarnAt}=[2]", ["rtb.warnAt", "rtb.failWarnAt"], [2]),
        ('rtb.limits."verb:curl"=2..3', ["rtb.limits.verb:curl"], [2, 3]),
        ("rtb.onLimit=[ask,deny]", ["rtb.onLimit"], ["ask", "deny"]),
        ("tfb.maxFailures=3", ["tfb.maxFailures"], [3]),
    ],
)
def test_axes(text, keys, values):
    axis = parse_axis(text)
    assert [str(key) for key in axis.keys] == keys
    assert list(axis.values) == values


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rtb.warnAt=9..3", "empty"),
        ("rtb.warnAt=3..9:0", "step"),
        ("rtb.warnAt=3..9:-1", "step"),
        ("rtb.warnAt=[]", "empty"),
        ("rtb.warnAt=[3,3]", "twice"),
        ("rtb.warnAt=", "expected"),
        ("rtb.warnAt", "expected"),
        ("rtb.warnAt=3..", "no range"),
        ("rtb.warnAt=a..b", "no range"),
        ("rtb.warnat=3..4", "did you mean warnAt"),
        ("rtb.limits.exat=3..4", "did you mean exact"),
        ("rtbb.warnAt=3..4", "did you mean rtb"),
        ("warnAt=3..4", "no key"),
        ("rtb.warnAt.x=3..4", "no parts"),
        ("rtb.previewChars=3..4", "decides nothing"),
        ("rtb.limits.{exact,cmd=3..4", "braces"),
        ("rtb.limits.{exact,exact}=3..4", "twice"),
        ("rtb.warnAt=0..1000000", "too many"),
        ("rtb.limits={exact: 3}", "mapping"),
    ],
)
def test_refused_axes(text, words):
    with pytest.raises(UsageError, match=words) as refused:
        parse_axis(text)
    assert "\n" not in str(refused.value)
    assert str(refused.value).startswith("--over ")


@given(st.integers(-5, 50), st.integers(0, 40), st.integers(1, 7))
def test_a_range_counts_like_range(first, more, step):
    axis = parse_axis(f"rtb.warnAt={first}..{first + more}:{step}")
    assert list(axis.values) == list(range(first, first + more + 1, step))


def test_a_grid_lays_values_over_what_is_in_force():
    rows = {"rtb": {"summarizeAt": 9, "limits": {"host": 20}}}
    axes = [parse_axis("rtb.warnAt=3..4"), parse_axis("rtb.limits.{exact,cmd}=[5,6]")]
    sets = grid(axes, rows, "0.8")
    assert [(s.rtb.warn_at, s.rtb.limits["cmd"]) for s in sets] == [(3, 5), (3, 6), (4, 5), (4, 6)]
    assert {(s.rtb.summarize_at, s.rtb.limits["host"]) for s in sets} == {(9, 20)}
    assert sets[1].name == "rtb.warnAt=3 rtb.limits.{exact,cmd}=6"
    assert sets[1].settings == {"rtb": {"warnAt": 3, "limits": {"exact": 6, "cmd": 6}}}
    assert sets[1].guards == ("rtb",)
    assert in_force(rows, "0.8").rtb.limits["host"] == 20


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["rtb.limits.exact=1..3"], r"rtb.limits.exact=1: must be"),
        (["rlg.blockCount=[4,41]"], r"rlg.blockCount=41: rlg.blockMin"),
        (["rtb.warnAt=3..4", "rtb.warnAt=5..6"], "two axes"),
        (["rtb.limits=[{}]", "rtb.limits.exact=5..6"], "two axes"),
        (["rtb.warnAt=1..100", "rtb.summarizeAt=1..100"], "10000 sets are too many"),
    ],
)
def test_refused_grids(texts, words):
    with pytest.raises(UsageError, match=words):
        grid([parse_axis(text) for text in texts], {}, "0.8")


def test_candidates_replace_whole_rows(tmp_path):
    file = tmp_path / "candidates.yaml"
    file.write_text("old:\n  rtb: {warnAt: 3, limits: {site: 12}}\nnew:\n  tfb: {maxFailures: 5}\n")
    rows = {"rtb": {"summarizeAt": 9}}
    old, new = from_file(file, rows, "0.8")
    assert (old.name, old.rtb.warn_at, old.rtb.summarize_at) == ("old", 3, 11)
    assert (old.rtb.limits["site"], old.guards) == (12, ("rtb",))
    assert (new.rtb.summarize_at, new.tfb.max_failures, new.guards) == (9, 5, ("tfb",))


def test_toml_candidates_may_say_off(tmp_path):
    file = tmp_path / "c.toml"
    file.write_text('[a.rtb]\nwarnAt = "off"\nlimits = { host = "off" }\n')
    (found,) = from_file(file, {}, "0.8")
    assert (found.rtb.warn_at, found.rtb.limits["host"]) == (None, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a: {rtb: {warnat: 3}}", "did you mean warnAt"),
        ("a: {rtb: {limits: {exat: 3}}}", "did you mean exact"),
        ("a: {rtx: {}}", "no guard rtx"),
        ("a: {rtb: {warnAt: x}}", 'a: rtb.warnAt="x": must be'),
        ("a: {rtb: 3}", "a.rtb: expected a mapping"),
        ("a: {}", "a: expected a mapping of guards"),
        ("[]", "expected candidates"),
        ("", "expected candidates"),
    ],
)
def test_refused_candidates(tmp_path, text, words):
    file = tmp_path / "c.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match=words):
        from_file(file, {}, "0.8")


def test_piece_sizes_are_an_axis():
    sets = with_pieces(grid([parse_axis("rlg.minUnits=3..4")], {}, "0.8"), [10, 200])
    assert [s.pieces for s in sets] == [10, 200, 10, 200]
    with pytest.raises(UsageError, match="at least 1"):
        with_pieces(sets, [0])
