"""Shrinks a log to the smallest that keeps a decision: turns, steps, calls, lines, pieces."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dsh_calibrate.corpora.redaction.stored_lines import NotCopied, load_lines, to_bytes
from dsh_calibrate.corpora.shrinking import parts, pieces
from dsh_calibrate.corpora.shrinking.ddmin import ddmin
from dsh_calibrate.corpora.shrinking.renumbering import renumbered, unseeded
from dsh_calibrate.corpora.shrinking.target import Target, chosen, essence
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan

Object = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The smaller log: its bytes, the decision in both logs, sizes in lines with the header."""

    data: bytes
    before: Decision
    after: Decision
    lines_before: int
    lines_after: int
    trials: int


def shrink(log: Log, plan: Plan, target: Target, *, encoding: str = "plain") -> Shrunk:
    """The smallest log that still holds the decision that ``target`` names.

    "Still" is: same guard, verdict, stage, fingerprint, count and threshold, in a log that
    reads whole. The result is the same every time. Raises :class:`UsageError` when the log
    cannot be read or holds no such decision.
    """
    try:
        stored = load_lines(log.path)
    except NotCopied as wrong:
        raise UsageError(f"{log.key}: {wrong}; nothing to shrink") from None
    before = chosen(target, replay_log(log, plan).decisions)
    with tempfile.TemporaryDirectory(prefix="dsh-calibrate-") as folder:
        trial = _Trial(Path(folder) / "trial.jsonl", plan, before)
        lines = _shrunk(_own_lines(stored.lines, stored.coverage.inherited_lines, trial), trial)
        after = trial.decision(lines)
    assert after is not None
    final = renumbered(lines)
    return Shrunk(
        to_bytes(final, encoding), before, after, len(stored.lines), len(final), trial.count
    )


@dataclass(slots=True)
class _Trial:
    """Replays candidates; ``count`` is how many."""

    path: Path
    plan: Plan
    before: Decision
    count: int = 0
    memo: Memo = field(default_factory=Memo)

    def passes(self, lines: Sequence[Object]) -> bool:
        """Whether the decision is still there."""
        return self.decision(lines) is not None

    def decision(self, lines: Sequence[Object]) -> Decision | None:
        """The decision in the candidate, which must read whole."""
        self.count += 1
        self.path.write_bytes(to_bytes(renumbered(lines), "plain"))
        outcome = replay_log(Log(self.path, "trial", self.path.parent), self.plan, self.memo)
        if outcome.coverage.status != "read":
            return None
        return _same(self.before, outcome)


def _same(before: Decision, outcome: LogOutcome) -> Decision | None:
    wanted = essence(before)
    found = outcome.guards[before.guard].decisions if before.guard in outcome.guards else ()
    return next((d for d in found if essence(d) == wanted), None)


def _own_lines(lines: list[Object], inherited: int, trial: _Trial) -> list[Object]:
    """The lines without inherited history, where the decision does not need it."""
    if not trial.passes(lines):
        raise UsageError(
            "the decision is not there any more when the log is written anew up to its damage; "
            "nothing to shrink"
        )
    alone = [unseeded(lines[0]), *lines[1 + inherited :]]
    if inherited and trial.passes(alone):
        return alone
    return lines


def _shrunk(lines: list[Object], trial: _Trial) -> list[Object]:
    """Leave out part after part until nothing more can go."""
    levels: list[Callable[[Sequence[Object]], list[parts.Part]]] = [
        lambda those: parts.spans(those, "turn"),
        lambda those: parts.spans(those, "step"),
        parts.calls,
        parts.single_lines,
    ]
    while True:
        size = len(lines)
        for level in levels:
            lines = _less(lines, level(lines), trial)
        if len(lines) == size:
            break
    lines = _finer(lines, pieces.entries(lines), trial, is_row=False)
    return _finer(lines, pieces.texts(lines), trial, is_row=True)


def _less(lines: list[Object], candidates: Sequence[parts.Part], trial: _Trial) -> list[Object]:
    movable = {at for part in candidates for at in part}

    def with_only(kept: list[parts.Part]) -> list[Object]:
        standing = {at for part in kept for at in part}
        left = [line for at, line in enumerate(lines) if at in standing or at not in movable]
        return _tidy(left, lines)

    return with_only(ddmin(candidates, lambda kept: trial.passes(with_only(kept))))


def _finer(
    lines: list[Object],
    candidates: Sequence[pieces.Place],
    trial: _Trial,
    *,
    is_row: bool,
) -> list[Object]:
    """Leave out what is within lines; every row (``is_row``) keeps a piece at least."""

    def with_only(kept: list[pieces.Place]) -> list[Object]:
        return pieces.without(lines, set(candidates) - set(kept))

    rows = {(at, way) for at, way, _ in candidates} if is_row else set()

    def passes(kept: list[pieces.Place]) -> bool:
        if not rows <= {(at, way) for at, way, _ in kept}:
            return False  # a row without any piece is damage
        return trial.passes(with_only(kept))

    return with_only(ddmin(candidates, passes))


def _tidy(left: list[Object], before: list[Object]) -> list[Object]:
    """Take requests of calls that are gone out of the model's messages."""
    gone = _call_ids(before) - _call_ids(left)
    if not gone:
        return left
    return [_without_requests(line, gone) for line in left]


def _call_ids(lines: Sequence[Object]) -> set[str]:
    datas = (line.get("data") for line in lines if line.get("type") == "tool/call")
    ids = (data.get("callId") for data in datas if isinstance(data, dict))
    return {name for name in ids if isinstance(name, str)}


def _without_requests(line: Object, gone: set[str]) -> Object:
    data = line.get("data")
    message = data.get("message") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(message, dict):
        return line
    content = message.get("content")
    if line.get("type") != "assistant/message" or not isinstance(content, list):
        return line
    blocks = [
        block
        for block in content
        if not (isinstance(block, dict) and block.get("type") == "tool-call")
        or block.get("id") not in gone
    ]
    if len(blocks) == len(content):
        return line
    return {**line, "data": {**data, "message": {**message, "content": blocks}}}
