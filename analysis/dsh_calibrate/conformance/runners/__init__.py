"""One runner per kind of vector file: from a vector's input to the engine's answer now.

The runner of a kind is the module ``runners.<kind with underscores>`` with ``REQUIRED``
(keys that every input must have) and ``answer(given) -> JSON value``. It is imported when
a file of its kind is met.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass

KINDS: tuple[str, ...] = (
    "commands",
    "tool-calls",
    "failures",
    "guard-replays",
    "configs",
    "reasoning",
    "denylist",
)
"""Kinds known by file name, ``<kind>.jsonl`` (a kind may be known before it has a runner)."""


@dataclass(frozen=True, slots=True)
class Runner:
    """How one kind is run: the keys an input needs, and the engine's answer to an input."""

    required: tuple[str, ...]
    answer: Callable[[Mapping[str, object]], object]


def has_runner(kind: str) -> bool:
    """Whether a kind of :data:`KINDS` can be run; imports nothing."""
    return importlib.util.find_spec(_module(kind)) is not None


def load_runner(kind: str) -> Runner | None:
    """The runner of a kind of :data:`KINDS`, or ``None`` while it has none."""
    if not has_runner(kind):
        return None
    module = importlib.import_module(_module(kind))
    return Runner(tuple(module.REQUIRED), module.answer)


def _module(kind: str) -> str:
    return f"{__name__}.{kind.replace('-', '_')}"
