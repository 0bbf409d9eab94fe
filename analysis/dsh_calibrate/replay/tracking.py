"""What the trackers of the guards on tool calls have in common: which event goes where."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from dsh_calibrate.logs.events import Call, Event, Gap, Human, LifecycleStart, Result
from dsh_calibrate.replay.place import Place


class CallTracker(ABC):
    """Follows one guard of tool calls through a log: one live guard a lifecycle.

    Calls that never reached a guard and results that crash repair invented, or whose call
    lies in an earlier lifecycle, are no event for any guard (guards.md, introduction).
    ``EVENTS`` are the types of events it looks at; it may be spared the others.
    """

    EVENTS: ClassVar[frozenset[type[Event]]] = frozenset({Call, Result, Human, LifecycleStart, Gap})

    def __init__(self, place: Place) -> None:
        self.place = place
        self.tracked_calls = 0
        self._begin()

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        kind = type(event)
        if kind is Call:
            assert isinstance(event, Call)
            if event.dispatched:
                self._call(event)
        elif kind is Result:
            assert isinstance(event, Result)
            if event.call is not None and not event.synthetic:
                self._result(event, event.call)
        elif kind is Human:
            self._human()
        elif kind is LifecycleStart:
            assert isinstance(event, LifecycleStart)
            self._leave()
            self.place.begin(event.number)
            self._begin()
        elif kind is Gap:
            self._leave()
            self._begin()

    def finish(self) -> None:
        """Settle what is open at the end of the log."""
        self._leave()
        self.place.close()

    def _leave(self) -> None:  # noqa: B027 - most guards leave nothing behind
        """Account for what the guard was still about to say."""

    @abstractmethod
    def _begin(self) -> None:
        """Start with a guard that knows nothing."""

    @abstractmethod
    def _call(self, call: Call) -> None:
        """Decide a call at its line."""

    @abstractmethod
    def _result(self, result: Result, call: int) -> None:
        """Settle a call at its result's line; ``call`` is its ordinal."""

    @abstractmethod
    def _human(self) -> None:
        """Hear a message of the user."""
