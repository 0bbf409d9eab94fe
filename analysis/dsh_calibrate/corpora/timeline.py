"""What a session under construction knows: its clock, its numbers, what is open.

:class:`Timeline` is the ground of :class:`dsh_calibrate.corpora.sessions.Session`; it keeps
turns, steps and times consistent, the classes above it say what can happen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from dsh_calibrate.corpora.happenings import (
    Happening,
    Reply,
    Request,
    StepEnd,
    StepStart,
    ToolCall,
    TurnEnd,
    TurnStart,
)

START = 1_790_000_000_000
"""When sessions begin unless told otherwise (epoch milliseconds)."""

TICK = 250
"""Milliseconds between two happenings unless told otherwise."""


@dataclass(slots=True)
class Open:
    """What is open at the end of the session so far."""

    turn: bool = False
    step: bool = False
    reply: int | None = None
    settled: bool = False
    """Something followed the reply of the open step, so the next reply needs a new step."""
    calls: list[int] = field(default_factory=list)
    subs: list[int] = field(default_factory=list)
    retries: int = 0


class Timeline:
    """The happenings of one session so far and the state behind them."""

    def __init__(
        self,
        session_id: str = "session-1",
        *,
        cwd: str | None = "/work/app",
        start: int = START,
        tick: int = TICK,
        provider: str = "deepseek-official",
        model: str = "deepseek-v4-flash",
        effort: str | None = None,
        preset: str | None = "standard",
        parent: str | None = None,
        origin: str | None = None,
        depth: int = 0,
    ) -> None:
        self.id = session_id
        self.cwd = cwd
        self.created_at = start
        self.preset = preset
        self.parent = parent
        self.origin = origin
        self.depth = depth
        self.inherited: int | None = None
        """How many happenings at the start are copies of the parent's (a seeded fork)."""
        self._tick = tick
        self._now = start
        self._happenings: list[Happening] = []
        self._open = Open()
        self._turn = 0
        self._step = 0
        self._messages = 0
        self._approvals = 0
        self._compactions = 0
        self._call_ids = 0
        self._provider, self._model, self._effort = provider, model, effort
        self._announced: tuple[str, str, str | None] | None = None
        self._request_reason: str | None = None
        self._crashed = False

    @property
    def now(self) -> int:
        """Time of the last happening (epoch milliseconds)."""
        return self._now

    @property
    def turn(self) -> int:
        """The number of the last turn (0: none yet)."""
        return self._turn

    def happenings(self) -> tuple[Happening, ...]:
        """All that happened, with the open step and turn closed unless it crashed."""
        if self._crashed or not self._open.turn:
            return tuple(self._happenings)
        closers: list[Happening] = []
        time = self._now
        if self._open.step:
            time += self._tick
            closers.append(StepEnd(time=time, turn=self._turn, step=self._step))
        closers.append(TurnEnd(time=time, turn=self._turn))
        return (*self._happenings, *closers)

    def _add(self, happening: Happening) -> None:
        self._happenings.append(happening)

    def _since(self, place: int) -> Sequence[Happening]:
        return self._happenings[place:]

    def _later(self, ms: int | None = None) -> int:
        self._now += self._tick if ms is None else ms
        return self._now

    def _wait(self, after: int | None) -> None:
        if after is not None:
            self._now += after

    def _message(self) -> str:
        self._messages += 1
        return f"{self.id}:m{self._messages}"

    def _begin_turn(self, after: int | None = None) -> None:
        self._wait(after)
        self._turn += 1
        self._step = 0
        self._open = Open(turn=True)
        self._add(TurnStart(time=self._later(), turn=self._turn))

    def _begin_step(self) -> None:
        self._step += 1
        self._open = Open(turn=True, step=True)
        self._add(StepStart(time=self._later(0), turn=self._turn, step=self._step))

    def _end_step(self) -> None:
        if self._open.step:
            self._add(StepEnd(time=self._later(), turn=self._turn, step=self._step))
            self._open.step = False

    def _need_step(self) -> None:
        """Make sure that an open step without a reply is there."""
        if not self._open.turn:
            self._begin_turn()
        if self._open.step and self._open.reply is not None:
            self._end_step()
        if not self._open.step:
            self._begin_step()

    def _announce(self) -> None:
        settings = (self._provider, self._model, self._effort)
        if settings == self._announced:
            return
        initial = self._announced is None
        reason = self._request_reason or ("initial" if initial else "change")
        self._announced, self._request_reason = settings, None
        self._add(
            Request(
                time=self._later(0),
                provider=self._provider,
                model=self._model,
                effort=self._effort,
                reason="resume" if reason == "resume" else "initial" if initial else "change",
                turn=self._turn,
                step=self._step,
            )
        )

    def _attempt_stands(self) -> bool:
        last = self._happenings[-1] if self._happenings else None
        return isinstance(last, Reply) and last.outcome == "attempt"

    def _take_call(self, call_id: str | None) -> int | None:
        for position, place in enumerate(self._open.calls):
            call = self._happenings[place]
            assert isinstance(call, ToolCall)
            if call_id is None or call.call_id == call_id:
                return self._open.calls.pop(position)
        return None
