"""The incremental engine against a plain one that counts everything anew."""

from __future__ import annotations

from collections import Counter, deque

from breaker_play import BROKEN, OK, config_of, shell, tool
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import Config, cap_of
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo, prepare
from dsh_calibrate.guards.repeat_tool_breaker.stages import (
    Thresholds,
    failure_advisory,
    rank_of,
    reached,
)
from dsh_calibrate.guards.repeat_tool_breaker.streaks import Streaks
from dsh_calibrate.guards.repeat_tool_breaker.ungated import UngatedBreaker
from dsh_calibrate.guards.repeat_tool_breaker.window import Window

CALLS = [
    shell("ls"),
    shell("make > build.log"),
    shell("curl -s https://example.org/a"),
    shell("curl -s https://example.org/b -o page"),
    tool("web_fetch", url="https://example.org/a"),
    tool("read", path="a"),
]
OUTCOMES = [OK, BROKEN, BROKEN, Outcome("Error: x", True), Outcome("REPEAT_TOOL_BLOCKED", True)]
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("call"), st.sampled_from(CALLS), st.booleans()),
        st.tuples(st.just("call"), st.sampled_from(CALLS[:2]), st.booleans()),
        st.tuples(st.just("result"), st.integers(0, 3), st.sampled_from(OUTCOMES)),
        st.tuples(st.just("result"), st.integers(0, 3), st.sampled_from(OUTCOMES)),
        st.tuples(st.just("human")),
    ),
    min_size=1,
    max_size=60,
)
STAGE = st.one_of(st.none(), st.integers(2, 6))
ROWS = st.fixed_dictionaries(
    {
        "window": st.integers(4, 8),
        "onLimit": st.sampled_from(["ask", "deny"]),
        "warnAt": STAGE,
        "summarizeAt": STAGE,
        "failWarnAt": STAGE,
        "failLimit": st.one_of(st.none(), st.sampled_from([2, 2.5, 3, 5])),
        "limits": st.fixed_dictionaries(
            {
                "exact": st.sampled_from([None, 2, 3.5, 5]),
                "cmd": st.sampled_from([None, 3, 4, 9]),
                "host": st.sampled_from([None, 3, 6]),
                "site": st.sampled_from([None, 4]),
            }
        ),
    }
)


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=4), max_size=40), st.integers(4, 9))
def test_window_counts_equal_a_recount(records: list[list[str]], size: int) -> None:
    window = Window(size)
    kept: deque[list[str]] = deque(maxlen=size)
    for record in records:
        window.commit(record)
        if record:
            kept.append(record)
        counts = Counter(fp for entry in kept for fp in entry)
        assert window.counts() == counts
        assert window.nexts("abcdef") == [counts[fp] + 1 for fp in "abcdef"]
        assert list(window) == list(kept)
        assert len(window) == len(kept)


@given(st.lists(st.tuples(st.sets(st.sampled_from("abcd")), st.booleans()), max_size=40))
def test_streaks_equal_the_run_at_the_end_of_the_history(
    history: list[tuple[set[str], bool]],
) -> None:
    streaks = Streaks()
    for position, (fingerprints, failed) in enumerate(history):
        order = sorted(fingerprints)
        after = streaks.settle(order, failed=failed)
        for fingerprint, streak in zip(order, after, strict=True):
            run = 0
            for carried, broke in reversed(history[: position + 1]):
                if fingerprint in carried:
                    if not broke:
                        break
                    run += 1
            assert streak == run == streaks.of(fingerprint)


VECTORS = st.lists(
    st.tuples(
        st.integers(1, 17),
        st.integers(0, 6),
        st.sampled_from([None, 2, 4.5, 12, 16]),
        st.sampled_from(["host", "net", "site", "sink", "cmd", "exact", "verb", "family"]),
    ),
    max_size=8,
)
THRESHOLDS = st.builds(
    Thresholds,
    warn_at=STAGE,
    summarize_at=STAGE,
    fail_warn_at=STAGE,
    fail_limit=st.sampled_from([None, 2, 2.5, 5]),
)


