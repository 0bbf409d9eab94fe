"""Runs of equal calls, counted at their results (guards.md 3)."""

from __future__ import annotations

import json
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.repeat_reminder.config import configure
from dsh_calibrate.guards.repeat_reminder.reminder import Reminder

A = ("grep", '{"pattern":"x","path":"src"}')
B = ("grep", '{"pattern":"y","path":"src"}')
TODO = ("todo_write", '{"items":[]}')


def play(steps, **row):
    """Play calls one after the other; the threshold reached at each, else None."""
    reminder = Reminder(configure(row))
    reached = []
    for key, step in enumerate(steps):
        if step == "human":
            reminder.human()
            continue
        reminder.call(key, *step)
        hit = reminder.result(key)
        reached.append(None if hit is None else hit.threshold)
    return reached


def test_reminds_exactly_at_each_threshold_and_never_past_the_last():
    wanted = {2: 3, 4: 5, 7: 8}
    assert play([A] * 20) == [wanted.get(n) for n in range(20)]


def test_another_call_starts_at_one():
    assert play([A, A, B, A, A, A]) == [None] * 5 + [3]


def test_the_hit_says_what_and_how_often():
    reminder = Reminder(configure({"thresholds": [2]}))
    reminder.call(0, "grep", '{"b":1,"a":[2,1]}')
    assert reminder.result(0) is None
    reminder.call(1, "grep", '{"a":[2,1],"b":1}')
    hit = reminder.result(1)
    assert hit is not None
    assert (hit.measure, hit.fingerprint) == ("call", 'call:grep:{"a":[2,1],"b":1}')
    assert (hit.count, hit.threshold, hit.track) == (2, 2, "repeat")


def test_the_order_of_arrays_and_the_tool_are_part_of_the_key():
    reverse = ("grep", '{"a":[1,2]}')
    assert play([("grep", '{"a":[2,1]}'), reverse] * 3, thresholds=[2]) == [None] * 6
    assert play([("grep", "{}"), ("glob", "{}")] * 3, thresholds=[2]) == [None] * 6


def test_empty_text_is_an_empty_object_and_broken_json_equals_itself():
    assert play([("t", ""), ("t", "{}")], thresholds=[2]) == [None, 2]
    assert play([("t", '{"a":'), ("t", '{"a":')], thresholds=[2]) == [None, 2]
    assert play([("t", '{"a":'), ("t", '{"a": ')], thresholds=[2]) == [None, None]
    assert play([("t", "null"), ("t", "{}")], thresholds=[2]) == [None, None]


def test_untracked_calls_are_transparent():
    assert play([A, TODO, A, TODO, A]) == [None] * 4 + [3]
    assert play([TODO] * 9) == [None] * 9
    assert play([TODO] * 3, exclude=[]) == [None, None, 3]
    assert play([A, B, A, B, A], include=["g*"]) == [None] * 5


def test_a_human_message_ends_the_run():
    assert play([A, A, "human", A, A, A]) == [None] * 4 + [3]


def test_counts_at_the_result_in_the_order_of_the_results():
    reminder = Reminder(configure({"thresholds": [2]}))
    for key, call in enumerate((A, B, A, B)):
        reminder.call(key, *call)
    assert [reminder.result(key) is not None for key in (0, 2, 1, 3)] == [False, True] * 2


def test_a_call_without_a_result_does_not_count_and_a_stray_result_does_nothing():
    reminder = Reminder(configure({"thresholds": [2]}))
    reminder.call(0, *A)
    assert reminder.result(0) is None
    reminder.call(1, *B)
    assert reminder.result(7) is None
    assert reminder.result(0) is None
    reminder.call(2, *A)
    hit = reminder.result(2)
    assert hit is not None
    assert hit.count == 2


def test_a_call_outstanding_across_a_human_message_counts_into_the_next_run():
    reminder = Reminder(configure({"thresholds": [2]}))
    reminder.call(0, *A)
    reminder.human()
    assert reminder.result(0) is None
    reminder.call(1, *A)
    assert reminder.result(1) is not None


@given(
    st.lists(st.sampled_from("ABH"), max_size=60),
    st.sets(st.integers(2, 9), min_size=1),
)
def test_equals_the_lengths_of_the_runs(names, thresholds):
    steps = ["human" if name == "H" else ("t", json.dumps({"n": name})) for name in names]
    wanted: list[int | None] = []
    for name, run in groupby(names):
        if name != "H":
            wanted += [n if n in thresholds else None for n in range(1, len(list(run)) + 1)]
    assert play(steps, thresholds=sorted(thresholds)) == wanted


def test_a_call_without_a_name_counts():
    # The published 0.1.0-rc.8 makes no exception for it (found by conformance plugin).
    reminder = Reminder(configure({}))
    counts = []
    for key in range(3):
        reminder.call(key, "", "{}")
        hit = reminder.result(key)
        counts.append(hit and hit.count)
    assert counts == [None, None, 3]
    assert not Reminder(configure({"exclude": ["*"]})).tracks("")
