"""What can be left out of a session, from the coarse to the fine.

A part is a set of line positions: a turn, a step, a call with everything that belongs to
it, a single line. Lines that hold turns and steps together go only with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Object = dict[str, Any]
Part = tuple[int, ...]

_FRAME = frozenset({"session", "turn/start", "turn/end", "step/start", "step/end"})
_ENDS = {"turn": "turn/end", "step": "step/end"}


def spans(lines: Sequence[Object], kind: str) -> list[Part]:
    """The turns or steps: each from its start to its end, or to the next start."""
    found: list[list[int]] = []
    is_open = False
    for at, line in enumerate(lines):
        type_ = line.get("type")
        if type_ == f"{kind}/start":
            found.append([])
            is_open = True
        elif kind == "step" and type_ in ("turn/start", "turn/end"):
            is_open = False
        if is_open:
            found[-1].append(at)
        if type_ == _ENDS[kind]:
            is_open = False
    return [tuple(span) for span in found]


def calls(lines: Sequence[Object]) -> list[Part]:
    """Every call with its result, approvals and sub-calls."""
    groups: list[list[int]] = []
    latest: dict[str, int] = {}
    questions: dict[str, int] = {}
    for at, line in enumerate(lines):
        type_, data = line.get("type"), line.get("data")
        if not isinstance(data, dict) or not isinstance(type_, str):
            continue
        if type_ == "tool/call":
            latest[_text(data.get("callId"))] = len(groups)
            groups.append([at])
            continue
        if type_.startswith(("tool/code-dispatch", "tool/ptc-dispatch")):
            name = _text(data.get("rootCallId")) or _text(data.get("parentCallId"))
        elif type_ == "tool/result":
            name = result_call_id(data)
        elif type_ == "approval/asked":
            name = _text(data.get("callId"))
        elif type_ == "approval/decided":
            group = questions.get(_text(data.get("id")))
            if group is not None:
                groups[group].append(at)
            continue
        else:
            continue
        group = latest.get(name)
        if group is not None:
            groups[group].append(at)
            if type_ == "approval/asked":
                questions[_text(data.get("id"))] = group
    return [tuple(group) for group in groups]


def single_lines(lines: Sequence[Object]) -> list[Part]:
    """Every line on its own that neither frames a turn or step nor belongs to a call."""
    taken = {at for part in calls(lines) for at in part}
    return [
        (at,) for at, line in enumerate(lines) if line.get("type") not in _FRAME and at not in taken
    ]


def result_call_id(data: Object) -> str:
    """The call a ``tool/result`` belongs to (session-format.md 5.6)."""
    message = data.get("message")
    message = message if isinstance(message, dict) else {}
    source = message.get("source")
    named = source.get("callId") if isinstance(source, dict) else None
    return _text(named) or _text(message.get("toolCallId")) or _text(data.get("callId"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
