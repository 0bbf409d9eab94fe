"""YAML as the harness reads it (1.2 core schema), kept safe.

Built from the parser's events, so that nothing is ever constructed: a tag cannot make an
object, an alias cannot multiply a value. Anchors, aliases, merge keys, doubled keys and
unknown tags are refused with their line; ``!!js`` marks a value as decided at run time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from dsh_calibrate.replay.settings.nodes import Node, Scalar, SettingsFileError

MAX_DEPTH = 40
"""Levels of nesting; real files have about six."""

MAX_NODES = 20_000
"""Values in one file: about two seconds of reading."""

_STANDARD = "tag:yaml.org,2002:"
_RUN_TIME = f"{_STANDARD}js"
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL = re.compile(r"0o[0-7]+\Z")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)\Z")
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


def parse_yaml(text: str, source: str) -> Node | None:
    """Read one YAML document; ``None`` when there is none.

    ``source`` names the file in errors. Raises :class:`SettingsFileError`.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return _Builder(source).document(iter(YAML(typ="safe", pure=True).parse(text)))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(error.problem or error.context or "not YAML").split())
        raise SettingsFileError(source, mark.line + 1 if mark else None, problem) from error
    except YAMLError as error:
        line = _line_of_control(text)
        raise SettingsFileError(source, line, "a character that YAML does not allow") from error
    except RecursionError as error:
        raise SettingsFileError(source, None, "nested too deeply") from error


def scalar(text: str) -> Scalar:
    """Resolve a plain scalar by the core schema of YAML 1.2 (``yes`` and ``off`` are text)."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.match(text):
        return int(text) if len(text) < 300 else float(text)
    if _OCTAL.match(text):
        return _whole(text[2:], 8)
    if _HEXADECIMAL.match(text):
        return _whole(text[2:], 16)
    if _FLOAT.match(text):
        return float(text)
    if infinite := _INFINITE.match(text):
        return float(f"{infinite[1]}inf")
    return text


def _whole(digits: str, base: int) -> Scalar:
    """The number, infinite where a double would be, as it is to the live plugin."""
    value = int(digits, base)
    return value if value.bit_length() <= 1024 else float("inf")


class _Builder:
    """Turns the events of one document into nodes."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._nodes = 0

    def document(self, events: Iterator[Any]) -> Node | None:
        root: Node | None = None
        for event in events:
            name = type(event).__name__
            if name == "DocumentStartEvent":
                if root is not None:
                    raise self._refuse(event, "more than one YAML document")
                root = self._node(next(events), events, "", 0)
        return root

    def _node(self, event: Any, events: Iterator[Any], path: str, depth: int) -> Node:
        name = type(event).__name__
        at = f"{path}: " if path else ""
        if name == "AliasEvent" or event.anchor is not None:
            raise self._refuse(event, f"{at}anchors and aliases are not accepted; write it out")
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            at = f"{path[:60]}…: " if len(path) > 60 else at
            raise self._refuse(event, f"{at}nested too deeply or too many values")
        line = event.start_mark.line + 1
        tag = self._tag(event, at)
        if name == "SequenceStartEvent":
            items = self._items(events, path, depth)
            self._container_tag(event, at, tag, "seq")
            return Node(items, line, tag == "js")
        if name == "MappingStartEvent":
            entries = self._entries(events, path, depth)
            self._container_tag(event, at, tag, "map")
            return Node(entries, line, tag == "js")
        if tag == "js":
            return Node(None, line, run_time=True)
        return Node(self._scalar(event, at, tag), line)

    def _items(self, events: Iterator[Any], path: str, depth: int) -> tuple[Node, ...]:
        items: list[Node] = []
        for event in events:
            if type(event).__name__ == "SequenceEndEvent":
                break
            items.append(self._node(event, events, f"{path}[{len(items)}]", depth + 1))
        return tuple(items)

    def _entries(self, events: Iterator[Any], path: str, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        for event in events:
            if type(event).__name__ == "MappingEndEvent":
                break
            if type(event).__name__ != "ScalarEvent" or event.tag not in (None, f"{_STANDARD}str"):
                raise self._refuse(event, f"{path or 'top level'}: a key must be plain text")
            if event.anchor is not None:
                raise self._refuse(event, "anchors and aliases are not accepted; write it out")
            key = event.value
            below = f"{path}.{key}" if path else key
            if key == "<<" and event.implicit[0]:
                raise self._refuse(event, f"{below}: merge keys are not accepted; write it out")
            if key in entries:
                raise self._refuse(event, f"{below}: this key is there twice")
            entries[key] = self._node(next(events), events, below, depth + 1)
        return entries

    def _tag(self, event: Any, at: str) -> str | None:
        tag = event.tag
        if tag is None or tag == "!":
            return None if tag is None else "str"
        if tag == _RUN_TIME:
            return "js"
        short = tag.removeprefix(_STANDARD)
        if short == tag or short not in {"str", "int", "float", "bool", "null", "seq", "map"}:
            shown = f"!!{short}" if short != tag else tag
            raise self._refuse(event, f"{at}unknown tag {shown}; nothing is evaluated here")
        return str(short)

    def _container_tag(self, event: Any, at: str, tag: str | None, kind: str) -> None:
        if tag not in (None, "js", kind, "str" if event.tag == "!" else kind):
            raise self._refuse(event, f"{at}the tag !!{tag} does not fit the value")

    def _scalar(self, event: Any, at: str, tag: str | None) -> Scalar:
        text: str = event.value
        if tag == "str" or (tag is None and not event.implicit[0]):
            return text
        value = scalar(text)
        fits = {
            "int": isinstance(value, int) and not isinstance(value, bool),
            "float": isinstance(value, int | float) and not isinstance(value, bool),
            "bool": isinstance(value, bool),
            "null": value is None,
        }
        if tag is not None and not fits.get(tag, False):
            raise self._refuse(event, f"{at}the tag !!{tag} does not fit the value")
        return value

    def _refuse(self, event: Any, message: str) -> SettingsFileError:
        return SettingsFileError(self._source, event.start_mark.line + 1, message)


def _line_of_control(text: str) -> int | None:
    """Line of the first control character, 1-based."""
    found = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", text)
    return text.count("\n", 0, found.start()) + 1 if found else None
