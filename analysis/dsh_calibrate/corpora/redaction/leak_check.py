"""What of the original could still be read in a redacted log: nothing, or it is not written.

Independent of how the text was rewritten: every string of the finished file is cut into
words by a rule of its own and compared with the words of the original, and the secret
detectors run over both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dsh_calibrate.corpora.redaction import keep_list
from dsh_calibrate.corpora.redaction.pseudonyms import LONG
from dsh_calibrate.corpora.redaction.rewriting import humps, pieces
from dsh_calibrate.corpora.secrets import find_secrets

_WORD = re.compile(rf"[^\W_]{{{LONG},}}")
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_SHORT_NUMBER = 6
_DIGITS = re.compile(r"[0-9]+")
_CHUNK_LINES = frozenset({"assistant/chunk", "text-chunks", "tool-call-chunks"})
_DELTA_FIELDS = frozenset({"text", "argumentsDelta"})
_COUNTED = re.compile(r"[0-9]+[A-Za-z]{1,2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class LeakReport:
    """What was found.

    ``words``: how many original words again; ``secrets``: how often a detected string of the
    original; ``lookalikes``: how often a detector takes a pseudonym for a secret, by rule;
    ``leaves``: how many strings were looked at.
    """

    words: int
    secrets: int
    lookalikes: dict[str, int]
    leaves: int

    @property
    def is_clean(self) -> bool:
        """Whether nothing was found again."""
        return not self.words and not self.secrets


def words_of(lines: Iterable[dict[str, Any]]) -> frozenset[str]:
    """The words of a log that must not be in its copy, lower case."""
    return frozenset(
        word.lower() for text in leaves(lines) for word in _words(text) if not _is_public(word)
    )


def secrets_of(lines: Iterable[dict[str, Any]]) -> frozenset[str]:
    """The strings in which a detector sees a secret, as far as they are not all public words."""
    found = set()
    for text in leaves(lines):
        for secret in find_secrets(text):
            value = text[secret.start : secret.end]
            if any(not _is_public(word) for word in _words(value)):
                found.add(value)
    return frozenset(found)


def check(
    redacted: list[dict[str, Any]], words: frozenset[str], secrets: frozenset[str]
) -> LeakReport:
    """Look for ``words`` and ``secrets`` of the original in the lines of its copy."""
    again: set[str] = set()
    secrets_again = 0
    lookalikes: Counter[str] = Counter()
    count = 0
    for text in leaves(redacted):
        count += 1
        again.update(words.intersection(map(str.lower, _words(text))))
        for secret in find_secrets(text):
            if text[secret.start : secret.end] in secrets:
                secrets_again += 1
            else:
                lookalikes[secret.rule] += 1
    return LeakReport(len(again), secrets_again, dict(sorted(lookalikes.items())), count)


def leaves(lines: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Every string of the lines, names of fields included; pieces of a stream are joined.

    (A piece ends anywhere, so that alone it would be full of words nobody wrote.)
    """
    stream: list[str] = []
    block: object = None
    for line in lines:
        apart: list[str] = []
        found = list(_foundof(line, line.get("type"), apart))
        yield from apart
        if stream and not found and line.get("type") not in _CHUNK_LINES:
            yield "".join(stream)
            stream = []
        for text, key in found:
            if key != block and stream:
                yield "".join(stream)
                stream = []
            block = key
            stream.append(text)
    if stream:
        yield "".join(stream)


def _foundof(value: Any, kind: object, apart: list[str]) -> Iterator[tuple[str, object]]:
    if isinstance(value, str):
        apart.append(value)
    elif isinstance(value, list):
        for item in value:
            yield from _foundof(item, kind, apart)
    elif isinstance(value, dict):
        kind = value.get("type") or kind
        for name, below in value.items():
            apart.append(name)
            is_row = name in ("texts", "args") and isinstance(value.get("dt"), list)
            if is_row and isinstance(below, list) and all(isinstance(b, str) for b in below):
                block = (_family(kind), value.get("index"))
                yield from ((text, block) for text in below)
            elif name in _DELTA_FIELDS and str(kind).endswith("-delta") and _is_text(below):
                yield below, (_family(kind), value.get("index"))
            else:
                yield from _foundof(below, kind, apart)


def _family(kind: object) -> str:
    """``reasoning``, ``text`` or ``tool-call``, whether packed or not."""
    return str(kind).removesuffix("-delta").removesuffix("-chunks")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _words(text: str) -> list[str]:
    # Raw arguments are JSON text: the escape of a colour or a control character (``\\u001b``)
    # is no word, and what follows it is one of its own.
    if "\\u" in text:
        text = _ESCAPE.sub(_apart, text)
    return _WORD.findall(text)


def _apart(escape: re.Match[str]) -> str:
    return escape[0] if chr(int(escape[1], 16)).isalnum() else " "


def _is_public(word: str) -> bool:
    """On the keep-list, made of words that are, or a number too short to name anything."""
    if keep_list.is_kept(word.lower()):
        return True
    if _DIGITS.fullmatch(word) or _COUNTED.fullmatch(word):
        return len(word) < _SHORT_NUMBER
    return all(piece.kind == "kept" for part in humps(word) for piece in pieces(part))
