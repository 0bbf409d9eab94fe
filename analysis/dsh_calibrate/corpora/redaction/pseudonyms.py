"""Pseudonyms: one for every word, never one for two, drawn with a key that is thrown away.

A pseudonym has the length of its word and, place by place, its kind of character. It
depends on the key and the word alone, save where two draws collide and the later word is
drawn again. No pseudonym of four letters or more is itself a word of the corpus, so that
whatever original word is found in a redacted log is a leak.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator

from dsh_calibrate.corpora.redaction import keep_list
from dsh_calibrate.corpora.redaction.alphabets import DIGITS, HEX, alphabet, ideographs

LONG = 4
"""Words from this length on must not survive anywhere."""

_TRIES = 4000
_RESERVED = re.compile(
    r"xn|fetch|search|browse|http|error|exception|[0-9]+[smhd]|[sflk]{1,6}", re.ASCII
)
_CLASSES = re.compile(r"fetch|search|browse|http|error|exception", re.ASCII)
_HEX_NUMBER = re.compile(r"0x[0-9a-f]+")
_PORT_LENGTH = 5
_LAST_PORT = 65535


class Pseudonyms:
    """The table of one corpus. ``vocabulary`` holds its words, lower case."""

    def __init__(self, key: bytes, vocabulary: frozenset[str] = frozenset()) -> None:
        self._key = key[:64]
        self._vocabulary = vocabulary
        self._known: dict[tuple[str, str], str] = {}
        self._used: set[tuple[str, str]] = set()
        self._ideographs: dict[tuple[int, int], dict[str, str]] = {}

    def word(self, word: str) -> str:
        """The pseudonym of a lower-case word: letters, or letters and digits."""
        return self._drawn("word", word, self._word_candidate, self._is_free)

    def number(self, digits: str) -> str:
        """The pseudonym of a run of digits: as long, zero in front where it had one."""
        return self._drawn("number", digits, self._number_candidate, self._is_free_number)

    def hexadecimal(self, digits: str) -> str:
        """The pseudonym of lower-case hexadecimal digits without leading zeros."""

        def candidate(text: str, draw: Iterator[int]) -> str:
            return HEX[1 + next(draw) % 15] + "".join(HEX[next(draw) % 16] for _ in text[1:])

        return self._drawn("hex", digits, candidate, lambda _new, _old: True)

    def other(
        self,
        space: str,
        text: str,
        candidate: Callable[[str, Iterator[int]], str],
    ) -> str:
        """A pseudonym drawn by ``candidate``, unique within ``space``."""
        return self._drawn(space, text, candidate, lambda _new, _old: True)

    def ideograph(self, character: str) -> str:
        """The character that stands for a Han or Kana character everywhere."""
        span = ideographs(character)
        assert span is not None
        table = self._ideographs.get(span)
        if table is None:
            table = self._ideographs[span] = self._shuffled(span)
        return table[character]

    def draw(self, space: str, text: str, attempt: int = 0) -> Iterator[int]:
        """An endless row of numbers below 2^16 that only the key, space and text decide."""
        seed = f"{space}\0{attempt}\0{text}".encode("utf-8", "surrogatepass")
        block = 0
        while True:
            digest = hashlib.blake2b(
                seed, key=self._key, salt=block.to_bytes(8, "big"), digest_size=64
            ).digest()
            yield from (digest[at] << 8 | digest[at + 1] for at in range(0, 64, 2))
            block += 1

    def _drawn(
        self,
        space: str,
        text: str,
        candidate: Callable[[str, Iterator[int]], str],
        is_free: Callable[[str, str], bool],
    ) -> str:
        known = self._known.get((space, text))
        if known is not None:
            return known
        for attempt in range(2 * _TRIES):
            new = candidate(text, self.draw(space, text, attempt))
            fits = is_free(new, text) or attempt >= _TRIES
            if fits and (space, new) not in self._used and not keep_list.is_kept(new):
                break
        else:
            new = self._next_free(space, text)
        self._known[space, text] = new
        self._used.add((space, new))
        return new

    def _next_free(self, space: str, text: str) -> str:
        """Where drawing found nothing (tiny alphabets, full classes): the first one left."""
        alphabets = [alphabet(c) for c in text]
        counter = [0] * len(text)
        while True:
            new = "".join(a[at] for a, at in zip(alphabets, counter, strict=True))
            if (space, new) not in self._used and not keep_list.is_kept(new):
                return new
            place = 0
            while place < len(counter) and counter[place] == len(alphabets[place]) - 1:
                counter[place] = 0
                place += 1
            if place == len(counter):
                return text
            counter[place] += 1

    def _is_free(self, new: str, _old: str) -> bool:
        if len(new) >= LONG and new in self._vocabulary:
            return False
        if new in keep_list.TOP_DOMAINS or _RESERVED.fullmatch(new):
            return False
        return _CLASSES.search(new) is None

    def _is_free_number(self, new: str, old: str) -> bool:
        if len(new) > _PORT_LENGTH:
            return new not in self._vocabulary
        return new != old and new.strip("0") != ""

    def _word_candidate(self, word: str, draw: Iterator[int]) -> str:
        if _HEX_NUMBER.fullmatch(word):
            return "0x" + "".join(HEX[next(draw) % 16] for _ in word[2:])
        if _is_repetitive(word):
            return self._substituted(word)
        out = []
        for place, character in enumerate(word):
            choice = alphabet(character)
            if character in DIGITS and not place:
                choice = "0" if character == "0" else "123456789"
            out.append(choice[next(draw) % len(choice)])
        return "".join(out)

    def _substituted(self, word: str) -> str:
        """A word that repeats itself, letter by letter, so that it still does."""
        table: dict[str, str] = {}
        for character in sorted(set(word)):
            choice = alphabet(character)
            draw = self.draw("letter", f"{character}\0{word}")
            taken = set(table.values())
            free = [c for c in choice if c not in taken]
            table[character] = free[next(draw) % len(free)]
        return "".join(map(table.__getitem__, word))

    def _number_candidate(self, digits: str, draw: Iterator[int]) -> str:
        rest = [DIGITS[next(draw) % 10] for _ in digits]
        if digits[0] == "0":
            rest[0] = "0"
        elif rest[0] == "0":
            rest[0] = DIGITS[1 + next(draw) % 9]
        new = "".join(rest)
        if len(digits) == _PORT_LENGTH and (int(digits) > _LAST_PORT) != (int(new) > _LAST_PORT):
            # A port stays a port: an address with another number there does not parse.
            low, high = (10000, _LAST_PORT) if int(digits) <= _LAST_PORT else (65536, 99999)
            if digits[0] != "0":
                new = str(low + (next(draw) << 8 | next(draw) & 255) % (high - low + 1))
        return new

    def _shuffled(self, span: tuple[int, int]) -> dict[str, str]:
        """A script's characters shuffled into one ring: none stands for itself."""
        ring = [chr(point) for point in range(span[0], span[1] + 1)]
        ring = [c for c in ring if unicodedata.category(c) == "Lo"]
        draw = self.draw("script", chr(span[0]))
        for at in range(len(ring) - 1, 0, -1):
            other = (next(draw) << 16 | next(draw)) % (at + 1)
            ring[at], ring[other] = ring[other], ring[at]
        return {c: ring[(at + 1) % len(ring)] for at, c in enumerate(ring)}


def _is_repetitive(word: str) -> bool:
    if len(word) <= 20:
        return False
    triples = {word[at : at + 3] for at in range(len(word) - 2)}
    return 4 * len(triples) <= len(word)
