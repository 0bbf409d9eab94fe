"""Gate, operator, resets and overlap, rule by rule (guards.md 1.5 and 1.7)."""

from __future__ import annotations

import pickle

import pytest
from breaker_play import BROKEN, OK, Play, config_of, shell, tool

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo

LS = shell("ls")
EXACT, CMD = 'exact:bash:{"command":"ls"}', "cmd:ls:ls"


def test_an_approval_exempts_the_hits_for_the_rest_of_the_turn() -> None:
    play = Play(approve=True).calls([LS] * 16)
    state = play.breaker.snapshot()
    assert state.exempt == {EXACT, CMD}
    assert state.counts == {EXACT: 11, CMD: 11, "verb:ls": 16}  # exempt ones: not committed
    play.calls([LS] * 14)
    assert play.verdicts == {12: "ask-approved"}
    assert play.breaker.snapshot().counts == {"verb:ls": 16}
    play.human().calls([LS] * 12)
    assert play.verdicts == {12: "ask-approved", 42: "ask-approved"}


def test_an_exemption_covers_no_other_measure() -> None:
    play = Play(config_of(limits={"net": 3, "cmd": None, "exact": None, "host": 5}), approve=True)
    play.calls([tool("web_fetch", url="https://example.org/a")] * 5)
    assert play.hits == {
        3: ["repeat net:example.org/a 3/3"],
        5: ["repeat host:example.org 5/5"],
    }


def test_the_advisory_of_an_approved_call_is_spoken_and_counts_exempt_measures() -> None:
    play = Play(config_of(summarizeAt=12), approve=True).calls([LS] * 14)
    assert play.spoken[12] == [f"{CMD} × 12"]
    assert play.spoken[13] == [f"{CMD} × 12"]


def test_a_decline_takes_effect_at_its_result_line() -> None:
    play = Play().calls([LS] * 11)
    number = play.call(LS, None)
    assert play.verdicts == {12: "ask-declined"}
    assert play.breaker.snapshot().refused == frozenset()
    other = play.call(LS, None)  # sees neither the refusal nor the commit: asked again
    assert play.verdicts[other] == "ask-declined"
    assert play.hits[other] == play.hits[number]
    play.result(number, OK)
    assert play.breaker.snapshot().refused == {EXACT, CMD}
    assert play.breaker.snapshot().counts[CMD] == 12
    denied = play.call(LS)
    assert play.verdicts[denied] == "deny"
    assert play.breaker.snapshot().counts[CMD] == 13
    assert "verb:ls" in play.breaker.snapshot().counts


def test_a_reset_in_between_does_not_undo_a_decline() -> None:
    play = Play().calls([LS] * 11)
    number = play.call(LS, None)
    play.human()
    play.result(number, OK)
    assert play.breaker.snapshot().window == ((EXACT, CMD),)
    assert play.breaker.snapshot().refused == {EXACT, CMD}


def test_a_decline_is_committed_whatever_its_result_says() -> None:
    for outcome in (BROKEN, Outcome("Error: REPEAT_TOOL_BLOCKED", True), Outcome("x", True)):
        play = Play().calls([LS] * 11)
        play.result(play.call(LS, None), outcome)
        assert play.breaker.snapshot().streaks == {}
        assert play.breaker.snapshot().counts[CMD] == 12


def test_a_synthetic_result_is_no_event() -> None:
    play = Play().calls([LS] * 2, BROKEN)
    before = play.breaker.snapshot()
    play.result(play.call(tool("read", path="a"), None), Outcome("", True, synthetic=True))
    play.result(1, Outcome("", synthetic=True))
    assert play.breaker.snapshot().streaks == before.streaks
    play = Play().calls([LS] * 11)
    play.result(play.call(LS, None), Outcome("", True, synthetic=True))
    assert play.breaker.snapshot().refused == frozenset()
    assert play.breaker.snapshot().counts[CMD] == 11


def test_deny_commits_at_the_call_line() -> None:
    play = Play(config_of(onLimit="deny")).calls([LS] * 11)
    play.call(LS, None)
    assert play.breaker.snapshot().window[-1] == (EXACT, CMD)
    assert play.breaker.snapshot().counts[CMD] == 12


def test_one_refused_measure_is_enough_to_be_denied_unasked() -> None:
    config = config_of(limits={"host": 3, "net": 4, "exact": None})
    play = Play(config)
    play.calls([tool("web_fetch", url="https://example.org/a")] * 3)
    assert play.verdicts == {3: "ask-declined"}
    play.approve = True
    play.call(tool("web_fetch", url="https://example.org/a"))
    assert play.verdicts[4] == "deny"


def test_a_call_running_across_a_reset_settles_into_the_fresh_state() -> None:
    play = Play()
    numbers = [play.call(shell("make"), None) for _ in range(3)]
    play.human()
    for number in numbers:
        play.result(number, BROKEN)
    assert play.spoken == {3: ["cmd:make:make failed x3"]}


def test_the_failure_gate_stops_the_sixth_call_and_names_both_tracks() -> None:
    config = config_of(onLimit="deny", limits={"exact": 6, "cmd": None})
    play = Play(config).calls([LS] * 6, BROKEN)
    assert play.hits == {6: [f"failure {EXACT} 5/5", f"repeat {EXACT} 6/6"]}
    # one record that holds the fingerprint twice: it counts twice, as in the live guard
    assert play.breaker.snapshot().window[-1] == (EXACT, EXACT)
    assert play.breaker.snapshot().counts[EXACT] == 7


def test_only_calls_that_carry_the_failing_measure_are_stopped() -> None:
    play = Play(config_of(onLimit="deny")).calls([shell("make")] * 5, BROKEN)
    play.calls([shell("grep -n x Makefile"), shell("make clean"), shell("make")])
    assert list(play.verdicts) == [8]


