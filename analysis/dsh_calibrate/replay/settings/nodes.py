"""Values of a settings file with the line each was written on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from dsh_calibrate.errors import CalibrateError

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a settings file.

    ``value`` is a scalar, a tuple of nodes or a mapping of nodes; ``line`` counts from 1
    (``None`` where the format does not tell); ``run_time`` marks a value under the tag
    ``!!js``: an expression that only the live host evaluates (its text is not kept).
    """

    value: Scalar | tuple[Node, ...] | Mapping[str, Node]
    line: int | None = None
    run_time: bool = False

    @property
    def entries(self) -> Mapping[str, Node] | None:
        """The mapping, or ``None`` when the value is none."""
        return self.value if isinstance(self.value, Mapping) else None

    @property
    def items(self) -> tuple[Node, ...] | None:
        """The list, or ``None`` when the value is none."""
        return self.value if isinstance(self.value, tuple) else None

    @property
    def text(self) -> str | None:
        """The string, or ``None`` when the value is none."""
        return self.value if isinstance(self.value, str) else None

    @property
    def kind(self) -> str:
        """What the value is, for messages."""
        if self.run_time:
            return "an expression (!!js)"
        if isinstance(self.value, Mapping):
            return "a mapping"
        if isinstance(self.value, tuple):
            return "a list"
        if self.value is None:
            return "null"
        if isinstance(self.value, bool):
            return str(self.value).lower()
        return "a string" if isinstance(self.value, str) else "a number"


def plain(node: Node) -> object:
    """The value as plain lists, dicts and scalars."""
    if isinstance(node.value, Mapping):
        return {key: plain(entry) for key, entry in node.value.items()}
    if isinstance(node.value, tuple):
        return [plain(item) for item in node.value]
    return node.value


def json_value(value: object) -> object:
    """``value`` with the numbers that JSON cannot write (``.nan``, ``.inf``) as text."""
    if isinstance(value, Mapping):
        return {key: json_value(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def node_of(value: object, line: int | None = None) -> Node:
    """Make a node, without lines of their own, of plain lists, dicts and scalars."""
    if isinstance(value, Mapping):
        return Node({str(key): node_of(entry, line) for key, entry in value.items()}, line)
    if isinstance(value, list | tuple):
        return Node(tuple(node_of(item, line) for item in value), line)
    if value is None or isinstance(value, str | int | float | bool):
        return Node(value, line)
    return Node(str(value), line)  # a TOML date: no setting takes one, so the checks refuse it


def has_run_time(node: Node) -> bool:
    """Whether the value, or anything inside it, is decided at run time."""
    if node.run_time:
        return True
    if isinstance(node.value, Mapping):
        return any(has_run_time(entry) for entry in node.value.values())
    return isinstance(node.value, tuple) and any(has_run_time(item) for item in node.value)


def place(source: str, line: int | None) -> str:
    """``FILE, line N``, or the file alone."""
    return source if line is None else f"{source}, line {line}"


class SettingsFileError(CalibrateError):
    """A settings file, or an assignment, that cannot be taken: place and reason, one line."""

    def __init__(self, source: str, line: int | None, message: str) -> None:
        super().__init__(f"{place(source, line)}: {message}")
        self.source = source
        self.line = line
        self.message = message
