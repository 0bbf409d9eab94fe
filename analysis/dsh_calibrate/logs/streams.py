"""The reasoning of each model attempt, in both storages (session-format.md 4.2-4.4 and 7).

Formats 0 and 1 write pieces as lines of their own, which are grouped into attempts here;
later formats keep a whole attempt inside one line. Only ``reasoning-delta`` texts are fed;
the text of finished blocks stands in where an attempt kept no pieces at all (C71, C72).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Literal, cast

import msgspec

from dsh_calibrate.logs.decode import NotUnderstood, string
from dsh_calibrate.logs.events import Event, StreamClose, StreamOpen, StreamPieces
from dsh_calibrate.logs.shapes import Block, Chunk, Entry, RowData

VISIBLE = frozenset({"text-delta", "tool-call-delta", "text-chunks", "tool-call-chunks"})
"""Types of chunks and rows that show that an attempt did more than reason."""


class CorruptRow(Exception):
    """A packed row whose ``dt`` is not one shorter than its payload (C70)."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """Where in the log a line is."""

    seq: int
    line: int
    time: int | None


@dataclass(slots=True)
class _Attempt:
    """A model attempt that is being collected."""

    turn: int | None
    step: int | None
    stream: int | None = None
    visible: bool = False
    finish: str | None = None
    failure: str | None = None
    blocks: list[str] = field(default_factory=list)


def members(row: RowData | Entry) -> list[str]:
    """Return a row's payload; raises :class:`CorruptRow` and ``NotUnderstood``.

    A row that keeps no ``dt`` at all says nothing of times, and is no corrupt one (C71).
    """
    payload = row.texts if row.texts is not None else row.args
    if payload is None:
        raise NotUnderstood
    if not payload or (row.dt is not None and len(row.dt) != len(payload) - 1):
        raise CorruptRow
    return payload


def member_times(time0: float | None, gaps: list[int | float] | None) -> tuple[int, ...] | None:
    """Return the time of every member, epoch milliseconds; ``None`` where it is not kept."""
    if time0 is None or gaps is None:
        return None
    try:
        times = tuple(accumulate(gaps, initial=time0))
        if type(times[-1]) is int:  # one fraction makes every later sum a fraction
            return cast("tuple[int, ...]", times)
        return tuple(int(time) for time in times)
    except (OverflowError, ValueError):  # infinite, or too large to add
        return None


class Streams:
    """Follows the attempts of one log and emits their events.

    ``provider``, ``model``, ``effort`` hold what the log last said of its requests.
    ``seen`` becomes true with the first reasoning of the log's own part.
    """

    def __init__(self, emit: Callable[[Event], None]) -> None:
        self._emit = emit
        self._count = 0
        self._done = 0
        self._open: _Attempt | None = None
        self._step: tuple[int | None, int | None] = (None, None)
        self._started: int | None = None
        self.provider: str | None = None
        self.model: str | None = None
        self.effort: str | None = None
        self.seen = False
        self._counted = False

    def start_lifecycle(self, place: Place) -> None:
        """Begin a lifecycle: an open stream is lost, numbers start again."""
        self.cut(place)
        self._count = 0

    def start_step(self, turn: int | None, step: int | None, place: Place) -> None:
        """Begin a step."""
        self.cut(place)
        self._step = (turn, step)
        self._started = place.time
        self._counted = False

    def end_step(self, place: Place) -> None:
        """End a step or a turn: chunks without a message were an attempt of their own."""
        self._close(place, "attempt")
        self._done = 0

    def cut(self, place: Place) -> None:
        """The log breaks off here (end, damage, resume): an open attempt is lost."""
        attempt = self._open
        failed = attempt is not None and attempt.finish in ("error", "aborted")
        self._close(place, "attempt" if failed else "lost")
        self._done = 0

    def retry(self, place: Place, turn: int | None, step: int | None) -> None:
        """``llm/retry``: the attempt so far failed, with or without any piece.

        From format 2 on its ``assistant/attempt`` line has counted it already.
        """
        if self._open is None and not self._counted:
            if (turn, step) != self._step:
                self._done, self._step = 0, (turn, step)
            self._done += 1
        else:
            self._close(place, "attempt")
        self._counted = False

    def retry_started(self, place: Place) -> None:
        """``llm/retry-started``: the wait is over, the next attempt begins."""
        self._close(place, "attempt")
        self._started = place.time if place.time is not None else self._started

    def chunk(self, turn: int | None, step: int | None, chunk: Chunk, place: Place) -> None:
        """Take one chunk line of formats 0 and 1."""
        if chunk.type == "reasoning-delta":
            attempt = self._unfinished(turn, step, place)
            if chunk.text is None:
                raise NotUnderstood
            times = None if place.time is None else (place.time,)
            self._pieces(attempt, (chunk.text,), times, place, stride=1)
        else:
            _note(self._unfinished(turn, step, place), chunk)

    def row(
        self, turn: int | None, step: int | None, kind: str, data: RowData, place: Place, skip: int
    ) -> None:
        """Take a packed row of formats 0 and 1; its first ``skip`` members are inherited."""
        attempt = self._unfinished(turn, step, place)
        if kind != "reasoning-chunks":
            attempt.visible = True
            return
        texts = members(data)
        times = member_times(place.time, data.dt)
        if skip:
            place = Place(place.seq + skip, place.line, times[skip] if times else None)
            texts = texts[skip:]
            times = times[skip:] if times else None
        self._pieces(attempt, tuple(texts), times, place, stride=1)

    def stretch(
        self,
        turn: int | None,
        step: int | None,
        texts: tuple[str, ...],
        times: tuple[int, ...],
        per_line: tuple[int, ...],
        place: Place,
    ) -> None:
        """Take the reasoning of neighbouring lines of formats 0 and 1 at once.

        ``place`` is the first line's; see :class:`StreamPieces` for ``per_line``.
        """
        attempt = self._unfinished(turn, step, place)
        self._pieces(attempt, texts, times, place, stride=1, per_line=per_line)

    def whole(
        self,
        turn: int | None,
        step: int | None,
        stream: list[Entry] | None,
        content: list[Block] | str | None,
        place: Place,
        *,
        outcome: Literal["message", "attempt"],
        interrupted: bool = False,
        provider: str | None = None,
        model: str | None = None,
    ) -> None:
        """Take a message or a failed attempt, with its stream where the format keeps it."""
        attempt = self._current(turn, step, place)
        for texts, times in _reasoning(stream or (), attempt):
            self._pieces(attempt, tuple(texts), times, place, stride=0)
        blocks = content if isinstance(content, list) else []
        texts = [b.text for b in blocks if b.type == "reasoning" and b.text]
        if texts:
            attempt.blocks = texts
        if any(b.type in ("text", "tool-call") for b in blocks):
            attempt.visible = True
        self.provider, self.model = provider or self.provider, model or self.model
        self._close(place, outcome, interrupted=interrupted)
        self._counted = outcome == "attempt"

    def _unfinished(self, turn: int | None, step: int | None, place: Place) -> _Attempt:
        """The attempt that a line of this step belongs to; behind a finish a new one."""
        attempt = self._current(turn, step, place)
        if attempt.finish is not None:
            self._close(place, "attempt")
            attempt = self._current(turn, step, place)
        return attempt

    def _current(self, turn: int | None, step: int | None, place: Place) -> _Attempt:
        attempt = self._open
        if attempt is not None and (attempt.turn, attempt.step) == (turn, step):
            return attempt
        if attempt is not None:
            self._close(place, "attempt")
        if (turn, step) != self._step:
            self._done, self._step = 0, (turn, step)
        self._open = _Attempt(turn, step)
        return self._open

    def _pieces(
        self,
        attempt: _Attempt,
        texts: tuple[str, ...],
        times: tuple[int, ...] | None,
        place: Place,
        *,
        stride: int,
        per_line: tuple[int, ...] | None = None,
        granular: bool = True,
    ) -> None:
        self.seen = True
        if attempt.stream is None:
            attempt.stream = self._count
            self._count += 1
            self._emit(
                StreamOpen(
                    seq=place.seq,
                    line=place.line,
                    time=place.time,
                    stream=attempt.stream,
                    turn=attempt.turn,
                    step=attempt.step,
                    attempt=self._done + 1,
                    provider=self.provider,
                    model=self.model,
                    effort=self.effort,
                    started=self._started,
                )
            )
        self._emit(
            StreamPieces(
                seq=place.seq,
                line=place.line,
                time=place.time,
                stream=attempt.stream,
                texts=texts,
                times=times,
                seq_stride=stride,
                per_line=per_line,
                granular=granular,
            )
        )

    def _close(
        self,
        place: Place,
        outcome: Literal["message", "attempt", "lost"],
        *,
        interrupted: bool = False,
    ) -> None:
        attempt = self._open
        if attempt is None:
            return
        if attempt.stream is None and attempt.blocks:
            texts = tuple(attempt.blocks)
            self._pieces(attempt, texts, None, place, stride=0, granular=False)
        self._open = None
        self._done += 1
        if attempt.stream is None:
            return
        self._emit(
            StreamClose(
                seq=place.seq,
                line=place.line,
                time=place.time,
                stream=attempt.stream,
                outcome=outcome,
                finish=attempt.finish,
                failure_code=attempt.failure,
                visible=attempt.visible,
                interrupted=interrupted,
                provider=self.provider,
                model=self.model,
            )
        )


def _reasoning(
    stream: Sequence[Entry], attempt: _Attempt
) -> Iterator[tuple[list[str], tuple[int, ...] | None]]:
    """Yield the reasoning of a stored stream with its times; note what else it holds.

    Neighbouring records come together where both tell their times or neither does.
    """
    texts: list[str] = []
    times: list[int] = []
    for entry in stream:
        try:
            more, at = _pieces_of(entry, attempt)
        except (CorruptRow, NotUnderstood):
            if texts:  # what stands before the damage is kept
                yield texts, tuple(times) if times else None
            raise
        if more is None:
            if entry.chunk is not None and entry.type not in VISIBLE:
                if texts:  # a block's text stands in only where no piece came before it
                    yield texts, tuple(times) if times else None
                    texts, times = [], []
                _note(attempt, entry.chunk)
            continue
        if texts and (at is None) != (not times):
            yield texts, tuple(times) if times else None
            texts, times = [], []
        texts += more
        times += at or ()
    if texts:
        yield texts, tuple(times) if times else None


def _pieces_of(entry: Entry, attempt: _Attempt) -> tuple[list[str] | None, tuple[int, ...] | None]:
    """The reasoning of one record of a stored stream (``None``: it holds none) and its times."""
    if entry.type == "reasoning-chunks":
        return members(entry), member_times(entry.time0, entry.dt)
    if entry.type in VISIBLE:
        members(entry)
        attempt.visible = True
        return None, None
    if entry.chunk is not None and entry.chunk.type == "reasoning-delta":
        at = None if entry.time is None else member_times(entry.time, [])
        return [entry.chunk.text or ""], at
    return None, None


def _note(attempt: _Attempt, chunk: Chunk) -> None:
    """Remember what a chunk that is no reasoning says of its attempt."""
    if chunk.type in VISIBLE:
        attempt.visible = True
    elif chunk.type == "block-end" and chunk.block is not None:
        if chunk.block.type == "reasoning" and chunk.block.text and attempt.stream is None:
            attempt.blocks.append(chunk.block.text)
    elif chunk.type == "finish" and isinstance(chunk.reason, dict):
        attempt.finish = string(chunk.reason.get("kind"))
        failure = chunk.reason.get("failure")
        if isinstance(failure, dict):
            attempt.failure = string(failure.get("code"))


def check_stream(stream: list[Entry] | None, content: list[Block] | str | None) -> bool:
    """Check a message's packed rows and tell whether it holds any reasoning.

    Raises what :func:`members` raises.
    """
    found = False
    for entry in stream or ():
        if entry.type == "reasoning-chunks":
            members(entry)
            found = True
        elif entry.type in VISIBLE:
            members(entry)
        elif entry.chunk is not None:
            block = entry.chunk.block
            found |= entry.chunk.type == "reasoning-delta"
            found |= block is not None and block.type == "reasoning" and bool(block.text)
    blocks = content if isinstance(content, list) else ()
    return found or any(b.type == "reasoning" and b.text for b in blocks)
