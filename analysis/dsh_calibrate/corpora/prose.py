"""Made-up reasoning prose that repeats no sentence soon, the same for the same seed."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

_OPENINGS = (
    "The parser", "The cache layer", "This handler", "The second branch", "The retry loop",
    "Our schema", "The config loader", "The failing test", "The date column", "The worker",
    "The index builder", "The upload step", "The session store", "The diff view", "The router",
)  # fmt: skip
_VERBS = (
    "drops", "rounds", "ignores", "copies", "rejects", "reorders", "keeps", "truncates",
    "escapes", "duplicates", "delays", "merges", "skips", "validates", "rebuilds",
)  # fmt: skip
_OBJECTS = (
    "empty rows", "the trailing slash", "negative offsets", "the first header", "stale tokens",
    "unicode names", "the last page", "nested lists", "every second record", "late replies",
    "the default locale", "relative paths", "zero widths", "closed handles", "missing keys",
)  # fmt: skip
_REASONS = (
    "because the limit is read too early", "while the lock is held by another caller",
    "unless the flag was set at start", "so the total comes out one short",
    "which only shows with two workers", "although the docs promise the opposite",
    "and that explains the odd timestamp", "before the migration has finished",
    "when the input has no final newline", "as the old release did on purpose",
    "which the fixture never covers", "so a small guard there is enough",
)  # fmt: skip
_STEPS = (
    "I will check", "Next comes", "Worth testing:", "First look at", "A fix could start with",
    "The report mentions", "Nobody else calls", "It is safe to rename", "Let us compare",
)  # fmt: skip


def pick(random: Random, choices: Sequence[str]) -> str:
    """Choose one; uses only ``random()``, which is alike in every Python release."""
    return choices[int(random.random() * len(choices))]


def prose(random: Random, characters: int) -> str:
    """Return at least ``characters`` characters of varied sentences, one to three a line."""
    lines: list[str] = []
    length = 0
    number = 10
    while length < characters:
        sentences: list[str] = []
        for _ in range(1 + int(random.random() * 3)):
            number += 1 + int(random.random() * 7)
            sentences.append(
                f"{pick(random, _OPENINGS)} {pick(random, _VERBS)} {pick(random, _OBJECTS)} "
                f"{pick(random, _REASONS)}; {pick(random, _STEPS)} line {number}."
            )
        lines.append(" ".join(sentences))
        length += len(lines[-1]) + 1
    return "\n".join(lines) + "\n"
