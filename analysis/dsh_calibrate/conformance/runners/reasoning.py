"""Runner of ``reasoning.jsonl``: stream pieces to the verdict of reasoning-loop-guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dsh_calibrate.guards.reasoning_loop.config import configure
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.guards.reasoning_loop.verdict import Verdict

REQUIRED = ("chunks",)

_FIGURES = (
    ("units", "units"),
    ("period", "period"),
    ("count", "count"),
    ("blockLen", "block_len"),
    ("lineLen", "line_len"),
    ("share", "share"),
    ("preview", "preview"),
)
"""Names in a vector and in a verdict; what a rule does not measure is absent."""


def answer(given: Mapping[str, Any]) -> object:
    """The first verdict over ``chunks`` in order, or ``None``."""
    detector = Detector(configure(given.get("config") or {}))
    for piece in given["chunks"]:
        verdict = detector.feed(piece)
        if verdict is not None:
            return _as_json(verdict)
    return None


def _as_json(verdict: Verdict) -> dict[str, object]:
    told: dict[str, object] = {"rule": verdict.rule, "atChars": verdict.at_utf16}
    for name, field in _FIGURES:
        figure = getattr(verdict, field)
        if figure is not None:
            told[name] = figure
    return told
