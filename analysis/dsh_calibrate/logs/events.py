"""What a session log says, as the guards need it: a flat stream of typed events.

:func:`dsh_calibrate.logs.reading.read_log` turns the lines of one log, of any format
version, into these. Order is the order of the log's lines. ``seq`` is the log's own number
of the line (its position when the log carries none), ``line`` the physical line counted
from 1 (the header), ``time`` epoch milliseconds or ``None`` when the log does not say.
``turn`` and ``step`` are the log's own numbers or ``None``.

Inherited history of a fork, replaced messages and replaced results never become events.
The structs are frozen; one is made per line that matters, so they are ``msgspec`` structs
rather than data classes (about a tenth of the cost).
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Literal

import msgspec


class Header(msgspec.Struct, frozen=True):
    """Line 1 of a log (session-format.md, section 3)."""

    session: str
    version: int | None
    created_at: int
    cwd: str | None
    parent_session: str | None
    seed_length: int | None
    is_seeded: bool | None
    origin: str | None
    delegation_depth: int
    agent_preset: str | None


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Where in the log something happened."""

    seq: int
    line: int
    time: int | None = None


class LifecycleStart(Event, frozen=True, kw_only=True, gc=False):
    """An agent with empty state begins: the first line, or a ``session/end-seed`` line.

    ``number`` is how many of the log's own ``session/end-seed`` lines have been passed.
    """

    number: int


class Gap(Event, frozen=True, kw_only=True, gc=False):
    """Damage was skipped (``--salvage``): what follows starts with emptied state."""


class TurnStart(Event, frozen=True, kw_only=True, gc=False):
    """A turn begins."""

    turn: int | None


class TurnEnd(Event, frozen=True, kw_only=True, gc=False):
    """A turn ended; ``reason`` is its kind, ``abort`` who aborted it (``user``, ``hook``…)."""

    turn: int | None
    reason: str
    abort: str | None = None


class StepStart(Event, frozen=True, kw_only=True, gc=False):
    """A step (one model call and the tool runs it asked for) begins."""

    turn: int | None
    step: int | None


class StepEnd(Event, frozen=True, kw_only=True, gc=False):
    """A step ended."""

    turn: int | None
    step: int | None


class Human(Event, frozen=True, kw_only=True, gc=False):
    """A ``user/message`` whose source kind is exactly ``user``: resets every guard."""

    turn: int | None


class Notice(Event, frozen=True, kw_only=True, gc=False):
    """A ``user/message`` of any other source; resets nothing.

    ``kind`` is the source's kind, ``plugin`` the producer named beside kind ``plugin``
    (formats 0 to 3), ``summary`` the short text a notice may carry, ``text`` the first
    text block (for recognising a guard's own advice; never shown unmasked).
    """

    kind: str
    plugin: str | None
    form: str | None
    summary: str | None
    text: str


class Call(Event, frozen=True, kw_only=True, gc=False):
    """A ``tool/call`` line or the start of a sub-call of ``run_code``.

    ``index`` counts the calls of the lifecycle from 0, in line order, sub-calls included.
    ``arguments`` is JSON text as the model wrote it (for a sub-call: the JSON text of the
    recorded value). ``dispatched`` is false when the recorded result says that the call
    never reached a guard (``ABORTED_BEFORE_DISPATCH``, ``TOOL_NOT_STARTED``). ``approval``
    is the recorded outcome of an approval asked for this call, if any.
    """

    index: int
    turn: int | None
    step: int | None
    call_id: str
    tool: str
    arguments: str
    sub: bool = False
    parent_call_id: str | None = None
    dispatched: bool = True
    approval: str | None = None
    approval_reason: str | None = None


