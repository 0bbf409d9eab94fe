"""The field cases of sections A and E that concern this guard (cases.md)."""

from __future__ import annotations

import pytest
from breaker_play import BROKEN, OK, Play, config_of, shell, tool

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Outcome


def alternating(count: int, *commands: str) -> list[tuple[str, str]]:
    return [shell(commands[n % len(commands)]) for n in range(count)]


def test_c01_ping_pong_is_warned_and_never_stopped() -> None:
    play = Play().calls(alternating(40, "ls a", "ls b"))
    assert play.spoken == {13: ["cmd:ls:ls a × 7"], 14: ["cmd:ls:ls b × 7"]}
    assert play.verdicts == {}
    assert Play().calls(alternating(40, "ls a", "ls b", "ls c")).spoken == {}


def test_c02_the_same_demand_comes_back() -> None:
    play = Play(config_of(onLimit="deny"))
    play.calls(alternating(40, "cat a.log", "cat a.log", "date"))
    assert sorted(play.verdicts) == [17, 20, 23, 26, 29, 32, 35, 38]
    assert play.spoken[10] == ["cmd:cat:cat a.log × 7"]
    demands = [n for n, counts in play.counts.items() if counts == [11]]
    assert demands == [16, 19, 22, 25, 28, 31, 34, 37, 40]


def test_c03_polling() -> None:
    play = Play(config_of(onLimit="deny"))
    for number in range(14):
        play.call(shell("gh run view 4411 --json status"), Outcome(text=f"status {number}"))
    assert play.counts == {7: [7], 11: [11]}
    assert [play.hits[n][0].rsplit(" ", 1)[1] for n in (12, 13, 14)] == ["12/12", "13/12", "14/12"]
    assert sorted(play.verdicts) == [12, 13, 14]


def test_c04_blank_commands() -> None:
    play = Play(config_of(onLimit="deny"))
    play.calls([shell("")] * 12).calls([shell("   ")] * 12)
    assert sorted(play.verdicts) == [12, 24]
    assert play.hits[12] == ['repeat exact:bash:{"command":""} 12/12']
    assert play.hits[24] == ['repeat exact:bash:{"command":"   "} 12/12']


def test_c05_reading_through_a_file() -> None:
    play = Play().calls(
        tool("read", file_path="/srv/app/views.py", offset=200 * n, limit=200) for n in range(30)
    )
    assert (play.spoken, play.verdicts) == ({}, {})


def test_c06_paging_one_host() -> None:
    play = Play(config_of(onLimit="deny")).calls(
        tool("web_fetch", url=f"https://api.example.org/items?page={n}") for n in range(20)
    )
    host = "host:api.example.org"
    assert play.spoken == {7: [f"{host} × 7"], 11: [f"{host} × 11"]}
    assert play.hits == {
        16: [f"repeat {host} 16/16"],
        **{n: [f"repeat {host} 17/16"] for n in range(17, 21)},
    }


@pytest.mark.parametrize(
    ("decoys", "kinds"),
    [
        (["description"], 1),
        (["opts"], 2),
        (["Description"], 2),
    ],
)
def test_c07_decoys(decoys: list[str], kinds: int) -> None:
    play = Play()
    for value in ({"try": 1}, {"try": 2}):
        play.call(tool("bash", command="make", **dict.fromkeys(decoys, value)))
    exact = [fp for fp in play.breaker.snapshot().counts if fp.startswith("exact:")]
    assert len(exact) == kinds
    if kinds == 1:
        assert exact == ['exact:bash:{"command":"make"}']


def test_c08_failing_with_a_fresh_description() -> None:
    failed = Outcome(text="Error: boom", is_error=True)
    play = Play(config_of(onLimit="deny"))
    for number in range(8):
        play.call(shell("make build", description=f"attempt {number}"), failed)
    assert play.spoken == {3: ["cmd:make:make build failed x3"]}
    assert sorted(play.verdicts) == [6, 7, 8]
    assert play.hits[6][0].endswith(" 5/5")


def test_c09_a_command_that_exits_one() -> None:
    play = Play().calls([shell("pytest -q")] * 3, Outcome(text="2 failed\n[exit code: 1]"))
    assert play.spoken == {3: ["cmd:pytest:pytest -q failed x3"]}