def test_a_denied_call_settles_nothing() -> None:
    play = Play(config_of(onLimit="deny")).calls([shell("make")] * 5, BROKEN)
    play.calls([shell("make")] * 3, OK)
    assert list(play.verdicts) == [6, 7, 8]


def test_an_exempt_measure_has_no_streak() -> None:
    play = Play(approve=True).calls([shell("make")] * 5, BROKEN)
    play.calls([shell("make")] * 4, BROKEN)
    assert play.verdicts == {6: "ask-approved"}
    assert play.breaker.snapshot().streaks["cmd:make:make"] == 5


def test_a_failure_limit_need_not_be_whole() -> None:
    config = config_of(failLimit=2.5, onLimit="deny", limits={"exact": 9.5, "cmd": None})
    play = Play(config).calls([LS] * 4, BROKEN)
    assert play.hits == {4: [f"failure {EXACT} 3/2.5"]}
    play = Play(config).calls([LS] * 10)
    assert play.hits == {10: [f"repeat {EXACT} 10/9.5"]}


@pytest.mark.parametrize(
    ("row", "spoken", "stopped"),
    [
        ({"warnAt": 0, "summarizeAt": None}, [], [12, 13]),
        ({"warnAt": 11, "summarizeAt": 7}, [7, 11], [12, 13]),
        ({"limits": {"exact": 5, "cmd": 5}}, [], list(range(5, 14))),
        ({"limits": {"exact": None, "cmd": None}}, [], []),
        ({"warnAt": 12, "summarizeAt": 13}, [], [12, 13]),
        ({"window": 4, "warnAt": 5}, [5, 6, 7, 8, 9, 10, 11, 12, 13], []),
    ],
)
def test_stages(row: dict[str, object], spoken: list[int], stopped: list[int]) -> None:
    play = Play(config_of(onLimit="deny", **row)).calls([LS] * 13)
    assert list(play.spoken) == spoken
    assert list(play.verdicts) == stopped


def test_failure_stages_can_be_off() -> None:
    play = Play(config_of(failLimit=None)).calls([LS] * 8, BROKEN)
    assert play.spoken == {3: [f"{CMD} failed x3"], 7: [f"{CMD} × 7"]}
    play = Play(config_of(failWarnAt=-1)).calls([LS] * 6, BROKEN)
    assert play.spoken == {}
    assert list(play.verdicts) == [6]


def test_both_messages_at_one_result_failure_first() -> None:
    play = Play(config_of(warnAt=3)).calls([LS] * 3, BROKEN)
    assert play.spoken == {3: [f"{CMD} failed x3", f"{CMD} × 3"]}


def test_untracked_tools_do_nothing_at_all() -> None:
    config = config_of(include=["web_*"], exclude=["web_search"], onLimit="deny")
    play = Play(config).calls([LS, tool("web_search", query="x"), tool("")] * 20, BROKEN)
    assert (play.spoken, play.verdicts) == ({}, {})
    assert play.breaker.snapshot().window == ()


@pytest.mark.parametrize(
    ("row", "enforce", "profile", "denied"),
    [
        ({"blockShellHttp": True}, True, "0.8", True),
        ({"blockShellHttp": True}, False, "0.8", False),
        ({"blockShellHttp": False}, True, "0.8", False),
        ({"blockShellHttp": True}, True, "0.5.2", False),
        ({"blockShellHttp": True, "exclude": ["bash"]}, True, "0.8", False),
        ({"blockShellHttp": True, "shellHttpAllow": ["curl"]}, True, "0.8", False),
    ],
)
def test_shell_http_comes_first_and_commits_nothing(
    row: dict[str, object], enforce: bool, profile: str, denied: bool
) -> None:
    breaker = Breaker(config_of(profile, **row), enforce_shell_http=enforce)
    fetch = shell("curl -s https://example.org/")
    for key in range(20):
        decision = breaker.call(key, *fetch, approve=True)
        assert (decision.kind == "shell-http") == denied
        assert decision.ran or denied is (decision.verdict == "deny")
        breaker.result(key, BROKEN)
    if denied:
        assert breaker.snapshot().window == ()
        assert breaker.snapshot().streaks == {}


def test_measuring_the_block_needs_no_enforcement() -> None:
    breaker = Breaker(config_of(blockShellHttp=True), enforce_shell_http=False)
    assert breaker.refuses_shell_http(*shell("curl -s https://example.org/"))
    assert not breaker.refuses_shell_http(*shell("ls"))
    assert not breaker.refuses_shell_http(*tool("read", command="curl https://example.org/"))
    off = Breaker(config_of(blockShellHttp=False), enforce_shell_http=True)
    assert not off.refuses_shell_http(*shell("curl -s https://example.org/"))


def test_a_result_without_a_call_settles_nothing() -> None:
    breaker = Breaker(config_of(), enforce_shell_http=False)
    settled = breaker.result(7, BROKEN)
    assert (settled.failure, settled.advisory) == (None, None)
    assert breaker.snapshot().streaks == {}


def test_a_memo_can_be_shared_and_survives_another_configuration() -> None:
    memo = Memo()
    first, second = config_of(), config_of(limits={"cmd": None})
    for config in (first, second, first):
        prepared = memo.prepared(*LS, config)
        assert (CMD in prepared.capped) == (config is first)
        assert memo.prepared(*LS, config) is prepared


def test_configurations_survive_pickling_with_the_same_decisions() -> None:
    config = pickle.loads(pickle.dumps(config_of(onLimit="deny")))
    assert list(Play(config).calls([LS] * 13).verdicts) == [12, 13]
