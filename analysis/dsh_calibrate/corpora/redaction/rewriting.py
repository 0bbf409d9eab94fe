"""One function for every text of a log: words replaced, everything between them kept.

A text keeps its number of characters and the class of each, so that one rule serves
commands, addresses, prose, code and results alike, and whatever was equal stays equal. That
is what makes the guards decide alike; :mod:`.agreement` proves it for each log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from dsh_calibrate.corpora.redaction import keep_list
from dsh_calibrate.corpora.redaction.addresses import ipv4_pseudonym, ipv6_pseudonym
from dsh_calibrate.corpora.redaction.alphabets import cased_like, ideographs, lowered
from dsh_calibrate.corpora.redaction.pseudonyms import Pseudonyms

_UNIT = re.compile(
    r"(?P<ipv6>\[[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f:]*\])"
    r"|(?P<ipv4>(?<![\w.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?!\w|\.[0-9]))"
    r"|(?P<run>[^\W_]+)"
)
_PIECE = re.compile(r"https?|fetch|search|browse|error|exception", re.ASCII | re.IGNORECASE)
_MEASURE = re.compile(r"([0-9]+)([A-Za-z]|[kmg]i?b|ms|px|em|st|nd|rd|th)", re.ASCII | re.I)
_NUMBER = re.compile(r"[0-9]+")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPE = re.compile(r"\\u[0-9A-Fa-f]{4}|\\.|[^\\]", re.DOTALL)
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SHORT_NUMBER = 3
_CACHED = 200_000


class Piece(NamedTuple):
    """A part of a run of letters and digits: ``word`` is replaced, anything else is kept."""

    text: str
    kind: str  # "kept", "word", "number", "ideograph"


def pieces(run: str, before: str = "") -> Iterator[Piece]:
    """Take a run of letters and digits apart; ``before`` is what stands in front of it."""
    start = 0
    for at, character in enumerate(run):
        if ideographs(character):
            if at > start:
                yield from _spaced(run[start:at], before)
            yield Piece(character, "ideograph")
            start, before = at + 1, character
    if start < len(run):
        yield from _spaced(run[start:], before)


def _spaced(run: str, before: str) -> Iterator[Piece]:
    lower = run.lower()
    if len(run) == 1 or keep_list.is_kept(lower):
        yield Piece(run, "kept")
        return
    if _NUMBER.fullmatch(run):
        yield _number(run)
        return
    measure = _MEASURE.fullmatch(run)
    if measure:
        yield _number(measure[1])
        yield Piece(measure[2], "kept")
        return
    if before == "-" and run[1] in "0123456789" and run[0].isalpha():
        # An option with its number glued on: the letter says what it is.
        yield Piece(run[0], "kept")
        rest = run[1:]
        yield _number(rest) if _NUMBER.fullmatch(rest) else Piece(rest, "word")
        return
    last = 0
    for found in _PIECE.finditer(run):
        if found.start() > last:
            yield Piece(run[last : found.start()], "word")
        yield Piece(found[0], "kept")
        last = found.end()
    if last < len(run):
        yield Piece(run[last:], "word")


def humps(run: str) -> list[str]:
    """Words run together with capitals (``wriEmit``), taken apart; else the run as it is.

    Loops in reasoning glue the cut end of one round to the next; the rules look at what is
    inside. What may be a key or a token (digits, many short parts) is left whole.
    """
    if run.islower() or not run.isascii() or not run.isalpha():
        return [run]
    parts = _HUMP.split(run)
    return parts if 5 * len(parts) <= 2 * len(run) else [run]


def _number(digits: str) -> Piece:
    is_kept = len(digits) <= _SHORT_NUMBER or not digits.strip("0") or digits in keep_list.PORTS
    return Piece(digits, "kept" if is_kept else "number")


class Rewriter:
    """Rewrites texts of one corpus."""

    def __init__(self, pseudonyms: Pseudonyms) -> None:
        self._pseudonyms = pseudonyms
        self._runs: dict[tuple[str, bool], str] = {}

    def text(self, text: str) -> str:
        """Rewrite any text; the number of characters stays."""
        return self._decoded(text, self._plain)

    def prose(self, text: str) -> str:
        """Rewrite reasoning: as any text, but words run together are words of their own."""
        return self._decoded(text, self._plain_prose)

    @staticmethod
    def _decoded(text: str, plain: Callable[[str], str]) -> str:
        if "%" in text and _PERCENT.search(text):
            return _through(text, _percent_units(text), plain, _percent_encoded)
        return plain(text)

    def json_text(self, text: str) -> str:
        """Rewrite a JSON text, broken ones too: what is escaped in it stays escaped."""
        if "\\" not in text:
            return self.text(text)
        units = [(u, _unescaped(u)) for u in _ESCAPE.findall(text)]
        tail = text[sum(len(u) for u, _ in units) :]
        return _through(text, units, self.text, _escaped) + tail

    def _plain(self, text: str) -> str:
        return _UNIT.sub(self._unit, text)

    def _plain_prose(self, text: str) -> str:
        return _UNIT.sub(self._prose_unit, text)

    def _prose_unit(self, found: re.Match[str]) -> str:
        parts = humps(found[0]) if found["run"] is not None else [""]
        if len(parts) == 1:
            return self._unit(found)
        return "".join(self._run(part, "") for part in parts)

    def _unit(self, found: re.Match[str]) -> str:
        text = found[0]
        if found["run"] is None:
            if found["ipv4"]:
                return ipv4_pseudonym(text, self._pseudonyms)
            return ipv6_pseudonym(text, self._pseudonyms)
        at = found.start()
        before = found.string[at - 1] if at else ""
        if before == "-" and at > 1 and found.string[at - 2].isalnum():
            before = ""  # within a word: no option
        return self._run(text, before)

    def _run(self, run: str, before: str) -> str:
        key = (run, before == "-")
        known = self._runs.get(key)
        if known is None:
            known = "".join(map(self._piece, pieces(run, before)))
            if len(self._runs) < _CACHED and len(run) < 100:
                self._runs[key] = known
        return known

    def _piece(self, piece: Piece) -> str:
        if piece.kind == "kept":
            return piece.text
        if piece.kind == "number":
            return self._pseudonyms.number(piece.text)
        if piece.kind == "ideograph":
            return self._pseudonyms.ideograph(piece.text)
        lower = lowered(piece.text)
        return cased_like(self._pseudonyms.word(lower), piece.text)


class Collector(Rewriter):
    """Goes through texts as a rewriter does, changes nothing and notes the words."""

    def __init__(self) -> None:
        super().__init__(Pseudonyms(b""))
        self.words: set[str] = set()

    def _plain(self, text: str) -> str:
        for found in _UNIT.finditer(text):
            if found["run"] is not None:
                self._note(found[0], text[found.start() - 1 : found.start()])
        return text

    def _plain_prose(self, text: str) -> str:
        for found in _UNIT.finditer(text):
            if found["run"] is not None:
                for part in humps(found[0]):
                    self._note(part, "")
        return self._plain(text)

    def _note(self, run: str, before: str) -> None:
        self.words.add(run.lower())
        for piece in pieces(run, before):
            if piece.kind in ("word", "number"):
                self.words.add(lowered(piece.text))


def _through(
    text: str,
    units: list[tuple[str, str]],
    rewrite: Callable[[str], str],
    encode: Callable[[str, str], str],
) -> str:
    """Rewrite the decoded characters of ``units`` and put them back in their spelling."""
    decoded = "".join(character for _, character in units)
    new = rewrite(decoded)
    if new == decoded:
        return text if len(units) == len(text) else "".join(raw for raw, _ in units)
    out = []
    for (raw, old), character in zip(units, new, strict=True):
        out.append(raw if old == character else encode(raw, character))
    return "".join(out)


def _percent_units(text: str) -> list[tuple[str, str]]:
    """Characters with their spelling; only whole UTF-8 characters are decoded."""
    units: list[tuple[str, str]] = []
    last = 0
    for found in _PERCENT.finditer(text):
        units += [(c, c) for c in text[last : found.start()]]
        raw = found[0]
        data = bytes.fromhex(raw.replace("%", ""))
        at = 0
        while at < len(data):
            size = next((n for n in range(1, 5) if _is_character(data[at : at + n])), 0)
            if size:
                character = data[at : at + size].decode("utf-8")
                units.append((raw[3 * at : 3 * (at + size)], character))
            else:
                units.append((raw[3 * at : 3 * at + 3], "\ufffd"))
            at += max(size, 1)
        last = found.end()
    units += [(c, c) for c in text[last:]]
    return units


def _is_character(data: bytes) -> bool:
    try:
        return len(data.decode("utf-8")) == 1
    except UnicodeDecodeError:
        return False


def _percent_encoded(raw: str, character: str) -> str:
    if len(raw) < 3:
        return character
    text = "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
    return text.lower() if raw == raw.lower() else text


_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


def _unescaped(unit: str) -> str:
    if len(unit) == 1:
        return unit
    if len(unit) == 6:
        return chr(int(unit[2:], 16))
    return _SIMPLE.get(unit[1], unit[1] if unit[1] in '"\\/' else "\ufffd")


def _escaped(raw: str, character: str) -> str:
    if len(raw) != 6:
        return character
    text = f"{ord(character):04x}"
    return "\\u" + (text.upper() if raw[2:] == raw[2:].upper() else text)
