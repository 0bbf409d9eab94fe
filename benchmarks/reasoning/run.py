"""The reasoning detector against the literal rules in Node, on the same healthy text.

    python benchmarks/reasoning/run.py [TEXTS.json] [--rounds 5]

TEXTS.json is an array of strings or of objects with ``text``; without it, prose is made up.
Both sides get the same pieces, already cut; reading and cutting are not timed. Each round
runs both, one after the other; the medians and their ratio are printed.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.studies.reasoning_texts import cut, read_texts

PIECES = (8, 40)
LITERAL = Path(__file__).with_name("literal_rules.mjs")
VOWELS, CONSONANTS = "aeiou", "bcdfghjklmnprstvwz"


def invented(streams: int = 60, length: int = 7000) -> list[str]:
    """Return streams of prose over an invented vocabulary, with line breaks and lists."""
    pick = random.Random(177)
    words = [
        "".join(
            pick.choice(CONSONANTS) + pick.choice(VOWELS)
            for _ in range(pick.choice((1, 2, 2, 3, 4)))
        )
        for _ in range(3000)
    ]
    texts = []
    for _ in range(streams):
        text = ""
        while len(text) < length:
            sentence = " ".join(pick.choices(words, k=pick.randint(6, 18)))
            text += pick.choice(("", "", "- ", "\n")) + sentence + pick.choice((". ", ".\n", ", "))
        texts.append(text[:length])
    return texts


def literal_round(file: Path, piece: int) -> tuple[float, int]:
    """Return the seconds and the fires of one round in Node."""
    command = ["node", str(LITERAL), str(file), str(piece), "1"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = json.loads(output)
    return found["seconds"][0], found["fires"]


def our_round(streams: list[list[str]], *, one_by_one: bool) -> tuple[float, int]:
    """Return the seconds and the fires of one round of the detector."""
    config = Config()
    started = time.perf_counter()
    fires = 0
    for pieces in streams:
        detector = Detector(config)
        if one_by_one:
            fires += sum([detector.feed(piece) is not None for piece in pieces])
        else:
            fires += detector.feed_many(pieces) is not None
    return time.perf_counter() - started, fires


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("texts", nargs="?", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="pieces of 8 alone, every round")
    options = parser.parse_args()
    texts = read_texts(options.texts) if options.texts else invented()
    size = sum(map(len, texts)) / 1e6
    if not options.json:
        print(f"{len(texts)} streams, {size:.2f} million characters, {options.rounds} rounds")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(texts))
        for piece in PIECES[:1] if options.json else PIECES:
            streams = [cut(text, piece) for text in texts]
            literal, batched, single = [], [], []
            for _ in range(options.rounds):
                literal.append(literal_round(file, piece))
                batched.append(our_round(streams, one_by_one=False))
                single.append(our_round(streams, one_by_one=True))
            if len({fires for _, fires in (*literal, *batched, *single)}) != 1:
                sys.exit("the two sides do not agree on what fires")
            if options.json:
                told = {"literal": literal, "feed_many": batched, "feed": single}
                seconds = {name: [spent for spent, _ in rounds] for name, rounds in told.items()}
                print(json.dumps({"megabytes": size, **seconds}))
                continue
            slow = statistics.median(seconds for seconds, _ in literal)
            print(f"pieces of {piece}: literal rules in Node {slow:.3f} s ({size / slow:.2f} MB/s)")
            for name, rounds in (("feed_many", batched), ("feed", single)):
                ours = statistics.median(seconds for seconds, _ in rounds)
                print(f"  {name:9} {ours:.4f} s ({size / ours:.1f} MB/s), ratio {slow / ours:.0f}x")


if __name__ == "__main__":
    main()
