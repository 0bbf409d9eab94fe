"""Which result belongs to which call, and which calls never reached a guard.

Call ids start again with some providers, so a result looks for its call among those still
open: first the one its ``sourceEventSeqs`` cite, then the first of the same turn, step and
id (session-format.md 8, cases.md C75). A call is held back until its result, or the end of
its step, shows whether it was dispatched; what stands behind it waits with it.
"""

from __future__ import annotations

import msgspec

from dsh_calibrate.bounded import remember
from dsh_calibrate.logs.events import Call, Event, Result, StreamPieces

ESCALATION = "escalate sandbox to"
"""How the reason of an approval for a wider sandbox starts (session-format.md 5.8)."""
_HELD = 16 << 20
"""Characters, about, that may wait for an undecided call; then it counts as dispatched."""
_MOST_OPEN = 8192
"""Calls without a result that are remembered; beyond, the older half is forgotten."""


class OpenCall(msgspec.Struct, gc=False, eq=False):
    """A call whose result has not been seen; becomes a :class:`Call` event later."""

    index: int
    seq: int
    line: int
    time: int | None
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
    asked: bool = False
    decided: bool = False

    def event(self) -> Call:
        """Return the event."""
        return Call(
            seq=self.seq,
            line=self.line,
            time=self.time,
            index=self.index,
            turn=self.turn,
            step=self.step,
            call_id=self.call_id,
            tool=self.tool,
            arguments=self.arguments,
            sub=self.sub,
            parent_call_id=self.parent_call_id,
            dispatched=self.dispatched,
            approval=self.approval,
            approval_reason=self.approval_reason,
        )


class LookAhead:
    """The events that wait for an undecided call in front of them."""

    def __init__(self) -> None:
        self._items: list[Event | OpenCall] = []
        self._undecided: list[OpenCall] = []
        self._size = 0

    def put(self, item: Event | OpenCall) -> None:
        """Append an event or a call."""
        self._items.append(item)
        if type(item) is OpenCall:
            self._undecided.append(item)
            self._size += 500 + len(item.arguments)
        elif self._undecided:
            self._size += 200
            if type(item) is Result:
                self._size += len(item.text)
            elif type(item) is StreamPieces:
                self._size += sum(map(len, item.texts)) + 100 * len(item.texts)
        if self._size > _HELD:
            self.release()

    def release(self) -> None:
        """The step is over: calls without a result were dispatched."""
        for call in self._undecided:
            call.decided = True
        self._undecided.clear()

    def ready(self) -> list[Event]:
        """Return and forget what no longer waits."""
        found: list[Event] = []
        for item in self._items:
            if type(item) is OpenCall:
                if not item.decided:
                    del self._items[: len(found)]
                    return found
                found.append(item.event())
            else:
                found.append(item)  # type: ignore[arg-type]
        self._items = []
        self._size = 0
        self._undecided.clear()
        return found


class Pairing:
    """The open calls of one lifecycle, the numbers given to calls, and approvals."""

    def __init__(self) -> None:
        self._next = self._count = 0
        self._open: dict[tuple[bool, str], list[OpenCall]] = {}
        self._earlier: dict[tuple[bool, str], list[OpenCall]] = {}
        self._questions: dict[str, OpenCall] = {}

    def start_lifecycle(self) -> None:
        """Begin a lifecycle: results of earlier calls settle nothing from here on."""
        self._next = self._count = 0
        self._earlier = self._open
        self._open = {}
        self._questions.clear()

    def forget(self) -> None:
        """Damage was skipped: calls before it have no results behind it."""
        self._open.clear()
        self._count = 0
        self._earlier = {}
        self._questions.clear()

    def number(self) -> int:
        """Return the next call's number in its lifecycle."""
        self._next += 1
        return self._next - 1

    def add(self, call: OpenCall) -> None:
        """Open a call."""
        self._open.setdefault((call.sub, call.call_id), []).append(call)
        self._count += 1
        if self._count > _MOST_OPEN:
            self._forget_older()

    def _forget_older(self) -> None:
        """Count the open calls anew; where they are too many, keep the newer ones."""
        calls = [call for group in self._open.values() for call in group]
        self._count = len(calls)
        if self._count > _MOST_OPEN // 2:
            calls.sort(key=lambda call: call.index)
            self._open = {}
            for call in calls[-_MOST_OPEN // 2 :]:
                self._open.setdefault((call.sub, call.call_id), []).append(call)
            self._count = _MOST_OPEN // 2

    def settle(
        self,
        call_id: str,
        turn: int | None,
        step: int | None,
        cited: object,
        *,
        sub: bool,
        dispatched: bool,
    ) -> OpenCall | None:
        """Close and return the call a result belongs to; ``None`` when it has none here.

        A call of the lifecycle before is told whether it was dispatched, but not returned.
        """
        call = _take(self._open, (sub, call_id), turn, step, cited)
        if call is None:
            earlier = _take(self._earlier, (sub, call_id), turn, step, cited)
            if earlier is not None:
                earlier.dispatched = dispatched
                earlier.decided = True
            return None
        call.dispatched = dispatched
        call.decided = True
        return call

    def ask(self, question: str, call_id: str | None, tool: str | None, reason: str | None) -> None:
        """``approval/asked``: for the call of that id, else the last open one of the tool.

        A question about the sandbox of a running tool does not displace an earlier one
        about the call itself (session-format.md 5.8).
        """
        calls = [call for group in self._open.values() for call in group if not call.decided]
        calls = [c for c in calls if (c.call_id == call_id if call_id else c.tool == tool)]
        if calls:
            call = max(calls, key=lambda c: c.index)
            if call.asked and (reason or "").startswith(ESCALATION):
                return
            call.asked = True
            call.approval, call.approval_reason = None, reason
            remember(self._questions, question, call, _MOST_OPEN)

    def answer(self, question: str, outcome: str | None) -> None:
        """``approval/decided``."""
        call = self._questions.pop(question, None)
        if call is not None:
            call.approval = outcome


def _take(
    calls: dict[tuple[bool, str], list[OpenCall]],
    key: tuple[bool, str],
    turn: int | None,
    step: int | None,
    cited: object,
) -> OpenCall | None:
    group = calls.get(key)
    if not group:
        return None
    found = next((c for c in group if _cites(cited, c.seq)), None)
    if found is None:
        found = next((c for c in group if _same(c.turn, turn) and _same(c.step, step)), None)
    if found is not None:
        group.remove(found)
        if not group:
            del calls[key]
    return found


def _same(one: int | None, other: int | None) -> bool:
    return one is None or other is None or one == other


def _cites(cited: object, seq: int) -> bool:
    """Whether ``sourceEventSeqs`` names ``seq``, alone or inside a range."""
    if not isinstance(cited, list):
        return False
    for entry in cited:
        if entry == seq:
            return True
        if isinstance(entry, list) and len(entry) == 2:
            first, last = entry
            if isinstance(first, int) and isinstance(last, int) and first <= seq <= last:
                return True
    return False