@given(VECTORS, THRESHOLDS)
def test_stages_equal_the_rule_read_aloud(
    vector: list[tuple[int, int, float | None, str]], thresholds: Thresholds
) -> None:
    counts = [entry[0] for entry in vector]
    streaks = [entry[1] for entry in vector]
    caps = [entry[2] for entry in vector]
    ranks = [rank_of(entry[3]) for entry in vector]
    seen = reached(counts, streaks, caps, ranks, thresholds)
    capped = [n for n, cap in enumerate(caps) if cap is not None]
    limit = thresholds.fail_limit
    assert list(seen.hits) == [
        ("failure", n) for n in capped if limit is not None and streaks[n] >= limit
    ] + [("repeat", n) for n in capped if counts[n] >= caps[n]]
    speaking = [
        (stage, n)
        for stage, at in (("summarize", thresholds.summarize_at), ("warn", thresholds.warn_at))
        for n in sorted(capped, key=lambda n: (ranks[n], n))
        if at is not None and counts[n] == at
    ]
    assert seen.advisory == (speaking[0] if speaking else None)
    named = [n for n in capped if streaks[n] == thresholds.fail_warn_at]
    expected = min(named, key=lambda n: (ranks[n], n)) if named else None
    assert failure_advisory(streaks, caps, ranks, thresholds.fail_warn_at) == expected


