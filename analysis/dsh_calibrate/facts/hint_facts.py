"""What suggests how a session went, and the guards' recorded messages."""

from __future__ import annotations

from dsh_calibrate.facts.sinks import Sinks
from dsh_calibrate.logs.events import (
    Call,
    Event,
    LifecycleStart,
    Notice,
    Result,
    StepStart,
    StreamClose,
    StreamOpen,
    TurnEnd,
    TurnStart,
)
from dsh_calibrate.replay.recorded import producer

_GUARDS = {"repeat-tool-breaker": "rtb", "repeat-tool-reminder": "rtr"}


class HintFacts:
    """Fills ``notices`` of one log and counts the hints of its row in ``logs``."""

    def __init__(self, sinks: Sinks) -> None:
        self.turns = self.turns_completed = self.turns_user_aborted = 0
        self.aborts_in_reasoning = self.error_results = self.declined_approvals = 0
        self.last_turn_reason: str | None = None
        self.notices = {"rtb": 0, "rtr": 0}
        self.first_time: int | None = None
        self.last_time: int | None = None
        self._sinks = sinks
        self._lifecycle = 0
        self._has_only_reasoning = False
        self._steps = [0, 0]
        """Lines behind which advice can still be delivered: without and with one step start."""
        self._is_step_quiet = True

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if event.time is not None:
            if self.first_time is None:
                self.first_time = event.time
            self.last_time = event.time
        kind = type(event)
        if kind is Call:
            assert isinstance(event, Call)
            self._is_step_quiet = self._has_only_reasoning = False
            self.declined_approvals += event.approval not in (None, "allowed-once")
        elif kind is Result:
            assert isinstance(event, Result)
            self.error_results += event.is_error and not event.synthetic
        elif kind is StepStart:
            self._steps = [self._steps[1], event.line]
            self._is_step_quiet = True
            self._has_only_reasoning = False
        elif kind is StreamOpen:
            self._is_step_quiet = False
            self._has_only_reasoning = True
        elif kind is StreamClose:
            assert isinstance(event, StreamClose)
            self._has_only_reasoning = self._has_only_reasoning and not event.visible
        elif kind is Notice:
            assert isinstance(event, Notice)
            self._notice(event)
        elif kind is TurnStart:
            self._has_only_reasoning = False
        elif kind is TurnEnd:
            assert isinstance(event, TurnEnd)
            self._turn(event)
        elif kind is LifecycleStart:
            assert isinstance(event, LifecycleStart)
            self._lifecycle = event.number
            self._steps = [event.line, event.line]
            self._is_step_quiet = True

    def finish(self) -> None:
        """The log is over."""

    def _notice(self, notice: Notice) -> None:
        guard = _GUARDS.get(producer(notice))
        if guard is None:
            return
        self.notices[guard] += 1
        since = self._steps[0] if self._is_step_quiet else self._steps[1]
        self._sinks["notices"].add(
            (self._lifecycle, notice.seq, notice.line, guard, since, notice.summary or "")
        )

    def _turn(self, turn: TurnEnd) -> None:
        self.turns += 1
        self.last_turn_reason = turn.reason
        self.turns_completed += turn.reason == "completed"
        if turn.reason == "aborted" and turn.abort == "user":
            self.turns_user_aborted += 1
            self.aborts_in_reasoning += self._has_only_reasoning
        self._has_only_reasoning = False
