"""Hypothesis strategies for reasoning text, piece cuts and settings, and plain prose."""

import random

from hypothesis import strategies as st

from dsh_calibrate.guards.reasoning_loop.config import Config

WORDS = (  # noqa: SIM905
    "parser stack token window frame graph session cache result shape border column offset "
    "review commit branch thread socket buffer record stream detail option market garden "
    "river copper yellow simple number figure letter pencil silver winter summer autumn"
).split()


def prose(length, seed=1, words=WORDS):
    """Return varied sentences of exactly ``length`` characters that end in a letter."""
    pick = random.Random(seed)
    text = ""
    while len(text) < length:
        sentence = " ".join(pick.choice(words) for _ in range(pick.randint(5, 12)))
        text += f"{sentence.capitalize()} {pick.randint(10, 9999)}. "
    return text[: length - 1] + "x"


def cut(text, size):
    """Return ``text`` in pieces of ``size`` UTF-16 units; pairs may be cut in two."""
    data = text.encode("utf-16-le", "surrogatepass")
    return [
        data[start : start + 2 * size].decode("utf-16-le", "surrogatepass")
        for start in range(0, len(data), 2 * size)
    ]


_fragments = st.one_of(
    st.sampled_from(
        [
            "Let me write. Go. OK. ", "好。写。执行。\n", "继续", "\n", "\n\n", "\r\n",
            "- item one two\n", "if (value) {\n", "</p>\n",
            "| 7 | 0.00 | 0.00 |\n", "────", "😀", "🫨", "⚠️ ", "👨‍👩‍👧 ",
            "\ud83d", "\ude00", "𠮷野家", "कि की ", "e\u0301", "\u200b",
            "\ufeff", "\u2028", "…", "a", "    return result\n",
            "+        same diff row here\n", "same diff row here\n", "___",
            "The border is fine now\n", "𝟘", "\x1f", "\x85", "Ａ", "é",
            "0123456789",
        ]
    ),
    st.integers(0, 500).map(lambda seed: prose(40, seed)),
    st.integers(0, 500).map(lambda seed: prose(150, seed)),
    st.text(max_size=30),
    st.text(alphabet="ab.\n", min_size=1, max_size=20),
    st.text(alphabet="\ud83d\ude00\U0001f600\U00020bb7x", max_size=8),
)  # fmt: skip

_stretches = st.tuples(
    st.lists(_fragments, min_size=1, max_size=6), st.sampled_from((1, 1, 1, 2, 3, 4, 5, 9, 30))
).map(lambda stretch: "".join(stretch[0]) * stretch[1])

texts = st.lists(_stretches, min_size=1, max_size=8).map("".join)

sizes = st.lists(st.sampled_from((1, 2, 3, 7, 16, 40, 90, 200, 900)), min_size=1, max_size=12)


def cut_by(text, sizes):
    """Return ``text`` cut into pieces whose sizes follow ``sizes`` round and round."""
    data = text.encode("utf-16-le", "surrogatepass")
    pieces, start, turn = [], 0, 0
    while start < len(data):
        size = 2 * sizes[turn % len(sizes)]
        pieces.append(data[start : start + size].decode("utf-16-le", "surrogatepass"))
        start += size
        turn += 1
    return pieces


@st.composite
def configs(draw):
    """Small settings, so that short texts reach every rule; all of them pass the checks."""
    window = draw(st.sampled_from((64, 100, 256, 700, 4096)))
    min_period = draw(st.sampled_from((2, 3, 8, 11)))
    max_period = draw(
        st.sampled_from((min_period + 1, min_period + 9, 40)).filter(lambda n: n > min_period)
    )
    block_min, block_count = draw(
        st.sampled_from(
            ((2, 2), (5, 3), (10, 6), (25, 2), (30, 2), (32, 2), (100, 4), (64, 3))
        ).filter(lambda pair: pair[0] * pair[1] <= window)
    )
    return Config(
        min_chars=draw(st.sampled_from((0, 1, 50, 300))),
        every=draw(st.sampled_from((16, 17, 40, 200))),
        window=window,
        kgram=draw(st.sampled_from((8, 24, 30, 33, 64))),
        kgram_threshold=draw(st.sampled_from((2, 3, 6, 12, 1000))),
        period_tail=draw(
            st.sampled_from((2 * max_period + 64, 128, 1200)).filter(lambda n: n >= 2 * max_period)
        ),
        min_period=min_period,
        max_period=max_period,
        min_units=draw(st.sampled_from((2, 3, 4, 7, 1000))),
        block_min=block_min,
        block_count=block_count if draw(st.booleans()) else max(block_count, window // block_min),
        line_min=draw(st.sampled_from((2, 4, 10))),
        line_count=draw(st.sampled_from((2, 3, 4, 1000))),
        line_share=draw(st.sampled_from((0, 0.05, 0.1, 0.3, 1))),
        filler_run=draw(st.sampled_from((2, 5, 20, 60, 1000))),
    )