def test_c10_success_of_something_else_in_between() -> None:
    play = Play(config_of(onLimit="deny"))
    for number in range(10):
        play.call(shell("make build"), BROKEN)
        play.call(tool("read", file_path=f"/x/{number}"))
    assert play.spoken == {5: ["cmd:make:make build failed x3"]}
    assert min(play.verdicts) == 11


def test_c11_a_human_message_resets_everything() -> None:
    play = Play().calls([shell("ls")] * 12)
    assert play.verdicts == {12: "ask-declined"}
    play.human()
    assert play.breaker.snapshot().counts == {}
    play.calls([shell("ls")] * 11)
    assert sorted(play.verdicts) == [12]
    play.call(shell("ls"))
    assert play.verdicts[24] == "ask-declined"


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("Error: REPEAT_TOOL_BLOCKED: exact:bash 12/12", "REPEAT_TOOL_BLOCKED"),
        ("REPEAT_TOOL_BLOCKED: x", "REPEAT_TOOL_BLOCKED"),
        ("Error: SHELL_HTTP_BLOCKED: use the tool", "SHELL_HTTP_BLOCKED"),
        ("Error: Error: REPEAT_TOOL_BLOCKED", None),
        ("Error: the identical call failed: REPEAT_TOOL_BLOCKED", None),
    ],
)
def test_c12_recorded_denials_settle_nothing(text: str, marker: str | None) -> None:
    play = Play(config_of(onLimit="deny")).calls([shell("ls")] * 2, BROKEN)
    before = play.breaker.snapshot().streaks
    number = play.call(shell("ls"), None)
    settled = play.breaker.result(number, Outcome(text=text, is_error=True))
    assert settled.recorded_denial == marker
    if marker is None:  # someone else's denial is a failure like any other
        assert settled.failure is not None
        assert set(play.breaker.snapshot().streaks.values()) == {3}
    else:
        assert settled.failure is None
        assert play.breaker.snapshot().streaks == before


def test_c12_only_an_error_is_a_denial() -> None:
    play = Play().calls([shell("ls")], BROKEN)
    number = play.call(shell("ls"), None)
    settled = play.breaker.result(number, Outcome(text="REPEAT_TOOL_BLOCKED is a marker"))
    assert settled.recorded_denial is None
    assert play.breaker.snapshot().streaks == {}


def test_c12_a_denial_is_flagged_on_stopped_and_untracked_calls() -> None:
    play = Play(config_of(onLimit="deny")).calls([shell("ls")] * 11)
    denial = Outcome(text="Error: REPEAT_TOOL_BLOCKED", is_error=True)
    for call in (shell("ls"), tool("todo_write")):
        number = play.call(call, None)
        assert play.breaker.result(number, denial).recorded_denial == "REPEAT_TOOL_BLOCKED"


def test_c13_a_denied_call_commits_only_what_hit() -> None:
    play = Play(config_of(onLimit="deny"))
    play.calls([shell("curl -s -o /tmp/p.html https://example.org/p")] * 13)
    play.calls([shell("curl -s https://example.org/q")] * 3)
    assert sorted(play.verdicts) == [12, 13]
    assert play.breaker.snapshot().counts["host:example.org"] == 14
    assert play.breaker.snapshot().counts["sink:/tmp/p.html"] == 13


@pytest.mark.parametrize(("profile", "denied"), [("0.8", True), ("0.5.2", False)])
def test_c14_rotating_over_five_hosts(profile: str, denied: bool) -> None:
    play = Play(config_of(profile, onLimit="deny"))
    for number in range(100):
        url = f"https://h{number % 5 + 1}.example.org/p{number}"
        play.call(shell(f'curl -sL "{url}" -o /dev/null -w "%{{http_code}}"'), Outcome(text="404"))
    assert not any("×" in text for said in play.spoken.values() for text in said)
    assert bool(play.verdicts) == denied
    if denied:
        assert play.hits[26] == ["failure host:h1.example.org 5/5"]
        assert min(play.verdicts) == 26


def test_c15_one_batch_of_four_again_and_again() -> None:
    play = Play(config_of(onLimit="deny"))
    for _ in range(6):
        numbers = [
            play.call(tool("web_fetch", url=f"https://example.org/{path}"), None) for path in "abcd"
        ]
        for number in numbers:
            play.result(number, OK)
    assert play.spoken == {7: ["host:example.org × 7"], 11: ["host:example.org × 11"]}
    assert min(play.verdicts) == 16


