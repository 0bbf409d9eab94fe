"""Every guard alone, fed with any events in any order: none raises, all are deterministic."""

from __future__ import annotations

from itertools import pairwise

from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from session_strategies import ABSURD, COMMANDS, TOOLS
from time_limits import within

from dsh_calibrate.guards.circuit_breaker import config as circuit
from dsh_calibrate.guards.circuit_breaker.breaker import CircuitBreaker
from dsh_calibrate.guards.reasoning_loop import config as reasoning
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.guards.repeat_reminder import config as reminder
from dsh_calibrate.guards.repeat_reminder.reminder import Reminder
from dsh_calibrate.guards.repeat_tool_breaker import config as breaker
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.javascript import utf16

SECONDS = 30
HOSTILE = [
    *ABSURD,
    "[" * 10_000,
    '{"a":' * 10_000,
    '{"a":' + "9" * 5000 + "}",
    '{"a":1e999,"b":-0,"a":[-0,0.0,1e-400]}',
    '{"command":"' + "\\u0000" * 2000 + '"}',
    '{"command":"' + "echo a; " * 3000 + '"}',
    '{"command":"' + "'" * 3001 + '"}',
    '{"command":"' + "$(" * 3000 + '"}',
    '{"command":"curl http://h.example.org/' + "%ff" * 2000 + '"}',
    '{"command":"curl http://[::1]:0/ http://\\ud800.example.org"}',
    '{"command":5}',
    '{"command":["a"]}',
    '{"url":"http://h.example.org/?' + "a=b&" * 2000 + '"}',
    '{"\\ud800":"\\udc00","":{}}',
    "[exit code: " * 5000,
    "[killed by signal: " * 5000,
    " " * 20_000 + "HTTP Error 404",
    "\n" * 20_000 + "AError: x",
]
TEXTS = st.sampled_from(HOSTILE) | st.text(
    st.characters(codec=None, exclude_categories=()), max_size=30
)
ARGUMENTS = TEXTS | COMMANDS.map(lambda command: '{"command":"' + command[:9] + '"}')
KEYS = st.integers(-1, 4)
EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("call"), KEYS, TOOLS | TEXTS, ARGUMENTS, st.booleans()),
        st.tuples(st.just("call"), KEYS, st.just("bash"), ARGUMENTS, st.booleans()),
        st.tuples(
            st.just("result"),
            KEYS,
            TEXTS,
            st.booleans(),
            st.none() | TEXTS,
            st.none() | st.sampled_from([0.0, 404.0, -1.0, float("inf"), 1e300, 399.5]),
        ),
        st.just(("human",)),
    ),
    max_size=14,
)
STRICT = {"limits": {"exact": 2, "cmd": 2, "net": 2}, "failLimit": 2, "warnAt": 2}


def play_breaker(events: list, row: dict, profile: str, memo: Memo | None) -> list:
    config = breaker.configure({**STRICT, **row}, PROFILES[profile])
    guard = Breaker(config, enforce_shell_http=True, memo=memo)
    said = []
    for event in events:
        match event:
            case ("call", key, tool, arguments, approve):
                said.append(guard.refuses_shell_http(tool, arguments))
                said.append(guard.call(key, tool, arguments, approve=approve))
            case ("result", key, text, is_error, code, status):
                outcome = Outcome(text, is_error, code, code, status)
                said.append(guard.result(key, outcome))
            case _:
                guard.human()
    said.append(guard.snapshot())
    return said


def play_circuit_breaker(events: list) -> list:
    guard = CircuitBreaker(circuit.configure({"maxFailures": 1}))
    said: list = []
    for event in events:
        match event:
            case ("call", key, tool, arguments, _):
                said.append((guard.chain_of(tool, arguments), guard.call(key, tool, arguments)))
            case ("result", key, text, is_error, *_):
                guard.result(key, is_error, text)
            case _:
                guard.human()
    return said


def play_reminder(events: list) -> list:
    guard = Reminder(reminder.configure({"thresholds": [2]}))
    said = []
    for event in events:
        match event:
            case ("call", key, tool, arguments, _):
                guard.call(key, tool, arguments)
            case ("result", key, *_):
                said.append(guard.result(key))
            case _:
                guard.human()
    return said


