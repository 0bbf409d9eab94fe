"""Make a session by saying what happens in it, then write it in any format version.

    from dsh_calibrate.corpora.sessions import Session
    from dsh_calibrate.corpora.writer import encode, write_session

    session = Session("session-a", cwd="/work/app")
    session.human("Fix the build").call("bash", {"command": "make"}).result("[exit code: 2]")
    session.reasoning("Let me see. ").call("bash", {"command": "ls"}).result("ok")
    session.call("read", {"file_path": "/a"}).call("read", {"file_path": "/b"})   # one batch
    session.result("a").result("b")                                              # in order
    log = write_session(tmp_path, session, version=4, encoding="zstd")   # -> Path
    data = encode(session, version=0)                                    # -> bytes, plain

Turns and steps look after themselves: :meth:`Session.human` ends the turn that is open and
begins the next one; a reasoning, an answer or a call that follows a result begins a new step;
calls that follow each other directly stand side by side in one step. A session that is left
open is closed by the writer, unless :meth:`Session.crash` said that it just stopped. Every
method that adds something takes ``after``: how many milliseconds later it happened.
Everything is deterministic: no clock, no randomness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, Self

from dsh_calibrate.corpora.happenings import (
    Descriptor,
    EndSeed,
    HumanMessage,
    Json,
    NoticeMessage,
    Other,
    Prune,
    StepEnd,
    Summary,
    ToolResult,
    TurnEnd,
)
from dsh_calibrate.corpora.timeline import START, TICK, Open
from dsh_calibrate.corpora.tooling import Tooling
from dsh_calibrate.errors import UsageError

__all__ = ["START", "TICK", "Session"]


class Session(Tooling):
    """One session under construction; see the module's description."""

    def resume(self, *, after: int | None = 60_000) -> Self:
        """Go on in the same file: a new lifecycle with empty guards.

        After a crash, calls without a result get a synthetic one and the turn is closed as
        ``interrupted``, all at the time of the last happening, as the harness repairs it.
        """
        if self._crashed:
            self._close_cut("interrupted")
        self.end_turn()
        self._crashed = False
        self._wait(after)
        self._add(EndSeed(time=self._later(0), inherited=False))
        self._announced, self._request_reason = None, "resume"
        return self

    def prune(self, results: int = 1, *, text: str = "[old result cleared]") -> Self:
        """Compaction rewrites the oldest ``results`` results that are still whole."""
        gone = {h.result for h in self._happenings if isinstance(h, Prune)}
        whole = [
            place
            for place, happening in enumerate(self._happenings)
            if isinstance(happening, ToolResult)
            and place not in gone
            and happening.call is not None
        ]
        if results > len(whole):
            raise UsageError(f"only {len(whole)} results to prune: ask for fewer than {results}")
        for place in whole[:results]:
            self._add(Prune(time=self._later(), result=place, message=self._message(), text=text))
        return self

    def compact(self, summary: str = "Work so far.", *, after: int | None = None) -> Self:
        """Everything said so far is replaced by one checkpoint message."""
        self._wait(after)
        if not any(isinstance(h, HumanMessage | NoticeMessage) for h in self._happenings):
            raise UsageError("nothing to compact yet: add a human message first")
        self._compactions += 1
        self._add(
            Summary(
                time=self._later(),
                number=self._compactions,
                turn=self._turn if self._open.turn else None,
                message=self._message(),
                text=summary,
                provider=self._provider,
                model=self._model,
            )
        )
        return self

    def raw(
        self, type_: str, data: Mapping[str, Json] | None = None, *, ignorable: bool = False
    ) -> Self:
        """Any other event line, written as given (an event of a plugin, say)."""
        self._add(Other(time=self._later(), type=type_, data=data or {}, ignorable=ignorable))
        return self

    def fork(self, session_id: str, *, subagent: bool = False, seeded: bool = True) -> Session:
        """Make a new session that comes from this one.

        ``seeded`` copies the history so far (same times and message ids) in front of it; a
        turn that is open there is closed behind the fork point, as format 4 does.
        ``subagent`` marks it as a delegated child (a fresh one is ``seeded=False``).
        """
        child = Session(
            session_id,
            cwd=self.cwd,
            start=self._now,
            tick=self._tick,
            provider=self._provider,
            model=self._model,
            effort=self._effort,
            preset=self.preset,
            parent=self.id,
            origin="subagent" if subagent else None,
            depth=self.depth + 1 if subagent else self.depth,
        )
        if seeded:
            child._inherit(self)
        if subagent:
            child._add(Descriptor(time=child._later(), label=session_id))
        return child

    def _inherit(self, parent: Session) -> None:
        self._happenings = list(parent._happenings)
        self.inherited = len(self._happenings)
        self._turn, self._step, self._now = parent._turn, parent._step, parent._now
        self._call_ids = parent._call_ids
        self._open = replace(parent._open, calls=[*parent._open.calls], subs=[])
        self._request_reason = "resume"
        self._add(EndSeed(time=self._later(), inherited=True))
        self._close_cut("forked")

    def _close_cut(self, why: Literal["interrupted", "forked"]) -> None:
        """Close what a crash or a fork point left open, all at the last time."""
        if self._open.turn:
            while self._open.calls:
                self.result(
                    "Error: the outcome of this call is unknown",
                    name="ToolOutcomeUnknownError",
                    code="TOOL_OUTCOME_UNKNOWN",
                    synthetic=why,
                )
            if self._open.step:
                self._add(StepEnd(time=self._now, turn=self._turn, step=self._step))
            self._add(TurnEnd(time=self._now, turn=self._turn, reason=why))
        self._open = Open()