def test_c15_the_net_measure_peaks_at_five() -> None:
    play = Play(config_of(limits={"host": None}, warnAt=5, summarizeAt=6))
    for _ in range(8):
        play.calls(tool("web_fetch", url=f"https://example.org/{path}") for path in "abcd")
    assert play.counts
    assert {count for counts in play.counts.values() for count in counts} == {5}


def test_c16_parent_and_child_are_two_agents() -> None:
    parent, child = Play(), Play()
    for _ in range(8):
        parent.call(shell("ls src"))
        child.call(shell("ls src"))
    assert list(parent.spoken) == list(child.spoken) == [7]
    assert (parent.verdicts, child.verdicts) == ({}, {})


def test_c17_untracked_calls_are_transparent() -> None:
    play = Play(config_of(onLimit="deny"))
    for _ in range(12):
        play.call(tool("read", file_path="/a"))
        play.call(tool("todo_write", todos=[]))
    assert list(play.verdicts) == [23]


def test_c18_results_are_no_part_of_identity() -> None:
    play = Play(config_of(onLimit="deny"))
    for number in range(12):
        play.call(shell("tail -n 20 /var/log/app.log"), Outcome(text=f"line {number}"))
    assert list(play.verdicts) == [12]


@pytest.mark.parametrize(
    ("call", "failures"),
    [
        (shell('grep -rn "exit code" src'), 1),  # C80
        (shell("tail -n 50 worker.log"), 1),  # C81, C83
        (tool("read", file_path="/x"), 0),  # C81, C82: text of other tools is never read
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "src/render.ts:39: pushes [exit code: 1]\n3 matches",
        "Traceback (most recent call last):\nKeyError: 'id'\n-- end --",
        "downloading 50%\rValueError: bad header",
    ],
)
def test_c80_c81_c83_text_counts_for_shells_only(
    call: tuple[str, str], failures: int, text: str
) -> None:
    play = Play().calls([call], Outcome(text=text))
    assert set(play.breaker.snapshot().streaks.values()) == ({1} if failures else set())


def test_c84_expected_exits() -> None:
    play = Play(config_of(onLimit="deny"))
    for number in range(6):
        play.call(shell("diff -q a.txt b.txt"), Outcome(text="Files differ\n[exit code: 1]"))
        play.call(tool("edit", file_path="a.txt", n=number))
    assert play.spoken == {5: ["cmd:diff:diff -q a.txt b.txt failed x3"]}
    assert list(play.verdicts) == [11]


def test_c85_a_good_status_clears_whatever_the_page_says() -> None:
    call = tool("web_fetch", url="https://example.org/")
    play = Play().calls([call], Outcome(text="x", status_code=404))
    assert play.breaker.snapshot().streaks
    play.call(call, Outcome(text="HTTP Error 500", status_code=200))
    assert play.breaker.snapshot().streaks == {}


@pytest.mark.parametrize(("profile", "streak"), [("0.8", set()), ("0.5.2", {3})])
def test_c85b_stop(profile: str, streak: set[int]) -> None:
    play = Play(config_of(profile)).calls([shell("sleep 600")] * 2, BROKEN)
    play.call(
        shell("sleep 600"),
        Outcome("Error: tool call aborted", True, "AbortError", "ABORTED"),
    )
    assert set(play.breaker.snapshot().streaks.values()) == streak


def test_c86_one_failing_host_many_paths() -> None:
    play = Play(config_of(onLimit="deny"))
    play.calls(
        (shell(f"curl -s https://api.example.invalid/v{n}") for n in range(8)),
        Outcome(text="curl: (6) Could not resolve host\n[exit code: 6]"),
    )
    assert play.spoken == {3: ["host:api.example.invalid failed x3"]}
    assert play.hits == {n: ["failure host:api.example.invalid 5/5"] for n in (6, 7, 8)}
    streaks = play.breaker.snapshot().streaks
    assert {fp.partition(":")[0] for fp in streaks} == {"exact", "cmd", "net", "host"}
    assert {n for fp, n in streaks.items() if not fp.startswith("host:")} == {1}