@settings(max_examples=examples(60))
@given(EVENTS, st.sampled_from(["ask", "deny"]), st.sampled_from(sorted(PROFILES)))
def test_the_breaker_takes_anything(events: list, on_limit: str, profile: str) -> None:
    memo = Memo()
    with within(SECONDS):
        first = play_breaker(events, {"onLimit": on_limit}, profile, memo)
        again = play_breaker(events, {"onLimit": on_limit}, profile, None)
    assert repr(first) == repr(again)


@settings(max_examples=examples(40))
@given(EVENTS)
def test_the_circuit_breaker_takes_anything(events: list) -> None:
    with within(SECONDS):
        assert play_circuit_breaker(events) == play_circuit_breaker(events)


@settings(max_examples=examples(40))
@given(EVENTS)
def test_the_reminder_takes_anything(events: list) -> None:
    with within(SECONDS):
        assert play_reminder(events) == play_reminder(events)


PROSE = st.lists(
    st.sampled_from(
        ["Wait, no. ", "Let me see.\n", "🙂", "世界 ", "\ud83d", "\udc00", "a", "\u2028", "}{;\n"]
    )
    | st.text(max_size=6),
    max_size=10,
).flatmap(lambda parts: st.integers(1, 20).map(lambda times: "".join(parts) * times))
CONFIGS = st.sampled_from(
    [
        {},
        {"minChars": 0, "every": 16, "window": 64, "periodTail": 64, "maxPeriod": 9},
        {"minChars": 100, "every": 50, "blockMin": 10, "blockCount": 3, "lineCount": 3},
    ]
)


def config_of(row: dict) -> reasoning.Config:
    if row.get("window") == 64:
        row = row | {"kgram": 8, "blockMin": 4, "minUnits": 4, "lineMin": 2, "fillerRun": 9}
    return reasoning.configure(row)


def fed(config: reasoning.Config, pieces: list[str]) -> tuple[object, int]:
    """The verdict, piece by piece, and the length seen."""
    detector = Detector(config)
    found = [verdict for piece in pieces if (verdict := detector.feed(piece)) is not None]
    assert len(found) <= 1
    return found, detector.total


def marks(text: str, config: reasoning.Config) -> list[int]:
    """Where a stream of single characters is judged (characters from its start)."""
    total, due, found = 0, config.min_chars, []
    for place, character in enumerate(text, 1):
        total += utf16.length(character)
        if total >= due:
            due = total + config.every
            found.append(place)
    return found


@settings(max_examples=examples(60))
@given(PROSE, CONFIGS, st.lists(st.integers(0, 400), max_size=12))
def test_the_detector_does_not_care_how_pieces_arrive(
    text: str, row: dict, cuts: list[int]
) -> None:
    """One call a piece, or many pieces in one call: the same verdict after the same piece."""
    config = config_of(row)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    pieces = [text[one:other] for one, other in pairwise(places)]
    with within(SECONDS):
        detector = Detector(config)
        one_by_one = [detector.feed(piece) for piece in pieces]
        fired = [(n, verdict) for n, verdict in enumerate(one_by_one) if verdict is not None]
        for size in (1, 3, len(pieces) or 1):
            many = Detector(config)
            found: list = []
            for start in range(0, len(pieces), size):
                said = many.feed_many(pieces[start : start + size])
                found += [] if said is None else [(start + said[0], said[1])]
            assert found == fired
            assert many.total == detector.total == utf16_of(pieces)


def utf16_of(pieces: list[str]) -> int:
    return sum(map(utf16.length, pieces))


@settings(max_examples=examples(60))
@given(PROSE, CONFIGS, st.lists(st.integers(0, 400), max_size=8))
def test_the_detector_does_not_care_where_text_is_cut_between_judge_points(
    text: str, row: dict, cuts: list[int]
) -> None:
    """The guard judges after pieces (guards.md 4), so a cutting may say *when* it judges; where
    that is the same, the verdict is the same for every cutting that keeps characters whole."""
    config = config_of(row)
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    judged = marks(text, config)
    places = sorted({0, len(text), *judged, *(cut % (len(text) + 1) for cut in cuts)})
    pieces = [text[one:other] for one, other in pairwise(places)]
    with within(SECONDS):
        assert fed(config, pieces) == fed(config, list(text))
