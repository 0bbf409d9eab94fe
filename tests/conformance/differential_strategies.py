"""Hypothesis strategies: commands, raw arguments, results, whole sessions.

They mix free text with the made-up grammar of ``conformance.generated_*``, driven by a
random source that Hypothesis controls and shrinks.
"""

from __future__ import annotations

import json

from hypothesis import strategies as st

from dsh_calibrate.conformance import generated_calls, generated_commands, generated_sessions

randoms = st.randoms(use_true_random=False)

_SPECIAL = "'\"\\ \t\n|&;<>$`(){}[]=-/.:?#%@,*~!\u00a0\u2028\ufeff\x1c\x85\ud83d\U0001f600é"
texts = st.text(st.one_of(st.sampled_from(_SPECIAL), st.characters()), max_size=40)

_pieces = st.sampled_from(
    ["curl ", "https://", "http://", "example.org", "[::1]", "-o ", "> ", ">>", "| tee ", "sudo ",
     "timeout 5 ", "A=1 ", "--max-time=3 ", "-sS ", "/dev/null", "?utm_a=1&b=2", "127.0.0.1:80/",
     "'", '"', "\\", " ", "\n", "www.", "..", "%2f"]
)  # fmt: skip
commands = st.one_of(
    randoms.map(generated_commands.command),
    st.lists(st.one_of(_pieces, texts), max_size=12).map("".join),
)

_numbers = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers().map(str),
    st.sampled_from(["-0", "1E400", "1e-7", "0.1e1", "100000000000000000000000"]),
)
_strings = st.one_of(
    st.text(max_size=8).map(json.dumps),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6).map(
        lambda text: json.dumps(text, ensure_ascii=False)
    ),
    st.sampled_from(['"\\ud83d"', '"\\uDE00\\uD83D"', '"\\/"', '"__proto__"', '"10"', '"9"']),
)


def _object(members):
    return "{" + ",".join(f"{key}: {value}" for key, value in members) + "}"


json_texts = st.recursive(
    st.one_of(st.sampled_from(["null", "true", "false", "{}", "[]"]), _numbers, _strings),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"[{','.join(items)}]"),
        st.lists(st.tuples(_strings, inner), max_size=4).map(_object),
    ),
    max_leaves=12,
)

arguments = st.one_of(
    commands.map(lambda command: json.dumps({"command": command})),
    st.builds(
        lambda key, value: json.dumps({key: value}), st.sampled_from(["url", "href", "uri"]), texts
    ),
    json_texts,
    texts,
)
tools = st.one_of(st.sampled_from(generated_calls.TOOLS), st.text(max_size=5))
results = st.one_of(
    randoms.map(generated_calls.result),
    st.builds(lambda text: {"text": text, "isError": False}, texts),
)
rows = randoms.map(generated_sessions.row)


@st.composite
def sessions(draw):
    """Few different calls, many times over; results in any order, some never."""
    pool = draw(st.lists(st.tuples(tools, arguments), min_size=1, max_size=3))
    outcomes = draw(st.lists(results, min_size=1, max_size=4))
    events, waiting = [], []
    for number in range(draw(st.integers(1, 25))):
        tool, raw = draw(st.sampled_from(pool))
        approve = draw(st.booleans())
        call = {"kind": "call", "id": f"c{number}", "tool": tool, "arguments": raw}
        events.append({**call, "approve": approve})
        waiting.append(f"c{number}")
        while waiting and draw(st.integers(0, 5)):
            place = draw(st.integers(0, len(waiting) - 1))
            outcome = draw(st.sampled_from(outcomes))
            events.append({"kind": "result", "id": waiting.pop(place), **outcome})
        if not draw(st.integers(0, 15)):
            events.append({"kind": draw(st.sampled_from(["human", "notice", "begin"]))})
    return generated_sessions.with_sites(events)
