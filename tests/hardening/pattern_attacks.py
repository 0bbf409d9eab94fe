"""Adversarial texts made from a pattern itself, and a measure of how work grows with length."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

SHORT, LONG = 2_000, 12_000
"""Characters. Work that grows with the square grows 36 times from one to the other."""

FAST = 0.012
"""Seconds of processor time for LONG that nothing quadratic is done in."""

STEEPEST = 18
"""Growth from SHORT to LONG that is not linear any more (which is 6)."""

_CATEGORIES = {
    sre.CATEGORY_DIGIT: "7",
    sre.CATEGORY_NOT_DIGIT: "x",
    sre.CATEGORY_SPACE: " ",
    sre.CATEGORY_NOT_SPACE: "x",
    sre.CATEGORY_WORD: "x",
    sre.CATEGORY_NOT_WORD: "-",
}
_GENERIC = list(" \tax0-\"'\\/.,{[(<\n")


def alphabet(pattern: Any) -> tuple[list[str], list[str]]:
    """Characters that the pattern tells apart, and its runs of literal characters."""
    source = pattern.pattern
    text = source.decode("latin-1") if isinstance(source, bytes) else source
    try:
        tree = parser.parse(text, 0 if isinstance(source, str) else pattern.flags & ~32)
    except Exception:  # a pattern of the regex module
        return _GENERIC, []
    found: dict[str, None] = {}
    words: list[str] = []
    _walk(tree, found, words)
    return list(found)[:14] or ["x"], [word for word in words if len(word) > 1][:6]


def _walk(tree: Any, found: dict[str, None], words: list[str]) -> None:
    word = ""
    for operation, argument in tree:
        if operation is sre.LITERAL:
            word += chr(argument)
            found[chr(argument)] = None
            continue
        if word:
            words.append(word)
            word = ""
        if operation is sre.NOT_LITERAL:
            found["x" if argument != ord("x") else "y"] = None
        elif operation is sre.ANY:
            found["x"] = None
        elif operation is sre.IN:
            for kind, value in argument:
                if kind is sre.LITERAL:
                    found[chr(value)] = None
                elif kind is sre.RANGE:
                    found[chr(value[0])] = None
                elif kind is sre.CATEGORY:
                    found[_CATEGORIES.get(value, "x")] = None
                elif kind is sre.NEGATE:
                    found["x"] = found["~"] = None
        else:
            for part in argument if isinstance(argument, tuple | list) else (argument,):
                if isinstance(part, parser.SubPattern):
                    _walk(part, found, words)
                elif isinstance(part, list):
                    for member in part:
                        if isinstance(member, parser.SubPattern):
                            _walk(member, found, words)
    if word:
        words.append(word)


def attacks(pattern: Any) -> Iterator[Callable[[int], Any]]:
    """Texts of about ``n`` characters each: runs, pairs, repeated prefixes, near misses."""
    characters, words = alphabet(pattern)
    is_bytes = isinstance(pattern.pattern, bytes)
    units = [*characters, *words]
    units += ["".join(pair) for pair in itertools.permutations(characters[:4], 2)]
    units += [word + one for word in words[:3] for one in characters[:3]]
    made = [("", unit) for unit in units]
    made += [(word, one) for word in words[:3] for one in characters[:5]]
    made += [("".join(characters), one) for one in characters[:4]]
    for head, unit in made:

        def text(n: int, head: str = head, unit: str = unit) -> Any:
            whole = head + unit * (n // len(unit)) + "\x01"
            return whole.encode("latin-1", "replace") if is_bytes else whole

        yield text


def worst(
    run: Callable[[Any], object],
    texts: Iterator[Callable[[int], Any]],
    short_of: int = SHORT,
    long_of: int = LONG,
) -> tuple[float, str]:
    """The steepest growth from SHORT to LONG among texts that take any time, and its text."""
    steepest, of = 0.0, ""
    for text in texts:
        long = text(long_of)
        took = _seconds(run, long)
        if took < FAST:
            continue
        short = text(short_of)
        base = _seconds(run, short)
        if took / max(base, 1e-6) >= STEEPEST:  # perhaps by chance: look again
            took = min(took, *(_seconds(run, long) for _ in range(2)))
            base = max(base, *(_seconds(run, short) for _ in range(2)))
            if took < FAST:
                continue
        if took / max(base, 1e-6) > steepest:
            steepest, of = took / max(base, 1e-6), repr(short[:40])
        if steepest >= STEEPEST:
            break  # enough is known, and the others would take as long
    return steepest, of


def _seconds(run: Callable[[Any], object], text: Any) -> float:
    began = time.process_time()
    run(text)
    return time.process_time() - began
