"""Field cases C72 and C90 to C107: live verdicts on invented texts."""

import random

import pytest
from reasoning_texts import cut, prose

from dsh_calibrate.guards.reasoning_loop.config import Config, configure
from dsh_calibrate.guards.reasoning_loop.detector import Detector


def verdict(text, size=40):
    pieces = cut(text, size) if size else [text]
    fired = Detector(Config()).feed_many(pieces)
    return fired[1] if fired else None


def lines_of(make, count=30):
    return "".join(make(number) for number in range(count))


def varying(number):
    return prose(30 + number % 7, 900 + number).replace(".", ",")


MARKERS = ["（输出）", "（生成）", "（工具调用）", "（好。）", "（执行）", "（开始）", "（写）"]
PHRASES = ["Writing.", "Let me write.", "Go.", "Now.", "OK."]
SENTENCES = [prose(149, seed) for seed in range(6)]
THOUGHT = "\n".join(SENTENCES)


def drawn(choices, count, joint):
    """Return ``count`` draws, never the same twice in a row."""
    pick = random.Random(5)
    drawn_ones = [choices[0]]
    while len(drawn_ones) < count:
        drawn_ones.append(pick.choice([one for one in choices if one != drawn_ones[-1]]))
    return joint.join(drawn_ones)


def letter_unit(length, seed):
    pick = random.Random(seed)
    return "".join(pick.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(length))


QUIET = {
    "C72 deltas only": (THOUGHT, 40),
    "C91 rotating markers": (drawn(MARKERS, 400, "\n"), 40),
    "C92 phrases on one line": (drawn(PHRASES, 4000, " "), 40),
    "C94 a run of 399": (prose(1000) + "\n" + "─" * 398, 0),
    "C94 finished box": (prose(1000) + "\n" + ("─" * 150 + "\n") * 4 + "All of that is drawn.", 0),
    "C95 250 emoji are 500 units": (prose(1000) + "😀" * 250, 0),
    "C96 emoji no longer at the tail": (prose(1000) + "⚠️" * 40 + prose(1400, 2), 40),
    "C99 quoted code and diff rows": (
        "\n".join(SENTENCES[:4])
        + "\nif (evt.isTouch()) {" * 3
        + "\n-        if (evt.isTouch()) {\n+        if (evt.isTouch()) {\n"
        + prose(300, 77),
        40,
    ),
    "C100 minus bullets": (
        lines_of(lambda n: f"- Let me write the config file\n{varying(n)}\n"),
        40,
    ),
    "C100 plus bullets": (
        lines_of(lambda n: f"+ Let me write the config file\n{varying(n)}\n"),
        40,
    ),
    "C101 prefix under 100": (
        lines_of(
            lambda n: f"projects/demo-project-1234/locations/us-central1/services/{varying(n)}\n"
        ),
        40,
    ),
    "C102 short lists": (prose(900) + "[0, 0, 0, 0]\n" * 12, 40),
    "C102 running table": (
        lines_of(lambda n: f"| {n * 7919 % 997} {varying(n)} | 0.00 | 0.00 | 0.00 |\n", 60),
        40,
    ),
    "C104 below minChars": (("Go. OK. Emit. " * 60)[:799], 40),
    "C105 carriage returns": (
        lines_of(lambda n: f"Let me write the answer now\r{varying(n)}\r"),
        40,
    ),
    "C105 line separators": (
        lines_of(lambda n: f"Let me write the answer now\u2028{varying(n)}\u2028"),
        40,
    ),
    "C107 tic in healthy work": (
        lines_of(lambda n: "Let me write.\n" if n % 10 == 0 else prose(70, n) + "\n", 170),
        40,
    ),
}

