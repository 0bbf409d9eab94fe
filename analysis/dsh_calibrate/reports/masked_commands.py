"""Masking of shell commands: verbs, flags and operators stay, what they act on does not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dsh_calibrate.reports import public_words
from dsh_calibrate.reports.masked_words import (
    CUT,
    SECRET,
    clean,
    finished,
    mask_chunk,
    mask_path,
    shorten,
    shorten_inner,
)

COMMAND_LIMIT = 200
"""Characters of a masked command that are shown."""

_NOTHING: frozenset[str] = frozenset()
# Alternatives differ in their first character and take all they can: linear.
_TOKEN = re.compile(
    r"""(?P<space>[ ]++)
      | (?P<redirect>[0-9&]?>{1,2}&?[0-9]?|<{1,3}-?)
      | (?P<operator>\n|\|\|?|&&?|;;?|[()])
      | (?P<word>(?:"(?:[^"\\]|\\.)*+(?:"|\Z)|'[^']*+(?:'|\Z)|\\(?:.|\Z)|[^ \n|;&()<>"'\\])++)""",
    re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(
    r"""\"((?:[^"\\]|\\.)*+\\?)(?:"|\Z)|'([^']*+)(?:'|\Z)|\\(.)|([^"'\\]++)""", re.DOTALL
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_LONG_FLAG = re.compile(r"--[a-z][a-z0-9]*(?:-[a-z0-9]+){0,3}")
_SECRET_FLAGS = re.compile(r"--?(?:pass(?:word|wd)?|token|secret|api-?key)")
_SHORT_FLAG = re.compile(r"--?|-[A-Za-z]{1,3}|-[A-Za-z]?[0-9]{1,3}")
_SINGLE_DASH = public_words.SINGLE_DASH_FLAGS
_WRAPPER_VALUES = frozenset(
    {"-u", "-g", "-p", "-C", "-h", "-r", "-t", "-U", "-R", "-T", "-D", "-n"}
)


@dataclass(slots=True)
class _State:
    """Where in a command we are: what the next word is."""

    verb: str = ""
    wants_verb: bool = True
    wants_sub: bool = False
    wants_path: bool = False
    wants_script: bool = False
    wants_secret: bool = False
    wants_value: bool = False


def mask_command(command: str, limit: int = COMMAND_LIMIT) -> str:
    """A shell command with its shape left: ``curl -sS -o /tmp/….html https://e…e.org/…``.

    Known verbs, their sub-commands, flags, operators and redirections stay; a script given
    to a shell is masked as a command itself; everything else is shortened. One line.
    """
    return finished(_masked(clean(command, lines=True), depth=2), limit)


def mask_verb(verb: str) -> str:
    """A verb as fingerprints carry it: known programs stay."""
    verb = clean(verb)
    return finished(verb if verb in public_words.VERBS else shorten(verb, _NOTHING), 40)


def _masked(text: str, depth: int) -> str:
    out: list[str] = []
    state = _State()
    for token in _TOKEN.finditer(text):
        kind, raw = token.lastgroup, token[0]
        if kind == "word":
            out.append(_word(raw, state, depth))
            continue
        out.append(raw)
        if kind == "operator":
            state = _State()
        elif kind == "redirect":
            state.wants_path = not raw[-1].isdigit()
    return "".join(out)


def _word(raw: str, state: _State, depth: int) -> str:
    word = _unquoted(raw)
    if state.wants_path:
        state.wants_path = False
        return mask_path(word)
    if state.wants_verb:
        return _verb(word, state)
    if state.wants_secret:
        state.wants_secret = False
        return SECRET if not word.startswith("-") else _flag(word, state)
    if word.startswith("-") and len(word) > 1 and " " not in word and "\n" not in word:
        return _flag(word, state)
    script, state.wants_script = state.wants_script, False
    sub, state.wants_sub = state.wants_sub, False
    if sub and word in public_words.SUBCOMMANDS.get(state.verb, _NOTHING):
        state.wants_sub = word in ("exec", "compose", "run")
        return word
    if script and depth and (" " in word or "\n" in word):
        return f"'{_masked(word, depth - 1)}'"
    assigned = _ASSIGNMENT.fullmatch(word)
    if assigned:
        return f"{shorten_inner(assigned[1])}={_value(assigned[2])}"
    return _value(word)


def _unquoted(raw: str) -> str:
    """A word of a command line without its quotes and escapes (guards.md 1.3)."""
    pieces: list[str] = []
    for double, single, escaped, plain in _PIECE.findall(raw):
        pieces.append(_ESCAPED.sub(r"\1", double) if double else single or escaped or plain)
    return "".join(pieces)


def _verb(word: str, state: _State) -> str:
    if state.wants_value:
        state.wants_value = False
        return _value(word)
    assigned = _ASSIGNMENT.fullmatch(word)
    if assigned:
        name = assigned[1]
        known = name if name in public_words.VARIABLES else shorten_inner(name)
        return f"{known}={_value(assigned[2])}"
    if word.startswith("-"):
        state.wants_value = word in _WRAPPER_VALUES
        return _flag(word, state)
    if re.fullmatch(r"[0-9]+(?:\.[0-9]+)?[smhd]?", word):
        return word if len(word) <= 3 else CUT
    base = re.split(r"[\\/]", word)[-1].lower()
    if base in public_words.WRAPPERS or base == "timeout":
        return base if base == word else f"{CUT}/{base}"
    state.verb, state.wants_verb, state.wants_sub = base, False, True
    state.wants_script = base == "eval"
    if base in public_words.VERBS:
        return word if base == word.lower() else f"{CUT}/{base}"
    return _value(word)


def _flag(word: str, state: _State) -> str:
    name, equals, value = word.partition("=")
    known = _SHORT_FLAG.fullmatch(name) or name in _SINGLE_DASH
    if known or (len(name) <= 26 and _LONG_FLAG.fullmatch(name)):
        shown = name
    elif name.startswith("--"):
        shown = f"--{CUT}"
    else:
        shown = name[:2] + CUT if name[1:2].isalpha() else f"-{CUT}"
    state.wants_script = state.verb in public_words.SHELLS and name.endswith("c")
    if name == "-exec":
        state.wants_verb = True
    if equals:
        return f"{shown}={SECRET if _SECRET_FLAGS.fullmatch(name) else _value(value)}"
    state.wants_secret = _SECRET_FLAGS.fullmatch(name) is not None and not state.wants_verb
    return shown


def _value(word: str) -> str:
    if " " in word or "\n" in word:
        return f"'{_prose(word)}'"
    return mask_chunk(word, _NOTHING)


def _prose(text: str) -> str:
    return re.sub(r"[^ \n]+", lambda found: mask_chunk(found[0]), text)
