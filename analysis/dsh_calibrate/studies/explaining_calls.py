"""What the two guards that compare whole calls saw: the chain of failures, the run of calls."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_calibrate.guards.repeat_reminder.reminder import Reminder
from dsh_calibrate.logs.events import Call, Event, Result
from dsh_calibrate.replay.circuit_breaker import CircuitBreakerTracker
from dsh_calibrate.replay.place import Place
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.repeat_reminder import ReminderTracker
from dsh_calibrate.studies.explaining_breaker import Wanted


@dataclass(slots=True)
class CountTrace:
    """One guard at one call: a single count against its thresholds.

    tfb: ``count`` are the failures in a row of this very call before it, ``thresholds`` holds
    ``maxFailures`` alone. rtr: ``count`` is the length of the run of equal calls with this one,
    ``None`` when it has no result that counts. Both in calls.
    """

    lifecycle: int
    call: int
    tracked: bool
    thresholds: tuple[int, ...]
    count: int | None = None


class CircuitTracer(CircuitBreakerTracker):
    """The replay of the circuit breaker that keeps a trace of every wanted call."""

    def __init__(self, place: Place, plan: Plan, wanted: Wanted) -> None:
        assert plan.tfb is not None
        super().__init__(place, plan.tfb)
        self.traces: dict[tuple[int, int], CountTrace] = {}
        self._wanted = wanted

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if (
            isinstance(event, Call)
            and event.dispatched
            and self._wanted(self.place.lifecycle, event)
        ):
            tracked = self._breaker.tracks(event.tool)
            self.traces[self.place.lifecycle, event.index] = CountTrace(
                self.place.lifecycle,
                event.index,
                tracked,
                (self._config.max_failures,),
                self._breaker.chain_of(event.tool, event.arguments) if tracked else None,
            )
        super().on(event)


class _WatchedReminder(Reminder):
    """The live reminder that remembers the last run length it counted."""

    last: int | None = None

    def settle(self, key: int) -> int | None:
        self.last = super().settle(key)
        return self.last


class RunTracer(ReminderTracker):
    """The replay of the reminder that keeps a trace of every wanted call."""

    def __init__(self, place: Place, plan: Plan, wanted: Wanted) -> None:
        assert plan.rtr is not None
        self.traces: dict[tuple[int, int], CountTrace] = {}
        self._wanted = wanted
        super().__init__(place, plan.rtr)

    def _begin(self) -> None:
        super()._begin()
        self._watched = _WatchedReminder(self._config)
        self._reminder = self._watched

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        lifecycle = self.place.lifecycle
        if isinstance(event, Call) and event.dispatched and self._wanted(lifecycle, event):
            self.traces[lifecycle, event.index] = CountTrace(
                lifecycle,
                event.index,
                self._reminder.tracks(event.tool),
                self._config.thresholds,
            )
        self._watched.last = None
        super().on(event)
        if isinstance(event, Result) and event.call is not None and self._watched.last:
            trace = self.traces.get((lifecycle, event.call))
            if trace is not None and trace.count is None:
                trace.count = self._watched.last
