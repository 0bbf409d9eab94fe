"""What happens in a made-up session, apart from any format version.

:mod:`.sessions` builds lists of these, :mod:`.lines` writes them as the lines of one format.
Times are epoch milliseconds. A ``call`` field is the place of the call's happening in the
list, so that repeated call ids cannot confuse a result with the wrong call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

Outcome = Literal["message", "attempt", "lost"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """Something that happened at ``time``."""

    time: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStart(Happening):
    """A turn begins."""

    turn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd(Happening):
    """A turn ends; ``abort`` names who aborted it, ``code`` the failure that ended it."""

    turn: int
    reason: str = "completed"
    abort: str | None = None
    code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepStart(Happening):
    """A step begins."""

    turn: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEnd(Happening):
    """A step ends."""

    turn: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Happening):
    """The model settings in force from here on (``request/header``, ``request/context``)."""

    provider: str
    model: str
    effort: str | None
    reason: Literal["initial", "resume", "change"]
    turn: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanMessage(Happening):
    """A ``user/message`` of kind ``user``; ``steering`` when sent inside a running turn."""

    message: str
    text: str
    steering: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeMessage(Happening):
    """A ``user/message`` of any other ``producer`` (its v4 name: session-format.md 5.2)."""

    message: str
    text: str
    producer: str
    form: str | None = None
    summary: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallBlock:
    """A tool call as it stands in the assistant's message; ``arguments`` is raw text."""

    call_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply(Happening):
    """One model attempt: reasoning, answer and tool calls. ``time`` is its end.

    ``pieces`` are the reasoning deltas with their ``piece_times``; ``granular`` false means
    that a v0 or v1 log keeps no chunk lines and a later one keeps only the block.
    ``failure`` is the code of a failed attempt, ``finish`` the recorded finish kind.
    """

    turn: int
    step: int
    message: str
    pieces: tuple[str, ...] = ()
    piece_times: tuple[int, ...] = ()
    answer: str = ""
    calls: tuple[CallBlock, ...] = ()
    outcome: Outcome = "message"
    finish: str | None = None
    failure: str | None = None
    interrupted: bool = False
    granular: bool = True
    provider: str = "deepseek-official"
    model: str = "deepseek-v4-flash"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryWait(Happening):
    """An ``llm/retry`` line; ``retry`` counts the retries of the step from 1."""

    turn: int
    step: int
    retry: int
    code: str
    delay_ms: int
    provider: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryStart(Happening):
    """An ``llm/retry-started`` line."""

    turn: int
    step: int
    retry: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall(Happening):
    """A ``tool/call`` line."""

    turn: int
    step: int
    call_id: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult(Happening):
    """A ``tool/result`` line; ``call`` is the place of its call or ``None`` (nowhere)."""

    turn: int
    step: int
    message: str
    call_id: str
    call: int | None
    text: str
    is_error: bool = False
    error_name: str | None = None
    error_code: str | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubStart(Happening):
    """The start of sub-call ``number`` (from 1) of the ``run_code`` call ``parent``."""

    parent: str
    number: int
    tool: str
    arguments: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class SubEnd(Happening):
    """The settling of a sub-call."""

    parent: str
    number: int
    tool: str
    arguments: Json
    text: str
    is_error: bool = False
    error_name: str | None = None
    error_code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval(Happening):
    """An operator was asked about a call: ``approval/asked`` and ``approval/decided``."""

    number: int
    call_id: str
    tool: str
    outcome: str
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EndSeed(Happening):
    """A ``session/end-seed`` line; ``inherited`` when a copied history ends here."""

    inherited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Prune(Happening):
    """An earlier result is rewritten: ``compaction/prune`` and a replacing result.

    ``result`` is the place of the :class:`ToolResult` that is rewritten.
    """

    result: int
    message: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary(Happening):
    """The whole surface so far is replaced by one checkpoint message."""

    number: int
    turn: int | None
    message: str
    text: str
    provider: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor(Happening):
    """A ``subagent/descriptor`` line of a delegated child."""

    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(Happening):
    """Any other line, written as given in every format."""

    type: str
    data: Mapping[str, Json]
    ignorable: bool = False
