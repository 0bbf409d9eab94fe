"""People, notices and the model: the speaking part of a session under construction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from dsh_calibrate.corpora.happenings import (
    HumanMessage,
    NoticeMessage,
    Outcome,
    Reply,
    RetryStart,
    RetryWait,
    TurnEnd,
)
from dsh_calibrate.corpora.timeline import Open, Timeline
from dsh_calibrate.errors import UsageError


def pieces_of(text: str, size: int) -> tuple[str, ...]:
    """Cut a text into pieces of ``size`` code points (the last may be shorter)."""
    if size < 1:
        raise UsageError(f"piece size {size}: use a whole number of at least 1")
    return tuple(text[start : start + size] for start in range(0, len(text), size))


class Talk(Timeline):
    """Messages of people and plugins, and what the model answers."""

    def human(self, text: str = "Go on.", *, after: int | None = None) -> Self:
        """Let a person write while nothing runs: a new turn begins."""
        self.end_turn()
        self._begin_turn(after)
        self._begin_step()
        self._add(HumanMessage(time=self._later(0), message=self._message(), text=text))
        return self

    def steer(self, text: str, *, after: int | None = None) -> Self:
        """Let a person write into the running turn; it comes with the next step."""
        if not self._open.turn:
            return self.human(text, after=after)
        self._wait(after)
        self._need_step()
        self._add(
            HumanMessage(time=self._later(), message=self._message(), text=text, steering=True)
        )
        return self

    def notice(
        self,
        text: str,
        *,
        producer: str = "runtime-context",
        form: str | None = "notice",
        summary: str | None = None,
        after: int | None = None,
    ) -> Self:
        """Let a plugin or the harness speak as a ``user/message``; resets nothing.

        ``producer`` is the v4 name (``tool-jobs``, ``dsh-repeat-tool-breaker``…). Inside a
        turn it stands in a step that has no reply yet, as live notices do.
        """
        self._wait(after)
        if self._open.turn:
            self._need_step()
        self._add(
            NoticeMessage(
                time=self._later(),
                message=self._message(),
                text=text,
                producer=producer,
                form=form,
                summary=summary,
            )
        )
        return self

    def using(
        self, *, provider: str | None = None, model: str | None = None, effort: str | None = None
    ) -> Self:
        """Change the model settings from the next reply on."""
        self._provider = provider or self._provider
        self._model = model or self._model
        self._effort = effort if effort is not None else self._effort
        return self

    def reasoning(
        self,
        text: str | Sequence[str],
        *,
        size: int = 8,
        piece_ms: int = 20,
        first_ms: int = 400,
        answer: str = "",
        outcome: Outcome = "message",
        finish: str | None = None,
        failure: str | None = None,
        interrupted: bool = False,
        granular: bool = True,
        times: Sequence[int] | None = None,
        after: int | None = None,
    ) -> Self:
        """Let the model think: a text cut into pieces of ``size``, or the pieces themselves.

        The first piece comes ``first_ms`` after the attempt began, the others ``piece_ms``
        apart (or at ``times``, epoch milliseconds). ``outcome`` ``attempt`` is an attempt
        without a message (``failure`` is its code), ``lost`` one that a crash cut off.
        """
        self._wait(after)
        self._need_step()
        self._announce()
        pieces = pieces_of(text, size) if isinstance(text, str) else tuple(text)
        begun = self._now
        when = (
            tuple(times)
            if times is not None
            else tuple(begun + first_ms + k * piece_ms for k in range(len(pieces)))
        )
        if len(when) != len(pieces):
            raise UsageError(f"{len(pieces)} pieces but {len(when)} times: give one time a piece")
        self._now = max(begun, *when) if when else begun
        reply = Reply(
            time=self._later(),
            turn=self._turn,
            step=self._step,
            message=self._message() if outcome == "message" else "",
            pieces=pieces,
            piece_times=when,
            answer=answer,
            outcome=outcome,
            finish=finish or ("error" if failure else None),
            failure=failure,
            interrupted=interrupted,
            granular=granular,
            provider=self._provider,
            model=self._model,
        )
        if outcome == "message":
            self._open.reply = len(self._happenings)
        self._add(reply)
        if outcome == "lost":
            self.crash()
        return self

    def say(self, answer: str, *, after: int | None = None) -> Self:
        """Let the model answer without thinking and without calling a tool."""
        return self.reasoning((), answer=answer, after=after)

    def retry(
        self, code: str = "RATE_LIMIT", *, delay_ms: int = 1000, after: int | None = None
    ) -> Self:
        """Wait and try again in the same step: the attempt before failed with ``code``.

        A failed attempt is added when none stands there yet.
        """
        if not self._attempt_stands():
            self.reasoning((), outcome="attempt", failure=code, after=after)
        self._open.retries += 1
        turn, step, number = self._turn, self._step, self._open.retries
        self._add(
            RetryWait(
                time=self._later(),
                turn=turn,
                step=step,
                retry=number,
                code=code,
                delay_ms=delay_ms,
                provider=self._provider,
            )
        )
        self._now += delay_ms
        self._add(RetryStart(time=self._now, turn=turn, step=step, retry=number))
        return self

    def step(self) -> Self:
        """End the open step, so that the next call is not one of its batch."""
        if self._open.step:
            self._end_step()
        self._open.calls.clear()
        self._open.subs.clear()
        return self

    def end_turn(
        self, reason: str = "completed", *, abort: str | None = None, code: str | None = None
    ) -> Self:
        """End the open turn, if any (``aborted`` takes who: ``user``, ``hook``…)."""
        if self._open.turn:
            self._end_step()
            self._add(
                TurnEnd(time=self._later(0), turn=self._turn, reason=reason, abort=abort, code=code)
            )
        self._open = Open()
        return self

    def crash(self) -> Self:
        """Let the process die here: what is open stays open."""
        self._crashed = True
        return self
