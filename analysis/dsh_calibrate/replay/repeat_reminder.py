"""Replays repeat-tool-reminder over the events of one log (guards.md 3)."""

from __future__ import annotations

from collections import Counter

from dsh_calibrate.bounded import remember
from dsh_calibrate.guards.repeat_reminder.config import Config
from dsh_calibrate.guards.repeat_reminder.reminder import Reminder
from dsh_calibrate.logs.events import Call, Event, Result
from dsh_calibrate.replay.decision import Draft
from dsh_calibrate.replay.place import CallSite, Place
from dsh_calibrate.replay.recorded import PendingAdvice
from dsh_calibrate.replay.tracking import CallTracker


class ReminderTracker(CallTracker):
    """One log's replay of the reminder.

    ``undelivered`` counts reminders on sub-calls of ``run_code``, filed like the breaker's.
    """

    EVENTS = CallTracker.EVENTS | PendingAdvice.EVENTS

    def __init__(self, place: Place, config: Config) -> None:
        self.undelivered: Counter[tuple[int, int]] = Counter()
        self._config = config
        self._advice = PendingAdvice("repeat-tool-reminder")
        self._sites: dict[int, CallSite] = {}
        super().__init__(place)

    def _begin(self) -> None:
        self._reminder = Reminder(self._config)
        self._sites.clear()

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        self._advice.on(event)
        super().on(event)

    def _human(self) -> None:
        self._reminder.human()

    def _call(self, call: Call) -> None:
        if self._reminder.tracks(call.tool):
            self.tracked_calls += 1
        self._reminder.call(call.index, call.tool, call.arguments)
        site = CallSite(call.seq, call.index, call.call_id, call.tool)
        remember(self._sites, call.index, site)

    def _result(self, result: Result, call: int) -> None:
        site = self._sites.pop(call, None)
        hit = self._reminder.result(call)
        if hit is None or site is None:
            return
        if result.sub:
            self.undelivered[self.place.position] += 1
            return
        decision = self.place.at_call(site, result.line, "advise", str(hit.count), True, (hit,))
        draft = self.place.add(Draft(decision, "advice"))
        self._advice.expect(f"{result.tool} × {hit.count}", draft)