class Result(Event, frozen=True, kw_only=True, gc=False):
    """A ``tool/result`` line or the settling of a sub-call.

    ``call`` is the ``index`` of its call in this lifecycle; ``None`` when the call lies in
    an earlier lifecycle or nowhere (it then settles nothing). ``text`` is the text blocks
    joined by newlines, other blocks as empty strings. ``synthetic`` marks results that
    crash repair or a fork invented. ``status_code`` is ``meta.statusCode``.
    """

    call: int | None
    turn: int | None
    step: int | None
    call_id: str
    tool: str
    text: str
    is_error: bool
    error_name: str | None = None
    error_code: str | None = None
    status_code: float | None = None
    synthetic: bool = False
    sub: bool = False


class StreamOpen(Event, frozen=True, kw_only=True, gc=False):
    """The first reasoning of one model attempt is about to follow.

    ``stream`` counts the lifecycle's attempts that carry reasoning, from 0; ``attempt``
    counts all attempts of the step, from 1. ``started`` is when the attempt began (the
    step's start, or the end of the wait before a retry), epoch milliseconds.
    ``provider``, ``model`` and ``effort`` are what the log says at this point.
    """

    stream: int
    turn: int | None
    step: int | None
    attempt: int
    provider: str | None = None
    model: str | None = None
    effort: str | None = None
    started: int | None = None


class StreamPieces(Event, frozen=True, kw_only=True, gc=False):
    """Consecutive ``reasoning-delta`` texts of the open stream, as recorded.

    ``times[k]`` is the time of ``texts[k]`` (epoch milliseconds) or ``times`` is ``None``.
    Piece ``k`` has seq ``seq + k * seq_stride`` (stride 1 in formats 0 and 1, where each
    piece is an event of its own, else 0). Neighbouring lines come as one event: ``per_line``
    tells how many pieces each of the lines from ``line`` on holds (``None``: all are on
    ``line``); their times do not fall from line to line. ``granular`` is false when the log
    kept no pieces and ``texts`` holds whole block texts.
    """

    stream: int
    texts: tuple[str, ...]
    times: tuple[int, ...] | None = None
    seq_stride: int = 0
    per_line: tuple[int, ...] | None = None
    granular: bool = True

    def line_of(self, piece: int) -> int:
        """The physical line that holds piece ``piece`` (counted from 0)."""
        if self.per_line is None:
            return self.line
        return self.line + bisect_right(list(accumulate(self.per_line)), piece)

    def line_time(self, piece: int) -> int | None:
        """When the line that holds piece ``piece`` was written, epoch milliseconds."""
        if self.per_line is None or self.times is None:
            return self.time
        starts = list(accumulate(self.per_line, initial=0))
        return self.times[starts[bisect_right(starts, piece) - 1]]

    @property
    def last_time(self) -> int | None:
        """When the last of the lines was written, epoch milliseconds."""
        if self.per_line is None or self.times is None:
            return self.time
        return self.times[-self.per_line[-1]]


class StreamClose(Event, frozen=True, kw_only=True, gc=False):
    """The open stream is over. ``outcome`` is ``message``, ``attempt`` or ``lost``.

    ``finish`` is the recorded finish reason (``stop``, ``tool-calls``, ``error``,
    ``aborted``, …), ``failure_code`` the code of its failure. ``visible`` tells whether the
    attempt also produced text or a tool call. ``provider`` and ``model`` are final.
    """

    stream: int
    outcome: Literal["message", "attempt", "lost"]
    finish: str | None = None
    failure_code: str | None = None
    visible: bool = False
    interrupted: bool = False
    provider: str | None = None
    model: str | None = None


class Retry(Event, frozen=True, kw_only=True, gc=False):
    """An ``llm/retry`` line; ``code`` is the failure that caused it."""

    turn: int | None
    step: int | None
    code: str | None


class Usage(Event, frozen=True, kw_only=True, gc=False):
    """What one model answer cost, as its ``assistant/message`` says (session-format.md 5.4).

    ``output_tokens`` include the ``reasoning_tokens``; a count that the log does not tell is
    ``None``.
    """

    turn: int | None
    step: int | None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
