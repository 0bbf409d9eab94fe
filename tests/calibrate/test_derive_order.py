"""Ladders, paths over them and the strictness of named candidates."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_calibrate.calibrate.candidates import grid, in_force
from dsh_calibrate.calibrate.deriving_ladders import Ladder, at_state, ladders
from dsh_calibrate.calibrate.deriving_path import path, single_steps, start
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.calibrate.strictness import quietest_first, quietness

GUARDS = ("rtb", "tfb", "rtr", "rlg")


@pytest.mark.parametrize(
    "rows",
    [
        {},
        {"rtb": {"warnAt": 3, "summarizeAt": 6, "limits": {"exact": 9, "cmd": 9}}},
        {"rtb": {"window": 4, "warnAt": None, "limits": {"host": None, "sink": None}}},
        {"rtb": {"failLimit": None, "failWarnAt": 0}, "rtr": {"thresholds": [2, 9]}},
        {"rlg": {"lineCount": 2, "lineShare": 0.0, "blockMin": 400}},
    ],
)
def test_rungs_are_valid_and_the_one_in_force_is_among_them(rows):
    found = ladders(rows, "0.8", GUARDS)
    now = tuple(ladder.at for ladder in found)
    assert at_state(found, now, rows, "0.8").settings == {}
    for state in single_steps(found):
        one = at_state(found, state, rows, "0.8")  # validated by the guards' own checks
        caps = [cap for kind, cap in one.rtb.limits.items() if cap is not None and ":" not in kind]
        for ladder, rung in zip(found, state, strict=True):
            if ladder.name not in ("repeats", "failures") or ladder.guard != "rtb":
                continue
            stages = [one.rtb.warn_at, one.rtb.summarize_at, min(caps), one.rtb.window + 0.5]
            if ladder.name == "failures":
                stages = [one.rtb.fail_warn_at, one.rtb.fail_limit]
            used = [stage for stage in stages if stage is not None]
            assert rung == ladder.at or used == sorted(set(used))


def test_names_of_states_tell_them_apart():
    found = ladders({}, "0.8", GUARDS)
    states = single_steps(found)
    names = {at_state(found, state, {}, "0.8").name for state in states}
    assert len(names) == len(states)


def test_only_gates_leaves_out_guards_that_only_speak():
    assert {ladder.guard for ladder in ladders({}, "0.8", GUARDS, "gate")} == {"rtb", "tfb", "rlg"}
    assert ladders({}, "0.8", ("rtr",), "gate") == ()
    assert ladders({"rlg": {"enabled": False}}, "0.8", ("rlg",)) == ()


def made(*sizes_and_now):
    return tuple(
        Ladder("rtb", f"l{k}", tuple({("warnAt",): -r} for r in range(size)), at)
        for k, (size, at) in enumerate(sizes_and_now)
    )


def test_a_path_takes_the_lowest_rung_that_catches_something_new():
    two = made((4, 3), (3, 1))
    quiet = dict.fromkeys(single_steps(two), frozenset())
    catches = quiet | {(1, 0): {"a"}, (2, 0): {"a"}, (3, 0): {"a", "b"}, (0, 2): {"b"}}
    assert path(two, catches, {"a", "b"}) == [(0, 0), (1, 0), (3, 0), (3, 1)]
    assert path(two, catches, {"b"}) == [(0, 0), (3, 0), (3, 1)]
    assert path(two, catches, set()) == [(0, 0), (3, 0), (3, 1)]


@given(
    st.lists(
        st.tuples(st.integers(2, 6), st.integers(0, 5)).map(lambda p: (p[0], min(p[1], p[0] - 1))),
        min_size=1,
        max_size=4,
    ),
    st.data(),
)
def test_paths_only_climb_and_catch_whatever_can_be_caught(shape, data):
    some = made(*shape)
    ids = st.frozensets(st.sampled_from("abcde"))
    catches = {state: data.draw(ids) for state in single_steps(some)}
    stuck = data.draw(ids)
    found = path(some, catches, stuck)
    assert found[0] == start(some)
    for before, after in itertools.pairwise(found):
        assert sum(b != a for b, a in zip(before, after, strict=True)) == 1
        assert all(b <= a for b, a in zip(before, after, strict=True))
    assert all(rung >= ladder.at for rung, ladder in zip(found[-1], some, strict=True))
    quiet = start(some)
    passed = set()
    for state in found:
        for place, rung in enumerate(state):
            passed |= catches[(*quiet[:place], rung, *quiet[place + 1 :])] & stuck
    assert passed == frozenset().union(*catches.values()) & stuck
    assert found == path(some, {s: c & stuck for s, c in catches.items()}, stuck)


@settings(max_examples=40)
@given(
    st.lists(st.integers(2, 30), min_size=4, max_size=4),
    st.lists(st.integers(0, 9), min_size=4, max_size=4),
)
def test_what_is_at_most_as_loud_everywhere_comes_first(loud, more):
    def one(values):
        keys = ("rtb.warnAt", "rtb.summarizeAt", "rtb.failWarnAt", "rtb.limits.host")
        axes = [parse_axis(f"{key}={value}") for key, value in zip(keys, values, strict=True)]
        return grid(axes, {}, "0.8")[0]

    quiet = [a + b for a, b in zip(loud, more, strict=True)]
    if quiet == loud:
        return
    found = quietest_first([one(loud), one(quiet)], ("rtb",))[0]
    assert (found.rtb.warn_at, found.rtb.limits["host"]) == (quiet[0], quiet[3])


@pytest.mark.parametrize(
    ("louder", "guard"),
    [
        ({"tfb": {"maxFailures": 1}}, "tfb"),
        ({"rtr": {"thresholds": [2, 5, 8]}}, "rtr"),
        ({"rtr": {"thresholds": [3, 5, 8, 9]}}, "rtr"),
        ({"rlg": {"lineShare": 0.05}}, "rlg"),
        ({"rtb": {"limits": {"site": 12}}}, "rtb"),
        ({"rtb": {"window": 20}}, "rtb"),
    ],
)
def test_louder_than_shipped(louder, guard):
    now = in_force({}, "0.8")
    assert quietness(in_force(louder, "0.8"), (guard,)) < quietness(now, (guard,))


def test_a_guard_that_is_switched_off_is_the_quietest():
    off = in_force({"rlg": {"enabled": False}}, "0.8")
    assert quietness(off, ("rlg",)) > quietness(in_force({}, "0.8"), ("rlg",))
    silent = in_force({"rtb": {"warnAt": 2, "summarizeAt": 3, "failWarnAt": 1}}, "0.8")
    assert quietness(silent, ("rtb",), "gate") == quietness(in_force({}, "0.8"), ("rtb",), "gate")
