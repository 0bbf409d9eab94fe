"""Words of a shell command, its verb, and the command without what changes nothing.

guards.md 1.3: a word splitter of the plugin's own, not a shell's. White space is
JavaScript's; quotes group and vanish; a backslash outside single quotes takes the next
character as it is.
"""

from __future__ import annotations

import re

from dsh_calibrate.javascript import white_space

_TOKEN = re.compile(
    rf"""(?:[^{white_space.CLASS}'"\\]++|\\(?:.|\Z)|'[^']*+(?:'|\Z)|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))++""",
    re.DOTALL,
)
_PART = re.compile(
    r"""([^'"\\]++)|\\(.)|(\\)\Z|'([^']*+)(?:'|\Z)|"((?:[^"\\]++|\\.)*+\\?)(?:"|\Z)""", re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=", re.ASCII)
_DURATION = re.compile(r"[0-9]+(?:\.[0-9]+)?[smhd]?", re.ASCII)

WRAPPERS = frozenset(("sudo", "doas", "command", "env", "time", "nice", "nohup", "exec"))
_WRAPPER_VALUES = frozenset(
    ("-u", "-g", "-p", "-C", "-h", "-r", "-t", "-U", "-R", "-T", "-S", "-n", "-D")
)
_VALUE_OPTIONS = frozenset(
    (
        "--max-time",
        "--connect-timeout",
        "--retry",
        "--retry-delay",
        "--retry-max-time",
        "--speed-time",
        "--speed-limit",
        "--max-redirs",
        "--user-agent",
    )
)
_VALUE_LETTERS = frozenset(("-m", "-A"))
_FLAGS = frozenset(
    (
        "--silent",
        "--show-error",
        "--fail",
        "--location",
        "--insecure",
        "--compressed",
        "--no-progress-meter",
    )
)
_VOLATILE = re.compile(r"-(?:[mA][0-9].*|[sSfLk]+)\Z", re.ASCII | re.DOTALL)


def tokens(command: str) -> list[str]:
    """The words of a command; ``''`` alone is an empty word."""
    return [
        _unquoted(word) if '"' in word or "'" in word or "\\" in word else word
        for word in _TOKEN.findall(command)
    ]


def _unquoted(word: str) -> str:
    return "".join(map(_part, _PART.finditer(word)))


def _part(match: re.Match[str]) -> str:
    if match[5] is not None:
        # A backslash at the very end of an unclosed quote takes nothing and stays.
        return _ESCAPED.sub(r"\1", match[5])
    return match[1] or match[2] or match[3] or match[4] or ""


def _skip_assignments_and_timeout(words: list[str], at: int) -> int:
    """Skip one leading assignment or one ``timeout`` with its options and duration."""
    count = len(words)
    if _ASSIGNMENT.match(words[at]):
        return at + 1
    if words[at] == "timeout":
        at += 1
        while at < count and words[at].startswith("--"):
            at += 1
        if at < count and _DURATION.fullmatch(words[at]):
            at += 1
    return at


def verb(words: list[str]) -> str:
    """The command word, without its folder, in lower case; empty when there is none."""
    at, count = 0, len(words)
    while at < count:
        behind = _skip_assignments_and_timeout(words, at)
        if behind == at and words[at] in WRAPPERS:
            behind = at + 1
            while behind < count and words[behind] in _WRAPPER_VALUES:
                behind += 2
            while behind < count and words[behind].startswith("-"):
                behind += 1
        if behind == at:
            break
        at = behind
    if at >= count:
        return ""
    word = words[at]
    return word[max(word.rfind("/"), word.rfind("\\")) + 1 :].lower()


def stripped(words: list[str]) -> str:
    """The command without assignments, ``timeout`` and options that only pace a download."""
    at, count = 0, len(words)
    while at < count:
        behind = _skip_assignments_and_timeout(words, at)
        if behind == at:
            break
        at = behind
    kept: list[str] = []
    while at < count:
        word = words[at]
        at += 1
        if word.startswith("-"):
            if word in _VALUE_OPTIONS or word in _VALUE_LETTERS:
                at += 1
                continue
            if word in _FLAGS or _VOLATILE.match(word):
                continue
            name, sign, _ = word.partition("=")
            if sign and name in _VALUE_OPTIONS:
                continue
        kept.append(word)
    return white_space.trim(" ".join(kept))