FIRES = {
    "C72 deltas, block end and message": (
        "\n".join([THOUGHT] * 3), 0, {"rule": "line-repeat", "count": 3},
    ),
    "C90 short cycle": (
        "好。写。执行。\n" * 300, 40,
        {"rule": "periodic-run", "at_utf16": 800, "period": 8, "units": 50},
    ),
    "C90 one word": ("继续。" * 500, 40, {"rule": "periodic-run", "period": 8, "at_utf16": 800}),
    "C92 phrases on lines": (
        drawn(PHRASES, 4000, "\n"), 40,
        {"rule": "line-repeat", "at_utf16": 800, "preview": "Letmewrite"},
    ),
    "C93 punctuation only": (
        "?!" * 14_924, 40, {"rule": "filler-run", "at_utf16": 800, "count": 800},
    ),
    "C94 the newline counts": (
        prose(1000) + "\n" + "─" * 399, 0,
        {"rule": "filler-run", "count": 400, "preview": "\n" * 40},
    ),
    "C94 one more": (prose(1000) + "\n" + "─" * 400, 0, {"rule": "filler-run", "count": 401}),
    "C95 400 emoji": (prose(1000) + "😀" * 400, 0, {"rule": "filler-run", "count": 400}),
    "C96 selectors stay": (
        "⚠️ " * 600, 40, {"rule": "periodic-run", "at_utf16": 800, "preview": "\ufe0f" * 8},
    ),
    "C96 joiners stay": ("👨‍👩‍👧 " * 400, 40, {"rule": "periodic-run", "preview": "\u200d" * 8}),
    "C96 check marks": ("✅ " * 600, 40, {"rule": "filler-run", "at_utf16": 800}),
    "C96 flags": ("🇨🇳" * 300, 40, {"rule": "filler-run", "count": 400}),
    "C97 vowel signs stay": (
        prose(900) + "कि की कु के " * 60, 0, {"rule": "periodic-run", "preview": "किकीकुके"},
    ),
    "C98 a symbol of 2022": (
        "🫨" * 500, 40, {"rule": "filler-run", "at_utf16": 800, "count": 400},
    ),
    "C100 star bullets": (
        lines_of(lambda n: f"* Let me write the config file\n{varying(n)}\n"), 40,
        {"rule": "line-repeat", "at_utf16": 800},
    ),
    "C100 numbers": (
        lines_of(lambda n: f"1. Let me write the config file\n{varying(n)}\n"), 40,
        {"rule": "line-repeat", "at_utf16": 800},
    ),
    "C100 no sign": (
        lines_of(lambda n: f"Let me write the config file\n{varying(n)}\n"), 40,
        {"rule": "line-repeat", "at_utf16": 800},
    ),
    "C101 long shared prefix": (
        lines_of(
            lambda n: "organizations/887766554433/folders/112233445566/projects/demo-analytics-"
            "sandbox-0042/locations/us-central1-extended/workspaces/shared/services/"
            f"{prose(20, n)}\n"
        ),
        40, {"rule": "block-repeat", "at_utf16": 800},
    ),
    "C102 null objects": (
        prose(900) + '{"a": null, "b": null}\n' * 12, 0,
        {"rule": "periodic-run", "period": 10},
    ),
    "C103 pieces of 40": (
        prose(1000) + "Let me write. Go. " * 30 + prose(1140, 9), 40,
        {"rule": "periodic-run", "at_utf16": 1200},
    ),
    "C103 pieces of 1000": (
        prose(1000) + "Let me write. Go. " * 30 + prose(1140, 9), 1000,
        {"rule": "block-repeat", "at_utf16": 2000},
    ),
    "C103 one piece": (
        prose(1000) + "Let me write. Go. " * 30 + prose(1140, 9), 0,
        {"rule": "block-repeat", "at_utf16": 2680},
    ),
    "C104 at minChars": (("Go. OK. Emit. " * 60)[:800], 40, {"at_utf16": 800}),
    "C104 too long for a period": (
        letter_unit(401, 1) * 8, 40, {"rule": "block-repeat", "at_utf16": 1400},
    ),
    "C104 300 x 4": (letter_unit(300, 2) * 4, 40, {"at_utf16": 1000, "rule": "block-repeat"}),
    "C104 the doubled unit": ("abcdefg" * 200, 40, {"rule": "periodic-run", "period": 14}),
    "C104 ties keep the shorter": ("ab" * 600, 40, {"rule": "periodic-run", "period": 8}),
    "C105 newlines": (
        lines_of(lambda n: f"Let me write the answer now\n{varying(n)}\n"), 40,
        {"rule": "line-repeat", "at_utf16": 800},
    ),
    "C105 carriage return and newline": (
        lines_of(lambda n: f"Let me write the answer now\r\n{varying(n)}\r\n"), 40,
        {"rule": "line-repeat", "at_utf16": 800},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "size"), QUIET.values(), ids=QUIET)
def test_stays_quiet(text, size):
    assert verdict(text, size) is None


@pytest.mark.parametrize(("text", "size", "expected"), FIRES.values(), ids=FIRES)
def test_fires(text, size, expected):
    found = verdict(text, size)
    assert found is not None
    assert {key: getattr(found, key) for key in expected} == expected


@pytest.mark.parametrize(("after", "fires"), [(0, True), (60, False)])
def test_a_run_counts_only_where_it_is_judged(after, fires):
    """C103: a run of one letter fires only when a judge point falls right after it."""
    found = verdict(prose(936) + "A" * 64 + prose(200, 3), 40)
    moved = verdict(prose(936 + after) + "A" * 64 + prose(200, 3), 40)
    assert found is not None
    assert (moved is not None) is fires


def test_composed_and_decomposed_letters_differ():
    """C97: marks are kept, so the two spellings of one line are two lines."""
    decomposed = lines_of(lambda n: f"le cafe\u0301 est ferme\u0301\n{prose(60, n)}\n", 2)
    composed = lines_of(lambda n: f"le café est fermé\n{prose(60, n + 9)}\n", 2)
    text = decomposed + composed + prose(600, 50)
    config = configure({"lineCount": 3, "lineShare": 0})
    assert Detector(config).feed(text) is None
    fired = Detector(config).feed(text.replace("e\u0301", "é"))
    assert fired is not None
    assert (fired.rule, fired.count) == ("line-repeat", 4)


@pytest.mark.parametrize(
    ("mark", "rule"),
    [
        *((kept, "periodic-run") for kept in "\u200b\x85\x1f"),
        *((stripped, "filler-run") for stripped in "\ufeff\xa0\u3000"),
    ],
)
def test_what_is_white_space(mark, rule):
    """C97: zero-width space, NEL and the separators of ASCII stay; JavaScript's spaces go."""
    fired = Detector(Config()).feed(mark * 900)
    assert fired is not None
    assert fired.rule == rule