class Plain:
    """guards.md 1.5 with lists and nothing remembered that can be counted."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.records: list[list[str]] = []
        self.fails: dict[str, int] = {}
        self.exempt: set[str] = set()
        self.refused: set[str] = set()

    def following(self, fingerprint: str) -> int:
        last = self.records[-self.config.window :]
        return sum(record.count(fingerprint) for record in last) + 1

    def commit(self, record: list[str]) -> None:
        record = [fp for fp in record if fp not in self.exempt]
        if record:
            self.records.append(record)

    def decide(self, call: tuple[str, str], approve: bool) -> tuple[str, list[str]]:
        prints = list(prepare(*call, self.config).all)
        limits, limit = self.config.limits, self.config.fail_limit
        capped = [fp for fp in prints if cap_of(limits, fp) is not None]
        hits = [fp for fp in capped if limit is not None and self.fails.get(fp, 0) >= limit]
        hits += [fp for fp in capped if self.following(fp) >= cap_of(limits, fp)]
        hits = [fp for fp in hits if fp not in self.exempt]
        if not hits:
            self.commit(prints)
            return "allow", []
        if self.config.on_limit == "deny" or any(fp in self.refused for fp in hits):
            self.commit(hits)
            return "deny", hits
        if not approve:
            return "ask-declined", hits
        self.exempt.update(hits)
        self.commit(prints)
        return "ask-approved", hits

    def settle(self, verdict: str, call: tuple[str, str], hits: list[str], bad: bool) -> None:
        if verdict == "ask-declined":
            self.refused.update(hits)
            self.commit(hits)
        elif verdict != "deny":
            for fp in prepare(*call, self.config).all:
                if cap_of(self.config.limits, fp) is not None and fp not in self.exempt:
                    self.fails[fp] = self.fails.get(fp, 0) + 1 if bad else 0

    def forget(self) -> None:
        self.records, self.fails, self.exempt, self.refused = [], {}, set(), set()


@settings(max_examples=250, deadline=None)
@given(ROWS, EVENTS)
def test_the_breaker_equals_the_plain_one(row: dict[str, object], events: list[tuple]) -> None:
    config = config_of(**row)
    breaker, plain = Breaker(config, enforce_shell_http=False), Plain(config)
    open_calls: list[tuple[int, str, tuple[str, str], list[str]]] = []
    for key, event in enumerate(events):
        if event[0] == "human":
            breaker.human()
            plain.forget()
        elif event[0] == "call":
            decision = breaker.call(key, *event[1], approve=event[2])
            verdict, hits = plain.decide(event[1], event[2])
            assert decision.verdict == verdict
            assert [hit.fingerprint for hit in decision.hits] == hits
            assert decision.ran == (verdict in {"allow", "ask-approved"})
            assert decision.ran or decision.advisory is None
            open_calls.append((key, verdict, event[1], hits))
        elif open_calls:
            number, verdict, call, hits = open_calls.pop(event[1] % len(open_calls))
            settled = breaker.result(number, event[2])
            denial = event[2].text.startswith("REPEAT_TOOL_BLOCKED")
            assert bool(settled.recorded_denial) == denial
            shell_failure = event[2] is BROKEN and call[0] == "bash"
            if not denial or verdict == "ask-declined":
                plain.settle(verdict, call, hits, event[2].is_error or shell_failure)
        state = breaker.snapshot()
        last = plain.records[-config.window :]
        assert [list(record) for record in state.window] == last
        assert state.counts == Counter(fp for record in last for fp in record)
        assert state.streaks == {fp: n for fp, n in plain.fails.items() if n}
        assert state.exempt == plain.exempt
        assert state.refused == plain.refused
        if config.on_limit == "deny":
            assert not state.exempt
            assert not state.refused


@given(st.lists(st.sampled_from(CALLS), max_size=40), st.booleans(), st.booleans())
def test_deny_never_asks_and_no_caps_never_stop(
    calls: list[tuple[str, str]], approve: bool, fail: bool
) -> None:
    deny = Breaker(config_of(onLimit="deny", window=4, failLimit=2), enforce_shell_http=True)
    uncapped = dict.fromkeys(["exact", "cmd", "net", "sink", "host"])
    free = Breaker(config_of(limits=uncapped, failLimit=2), enforce_shell_http=True)
    for key, call in enumerate(calls):
        assert deny.call(key, *call, approve=approve).verdict in {"allow", "deny"}
        decision = free.call(key, *call, approve=approve)
        assert (decision.verdict, decision.advisory) == ("allow", None)
        for breaker in (deny, free):
            breaker.result(key, BROKEN if fail else OK)
    assert free.snapshot().streaks == {}


@settings(deadline=None)
@given(ROWS, EVENTS)
def test_ungated_counts_are_recounts_and_know_no_thresholds(
    row: dict[str, object], events: list[tuple]
) -> None:
    config = config_of(**row)
    memo = Memo()
    ungated = UngatedBreaker(config, memo=memo)
    other = UngatedBreaker(config_of(window=row["window"]))
    history: list[tuple[str, ...]] = []
    results: list[tuple[tuple[str, ...], bool]] = []
    open_calls: list[int] = []
    for key, event in enumerate(events):
        if event[0] == "human":
            ungated.human()
            other.human()
            history.clear()
            results.clear()
        elif event[0] == "call":
            call = ungated.call(key, *event[1])
            assert call is not None
            assert call == other.call(key, *event[1])
            assert call.fingerprints == memo.prepared(*event[1], config).all
            last = history[-config.window :]
            assert call.counts == tuple(
                1 + sum(fp in record for record in last) for fp in call.fingerprints
            )
            history.append(call.fingerprints)
            open_calls.append(key)
        elif open_calls:
            number = open_calls.pop(event[1] % len(open_calls))
            settled = ungated.result(number, event[2])
            assert settled == other.result(number, event[2])
            if settled is None:
                assert event[2].text.startswith("REPEAT_TOOL_BLOCKED")
                continue
            results.append((settled.fingerprints, settled.failure is not None))
            for fp, streak in zip(settled.fingerprints, settled.streaks, strict=True):
                run = 0
                for carried, bad in reversed(results):
                    if fp in carried:
                        if not bad:
                            break
                        run += 1
                assert streak == run


def test_ungated_leaves_untracked_tools_alone() -> None:
    ungated = UngatedBreaker(config_of())
    assert ungated.call(1, *tool("todo_write")) is None
    assert ungated.result(1, BROKEN) is None
    ungated.call(2, *shell("ls"))
    assert ungated.result(2, Outcome("", True, synthetic=True)) is None
    assert ungated.result(2, BROKEN) is not None
