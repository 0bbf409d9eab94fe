"""Recorded advice keeps pointing at its call: summaries of notices (guards.md 1.5).

A notice of repeat-tool-breaker names a fingerprint. Word by word that would come out right
but for what is sorted (fields of arguments, pairs of a query), so the fingerprints of every
call are taken before and after, and a summary gets the one that its call really has now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.fingerprints import fingerprint
from dsh_calibrate.javascript.json_text import Json

_COUNT = re.compile(r" (?:failed x|× )[0-9]+\Z")
_CUT = "…"
_LONGEST = 120


def calls_of(lines: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Tool and arguments (JSON text) of every call and sub-call, in order."""
    for line in lines:
        kind, data = line.get("type"), line.get("data")
        if not isinstance(data, dict) or not isinstance(data.get("name"), str):
            continue
        arguments = data.get("arguments")
        if kind == "tool/call":
            yield data["name"], arguments if isinstance(arguments, str) else ""
        elif kind in ("tool/code-dispatch-start", "tool/ptc-dispatch-start"):
            yield data["name"], _text(arguments)


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def fingerprint_pairs(
    old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]], configs: Sequence[Config]
) -> dict[str, str]:
    """Every fingerprint of the calls of ``old`` with the one that stands for it in ``new``."""
    pairs: dict[str, str] = {}
    for before, after in zip(calls_of(old), calls_of(new), strict=True):
        for config in configs:
            one, other = fingerprint(*before, config).all, fingerprint(*after, config).all
            if len(one) == len(other):
                pairs.update(zip(one, other, strict=True))
    return pairs


def repoint(
    old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]], pairs: dict[str, str]
) -> None:
    """Correct, in place, the summaries of ``new`` that name a fingerprint of a call."""
    for before, after in zip(old, new, strict=True):
        source, target = _source(before), _source(after)
        summary = source.get("summary") if source else None
        if target is None or not isinstance(summary, str):
            continue
        found = _renamed(summary, pairs)
        if found is not None:
            target["summary"] = found


def _source(line: dict[str, Any]) -> dict[str, Any] | None:
    if line.get("type") not in ("user/message", "steering/message"):
        return None
    data = line.get("data")
    message = data.get("message", data) if isinstance(data, dict) else None
    source = message.get("source") if isinstance(message, dict) else None
    return source if isinstance(source, dict) else None


def _renamed(summary: str, pairs: dict[str, str]) -> str | None:
    count = _COUNT.search(summary)
    name = summary[: count.start()] if count else summary
    end = count[0] if count else ""
    if name in pairs:
        return pairs[name] + end
    if len(summary) < _LONGEST - 4:
        return None
    start, _, tail = name.partition(_CUT)
    for before, after in pairs.items():
        if before.startswith(start) and before.endswith(tail.strip()):
            kept = after[len(after) - len(tail) :] if tail else ""
            return after[: len(start)] + (_CUT if _CUT in name else "") + kept + end
    return None
