"""``--set K=V``: dotted keys with quotable parts, YAML values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.settings.catalogue import GUARDS, did_you_mean
from dsh_calibrate.replay.settings.nodes import (
    Node,
    SettingsFileError,
    has_run_time,
    node_of,
    plain,
)
from dsh_calibrate.replay.settings.yaml_text import parse_yaml

_PART = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'((?:[^']|'')*)'|([^\s.=\"'][^.=\"']*)")
_BARE = re.compile(r"[A-Za-z0-9_*@/$][A-Za-z0-9_:*@/$-]*\Z")


@dataclass(frozen=True, slots=True)
class Assignment:
    """One ``--set``: guard, path of the key below it, value."""

    guard: str
    path: tuple[str, ...]
    node: Node


def dotted(path: Iterable[str]) -> str:
    """The path as ``--set`` takes it: parts that are not plain words are quoted."""
    return ".".join(part if _BARE.match(part) else _quoted(part) for part in path)


def split_key(text: str) -> tuple[str, ...]:
    """Split ``a."b.c".d`` at the dots outside quotes.

    Raises :class:`UsageError` when the text is no such key.
    """
    path, rest = _read_key(text)
    if rest:
        raise UsageError(f"{text}: not a key; expected guard.key, for example rtb.warnAt")
    return path


def parse_assignment(text: str) -> Assignment:
    """Read ``guard.key[.part]=value``; the value is YAML, flow lists and maps included.

    Raises :class:`UsageError` for a malformed assignment or an unknown guard.
    """
    path, rest = _read_key(text)
    shown = f"--set {text}"
    if not rest.startswith("=") or len(path) < 2:
        raise UsageError(f"{shown}: expected guard.key=value, for example rtb.warnAt=9")
    guard = path[0]
    if guard not in GUARDS:
        known = ", ".join(GUARDS)
        raise UsageError(f"{shown}: no guard {guard} (known: {known}){did_you_mean(guard, GUARDS)}")
    return Assignment(guard, path[1:], _value(rest[1:], shown))


def _value(text: str, shown: str) -> Node:
    if not text.strip():
        raise UsageError(f"{shown}: no value; write null for none, '\"\"' for an empty text")
    try:
        node = parse_yaml(text, shown)
    except SettingsFileError as error:
        raise UsageError(f"{shown}: {error.message}") from error
    if node is None:
        raise UsageError(f"{shown}: no value; a text that begins with # needs quotes")
    if has_run_time(node):
        raise UsageError(f"{shown}: expressions (!!js) are never evaluated; give the value")
    return node_of(plain(node))


def _read_key(text: str) -> tuple[tuple[str, ...], str]:
    """The parts at the start of ``text`` and what follows them."""
    parts: list[str] = []
    at = 0
    while found := _PART.match(text, at):
        double, single, bare = found.groups()
        if double is not None:
            parts.append(re.sub(r"\\(.)", r"\1", double))
        elif single is not None:
            parts.append(single.replace("''", "'"))
        else:
            parts.append(bare.rstrip())
        at = found.end()
        if text[at : at + 1] != ".":
            return tuple(parts), text[at:]
        at += 1
    return (), text


def _quoted(part: str) -> str:
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
