"""Recognising secrets in text by clear rules, each in linear time.

Masking shortens every unknown word anyway; these rules decide what is called ``<secret>``
and are what a redacted corpus is searched with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Secret:
    """A stretch of text, ``[start, end)`` in code points, and the rule that found it."""

    start: int
    end: int
    rule: str


# Every pattern begins where a run of its own characters begins (or with a fixed word), and
# nothing behind a long run can make it fail, so no text is scanned twice.
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "key-prefix",
        re.compile(
            r"(?<![A-Za-z0-9])(?:sk-|sk_live_|sk_test_|rk_live_|pk_live_|gh[opsur]_|github_pat_"
            r"|glpat-|xox[abeprs]-|ya29\.|npm_|pypi-|hf_|SG\.|dop_v1_|shpat_|AGE-SECRET-KEY-)"
            r"[A-Za-z0-9_.\-]{10,}+"
        ),
    ),
    ("access-key", re.compile(r"(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[A-Z0-9]{12,}+|AIza[\w-]{30,}+)")),
    ("jwt", re.compile(r"(?<![\w-])eyJ[\w-]{6,}+\.[\w-]{6,}+(?:\.[\w-]*+)?")),
    (
        "authorization",
        re.compile(
            r"(?i:\b(?:authorization|cookie|x-[a-z-]{0,20}(?:key|token))\"?[ \t]{0,4}[:=]"
            r"[ \t]{0,4}\"?(?:(?:bearer|basic|token|digest)[ \t]{1,4})?)(?P<value>[^\s\"']++)"
        ),
    ),
    ("authorization", re.compile(r"(?i:\bbearer[ \t]{1,4})(?P<value>[^\s\"']{6,}+)")),
    ("user-info", re.compile(r"://(?P<value>[^\s/@:\"'?#]*+:[^\s/@\"'?#]*+)@")),
    (
        "assignment",
        re.compile(
            r"(?i:(?:passw(?:or)?d|passphrase|pwd|secret|token|credentials?|(?:api|access|private"
            r"|auth|client)[_-]?(?:key|secret))[\"']?(?:[ \t]{0,4}[:=][ \t]{0,4}))[\"']?"
            r"(?P<value>[^\s\"'&;,|<>(){}]++)"
        ),
    ),
    (
        "option",
        re.compile(
            r"(?i:(?<![\w-])--?(?:password|passwd|pass|token|secret|api-?key)[ =]{1,4})[\"']?"
            r"(?P<value>[^\s\"'&;,|<>(){}-][^\s\"'&;,|<>(){}]*+)"
        ),
    ),
)

_RUN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=-]{20,}+")
_HEX = re.compile(r"(?:0x)?[0-9a-fA-F]+")
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}-----")

HEX_LENGTH, HEX_ENTROPY = 32, 3.0
BASE64_LENGTH, BASE64_ENTROPY = 24, 3.8


def find_secrets(text: str) -> list[Secret]:
    """All secrets of a text, sorted, overlapping ones joined (the first rule names them)."""
    joined: list[Secret] = []
    for secret in sorted(_candidates(text), key=lambda found: found.start):
        if joined and secret.start < joined[-1].end:
            last = joined[-1]
            joined[-1] = Secret(last.start, max(last.end, secret.end), last.rule)
        else:
            joined.append(secret)
    return joined


def replace_secrets(text: str, replacement: str = "<secret>") -> str:
    """The text with every secret replaced."""
    out: list[str] = []
    position = 0
    for secret in find_secrets(text):
        out += [text[position : secret.start], replacement]
        position = secret.end
    return "".join([*out, text[position:]])


def entropy(text: str) -> float:
    """Shannon entropy of the characters, in bits a character; 0 for an empty text."""
    size = len(text)
    shares = [text.count(character) / size for character in set(text)]
    return -sum(share * math.log2(share) for share in shares)


def _candidates(text: str) -> Iterator[Secret]:
    yield from _private_keys(text)
    for rule, pattern in _RULES:
        for found in pattern.finditer(text):
            group = "value" if "value" in pattern.groupindex else 0
            if found.end(group) > found.start(group):
                yield Secret(found.start(group), found.end(group), rule)
    for found in _RUN.finditer(text):
        if _looks_random(found[0]):
            yield Secret(found.start(), found.end(), "entropy")


def _private_keys(text: str) -> Iterator[Secret]:
    position = 0
    while begin := _BEGIN.search(text, position):
        end = _END.search(text, begin.end())
        position = end.end() if end else len(text)
        yield Secret(begin.start(), position, "private-key")


def _looks_random(run: str) -> bool:
    if _HEX.fullmatch(run):
        return len(run) >= HEX_LENGTH and entropy(run.lower()) >= HEX_ENTROPY
    mixed = (
        any(c.isdigit() for c in run)
        and any(c.islower() for c in run)
        and any(c.isupper() for c in run)
    )
    return mixed and len(run) >= BASE64_LENGTH and entropy(run) >= BASE64_ENTROPY
