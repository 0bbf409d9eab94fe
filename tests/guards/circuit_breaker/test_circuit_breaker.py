"""The chain of identical failures, step by step (guards.md 2 and the field cases about it)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.circuit_breaker.breaker import CircuitBreaker, recorded_denial
from dsh_calibrate.guards.circuit_breaker.config import configure

A = ("bash", '{"command":"make build"}')
B = ("bash", '{"command":"make test"}')


def play(steps, **row):
    """Play ``(tool, arguments, failed)`` steps one after the other; True where denied."""
    breaker = CircuitBreaker(configure(row))
    denied = []
    for key, step in enumerate(steps):
        if step == "human":
            breaker.human()
            continue
        tool, arguments, failed = step
        denied.append(breaker.call(key, tool, arguments) is not None)
        breaker.result(key, failed, "Error: no such target" if failed else "done")
    return denied


def fail(call):
    return (*call, True)


def succeed(call):
    return (*call, False)


@pytest.mark.parametrize(
    ("steps", "denied"),
    [
        pytest.param([fail(A)] * 4, [False, False, True, True], id="third try is stopped"),
        pytest.param([fail(A), succeed(A), fail(A), fail(A), fail(A)], [False] * 4 + [True]),
        pytest.param([fail(A), fail(A), "human", fail(A)], [False] * 3, id="human closes"),
        pytest.param([fail(A), fail(A), fail(B), fail(A)], [False] * 4, id="another key opens"),
        pytest.param([fail(A), fail(A), succeed(B), fail(A)], [False] * 4, id="any success"),
        pytest.param([fail(A), fail(B)] * 6, [False] * 12, id="two in turn never open it"),
    ],
)
def test_chain(steps, denied):
    assert play(steps) == denied


@pytest.mark.parametrize("most", [1, 2, 3, 7])
def test_max_failures_is_how_many_may_fail(most):
    assert play([fail(A)] * (most + 2), maxFailures=most) == [False] * most + [True] * 2


def test_the_hit_says_what_counted_and_how_far():
    breaker = CircuitBreaker(configure({}))
    for key in range(2):
        assert breaker.call(key, "bash", '{"b":1,"a":2}') is None
        breaker.result(key, True, "Error: no")
    hit = breaker.call(2, "bash", '{ "a": 2, "b": 1 }')
    assert hit is not None
    assert hit.measure == "call"
    assert hit.fingerprint == 'call:bash:{"a":2,"b":1}'
    assert (hit.count, hit.threshold, hit.track) == (2, 2, "failure")


def test_key_order_is_no_change_and_a_decoy_is_one_c08():
    orders = ['{"command":"make","cwd":"x"}', '{"cwd":"x","command":"make"}']
    assert play([("bash", orders[n % 2], True) for n in range(4)]) == [False, False, True, True]
    fresh = [
        ("bash", json.dumps({"command": "make build", "description": f"attempt {n}"}), True)
        for n in range(8)
    ]
    assert play(fresh) == [False] * 8


def test_an_exit_code_in_the_text_is_a_success_and_closes_the_chain_c09():
    breaker = CircuitBreaker(configure({"maxFailures": 1}))
    breaker.call(0, *A)
    breaker.result(0, True, "Error: no")
    for key in range(1, 4):
        assert breaker.call(key, "bash", '{"command":"pytest -q"}') is None
        breaker.result(key, False, "2 failed\n[exit code: 1]")
    assert breaker.call(4, *A) is None


def test_a_success_of_something_else_in_between_c10():
    steps = []
    for n in range(10):
        steps += [fail(A), ("read", json.dumps({"file_path": f"/x/{n}"}), False)]
    assert play(steps) == [False] * 20


def test_a_call_without_a_result_changes_nothing_c74():
    breaker = CircuitBreaker(configure({}))
    for key in (0, 1):
        breaker.call(key, *A)
        breaker.result(key, True, "Error: no")
        breaker.call(key + 10, *B)
    assert breaker.call(2, *A) is not None


def test_a_result_without_a_call_changes_nothing_c74():
    breaker = CircuitBreaker(configure({}))
    for key in (0, 1):
        breaker.call(key, *A)
        breaker.result(key, True, "Error: no")
        breaker.result(99, False, "stray")
        breaker.result(key, False, "told twice")
    assert breaker.call(2, *A) is not None


def test_the_caller_pairs_results_so_repeated_ids_do_not_mix_c75():
    make, ls = ("bash", '{"command":"make"}'), ("bash", '{"command":"ls"}')
    assert play([fail(make), succeed(ls), fail(make), fail(make), fail(make)]) == [
        *[False] * 4,
        True,
    ]


def test_calls_that_already_run_all_run_and_all_count():
    breaker = CircuitBreaker(configure({}))
    assert [breaker.call(key, *A) for key in range(4)] == [None] * 4
    for key in range(4):
        breaker.result(key, True, "Error: no")
    hit = breaker.call(4, *A)
    assert hit is not None
    assert (hit.count, hit.threshold) == (4, 2)


def test_a_denied_call_settles_nothing_whatever_the_recording_says():
    breaker = CircuitBreaker(configure({}))
    for key in range(2):
        breaker.call(key, *A)
        breaker.result(key, True, "Error: no")
    for key, failed in ((2, False), (3, True), (4, False)):
        hit = breaker.call(key, *A)
        assert hit is not None
        assert hit.count == 2
        breaker.result(key, failed, "it really ran")
    assert breaker.call(5, *A) is not None


def test_a_call_running_across_a_human_message_settles_into_the_fresh_state():
    breaker = CircuitBreaker(configure({"maxFailures": 1}))
    breaker.call(0, *A)
    breaker.human()
    breaker.result(0, True, "Error: no")
    assert breaker.call(1, *A) is not None


def test_a_recorded_denial_leaves_the_chain_as_it_is():
    breaker = CircuitBreaker(configure({"maxFailures": 3}))
    text = "Error: The identical bash call already failed 2 consecutive times. Last failure: no."
    for key in range(2):
        breaker.call(key, *A)
        breaker.result(key, True, "Error: no")
    for key in (2, 3):
        assert breaker.call(key, *B if key == 3 else A) is None
        breaker.result(key, True, text)
    assert breaker.call(4, *A) is None
    breaker.result(4, True, "Error: no")
    hit = breaker.call(5, *A)
    assert hit is not None
    assert hit.count == 3


@pytest.mark.parametrize(
    ("tool", "text", "is_denial"),
    [
        ("bash", "The identical bash call already failed 2 consecutive times.", True),
        ("bash", "Error: The identical bash call already failed 7", True),
        ("mcp_x.y", "Error: The identical mcp_x.y call already failed", True),
        ("read", "The identical bash call already failed 2", False),
        ("bash", "Error: Error: The identical bash call already failed 2", False),
        ("bash", " The identical bash call already failed 2", False),
        ("bash", "error: The identical bash call already failed 2", False),
        ("bash", "cat: The identical bash call already failed 2", False),
        ("bash", "", False),
    ],
)
def test_recorded_denial(tool, text, is_denial):
    assert recorded_denial(tool, text) is is_denial


def test_a_success_that_quotes_the_sentence_is_a_success():
    breaker = CircuitBreaker(configure({"maxFailures": 1}))
    breaker.call(0, *A)
    breaker.result(0, True, "Error: no")
    breaker.call(1, *B)
    breaker.result(1, False, "The identical bash call already failed 2 consecutive times.")
    assert breaker.call(2, *A) is None


@pytest.mark.parametrize(
    ("row", "tool", "tracked"),
    [
        ({}, "anything", True),
        ({}, "", False),
        ({"exclude": ["web_*"]}, "web_fetch", False),
        ({"exclude": ["web_*"]}, "xweb_fetch", True),
        ({"include": ["bash"]}, "bash", True),
        ({"include": ["bash"]}, "Bash", False),
        ({"include": ["bash"], "exclude": ["b*"]}, "bash", False),
    ],
)
def test_untracked_tools_do_nothing(row, tool, tracked):
    breaker = CircuitBreaker(configure({"maxFailures": 1, **row}))
    assert breaker.tracks(tool) is tracked
    breaker.call(0, tool, "{}")
    breaker.result(0, True, "Error: no")
    assert (breaker.call(1, tool, "{}") is not None) is tracked


def test_a_success_of_an_untracked_tool_closes_nothing():
    breaker = CircuitBreaker(configure({"exclude": ["read"], "maxFailures": 1}))
    breaker.call(0, *A)
    breaker.result(0, True, "Error: no")
    breaker.call(1, "read", "{}")
    breaker.result(1, False, "text")
    assert breaker.call(2, *A) is not None


@given(
    st.lists(st.tuples(st.sampled_from("ABCH"), st.booleans()), max_size=40),
    st.integers(1, 4),
)
def test_equals_a_literal_count_over_the_steps_that_ran(steps, most):
    """In sequence, a call is denied iff the steps that ran end in ``most`` failures of it."""
    breaker = CircuitBreaker(configure({"maxFailures": most}))
    ran: list[tuple[str, bool]] = []
    for key, (name, failed) in enumerate(steps):
        if name == "H":
            breaker.human()
            ran.append(("H", False))
            continue
        tail = 0
        for step in reversed(ran):
            if step != (name, True):
                break
            tail += 1
        hit = breaker.call(key, "t", json.dumps({"n": name}))
        assert (hit is not None) == (tail >= most)
        if hit is None:
            ran.append((name, failed))
        breaker.result(key, failed, "x")
