"""Recognising what a guard did while the session was recorded (contract.md 4).

A recorded stop is the guard's denial text on the call's result; recorded advice is a notice
whose source is the plugin and whose summary names the measure and the count; a recorded
fire is a stream that ended with the guard's failure code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import ClassVar

from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.logs.events import (
    Call,
    Event,
    LifecycleStart,
    Notice,
    StepStart,
    StreamOpen,
)
from dsh_calibrate.replay.decision import Draft

_SCOPE = re.compile(r"^(?:plugin:)?(?:@[^/]*/)?(?:dsh-)?")
_SUMMARY_LIMIT = 120
"""Characters a notice's summary may have in a log (session-format.md 5.2)."""


def producer(notice: Notice) -> str:
    """The short name of whoever wrote a notice, alike in every format version."""
    return _SCOPE.sub("", notice.plugin or notice.kind, count=1)


def breaker_summary(hit: Hit) -> str:
    """The summary that repeat-tool-breaker gives the notice of this advisory."""
    sign = "failed x" if hit.track == "failure" else "× "
    return f"{hit.fingerprint} {sign}{hit.count}"


def same_summary(recorded: str, expected: str) -> bool:
    """Whether a recorded summary is the expected one, which the log may have cut short.

    A cut summary keeps either its start alone or its start and the count behind a
    horizontal ellipsis; only summaries near the length limit are taken for cut.
    """
    if recorded == expected:
        return True
    if len(recorded) < _SUMMARY_LIMIT - 4 or len(expected) <= len(recorded):
        return False
    start, _, end = recorded.partition("…")
    return expected.startswith(start) and (not end or expected.endswith(end.strip()))


@dataclass(slots=True)
class PendingAdvice:
    """Advice spoken in the replay that may still be found in the recording.

    The harness delivers advice as a message at the head of the next step, so a notice
    counts until that step does something of its own.
    """

    EVENTS: ClassVar[frozenset[type[Event]]] = frozenset(
        {Notice, StepStart, LifecycleStart, Call, StreamOpen}
    )

    name: str
    waiting: list[tuple[str, Draft]] = field(default_factory=list)
    step_begun: bool = False

    def expect(self, summary: str, draft: Draft) -> None:
        """Wait for the notice with ``summary``."""
        self.waiting.append((summary, draft))
        self.step_begun = False

    def on(self, event: Event) -> None:
        """Match a notice, or stop waiting where the model has already gone on."""
        if not self.waiting:
            return
        kind = type(event)
        if kind is Notice:
            assert isinstance(event, Notice)
            if producer(event) == self.name:
                self._match(event.summary or "")
        elif kind is StepStart:
            if self.step_begun:
                self.waiting.clear()
            self.step_begun = True
        elif kind is LifecycleStart or (self.step_begun and kind in (Call, StreamOpen)):
            self.waiting.clear()

    def _match(self, summary: str) -> None:
        for position, (expected, draft) in enumerate(self.waiting):
            if same_summary(summary, expected):
                draft.matched = True
                del self.waiting[position]
                return
