"""Stages of the breaker held against gated counts: one replay a gate, whatever the stages.

``warnAt``, ``summarizeAt`` and ``failWarnAt`` speak and change nothing; what is stopped hangs
on the gate alone. So a log that reaches a gate is replayed once for all configurations with
that gate, and each one's stages are held against the counts that were met, through the
function that the breaker calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from dsh_calibrate.calibrate.sweeping_outcomes import Spoken, spoken_of
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.decisions import (
    CallDecision,
    Outcome,
    ResultDecision,
)
from dsh_calibrate.guards.repeat_tool_breaker.failure import Failure
from dsh_calibrate.guards.repeat_tool_breaker.memo import Prepared
from dsh_calibrate.guards.repeat_tool_breaker.stages import (
    Reached,
    Thresholds,
    failure_advisory,
    reached,
)
from dsh_calibrate.logs.events import Event, Notice, Result
from dsh_calibrate.replay.recorded import producer
from dsh_calibrate.replay.repeat_tool_breaker import BreakerTracker


class Moment(msgspec.Struct, frozen=True):
    """A result that may bring advice, behind ``before`` stops of the log.

    ``counts`` are those of the call (``None``: no occurrence stage is reached by any of the
    configurations), ``after`` the streaks behind a failed result.
    """

    before: int
    line: int
    lifecycle: int
    call: int
    prepared: Prepared
    counts: tuple[int, ...] | None
    after: tuple[int, ...] | None


class _Recorder(Breaker):
    """A breaker that keeps what stages are held against."""

    lowest: float = 0
    met: dict[int, tuple[Prepared, tuple[int, ...]]]
    told: tuple[Prepared, tuple[int, ...] | None, tuple[int, ...] | None] | None = None
    _counts: Sequence[int] = ()

    def _reached(self, prepared: Prepared) -> Reached:
        self._counts = self._window.nexts(prepared.capped)
        return super()._reached(prepared)

    def call(self, key: int, tool: str, arguments: str, *, approve: bool) -> CallDecision:
        self._counts = ()
        decision = super().call(key, tool, arguments, approve=approve)
        if decision.ran and self._counts and max(self._counts) >= self.lowest:
            self.met[key] = (self.prepared(tool, arguments), tuple(self._counts))
        return decision

    def result(self, key: int, outcome: Outcome) -> ResultDecision:
        met = self.met.pop(key, None)
        self.told = None if met is None else (met[0], met[1], None)
        return super().result(key, outcome)

    def _settle(self, running: Any, outcome: Outcome) -> tuple[Failure | None, Hit | None]:
        failure: Failure | None = super()._settle(running, outcome)[0]
        if failure is not None:
            prepared: Prepared = running.prepared
            after = tuple(
                0 if fingerprint in self._exempt else self._streaks.of(fingerprint)
                for fingerprint in prepared.capped
            )
            self.told = (prepared, self.told[1] if self.told else None, after)
        return failure, None


class StagesTracker(BreakerTracker):
    """Replays one gate; ``configs`` differ in their stages alone, the gate's has none.

    ``has_notices`` tells that the recording holds advice of the guard: whether it is the
    same then hangs on the order of all advice, and only a full replay knows.
    """

    moments: list[Moment]
    has_notices = False
    lowest: float = 0

    def _begin(self) -> None:
        super()._begin()
        self._breaker: Breaker = _Recorder(
            self._config, enforce_shell_http=self._enforce, memo=self._memo
        )
        assert isinstance(self._breaker, _Recorder)
        self._breaker.lowest = self.lowest
        self._breaker.met = {}

    def watch(self, configs: Sequence[Config]) -> None:
        """Say under which configurations stages will be held; before the first event."""
        stages = [t for c in configs for t in (c.warn_at, c.summarize_at) if t is not None]
        self.lowest = min(stages, default=float("inf"))
        self.moments = []
        self._begin()

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        if isinstance(event, Notice) and producer(event) == self._advice.name:
            self.has_notices = True
        super().on(event)

    def _result(self, result: Result, call: int) -> None:
        recorder = self._breaker
        assert isinstance(recorder, _Recorder)
        recorder.told = None
        super()._result(result, call)
        if recorder.told is not None and not result.sub:
            prepared, counts, after = recorder.told
            self.moments.append(
                Moment(
                    before=len(self.place.settled) + len(self.place.track.drafts),
                    line=result.line,
                    lifecycle=self.place.lifecycle,
                    call=call,
                    prepared=prepared,
                    counts=counts,
                    after=after,
                )
            )

    def spoken(self, config: Config) -> list[Spoken]:
        """What the log gives under one of the configurations; call it when the log is over."""
        stages = Thresholds(config.warn_at, config.summarize_at, None, None)
        heard: list[Spoken] = []
        stops = self.place.settled
        diverged = -1
        done = 0
        for moment in self.moments:
            diverged = _stopped(heard, self, done, moment.before, diverged)
            done = moment.before
            for stage, measure in _advice(moment, stages, config.fail_warn_at):
                exact = diverged != moment.lifecycle
                heard.append(
                    Spoken(
                        moment.line,
                        moment.lifecycle,
                        moment.call,
                        "advise",
                        stage,
                        measure,
                        True,
                        exact,
                    )
                )
                diverged = moment.lifecycle
        _stopped(heard, self, done, len(stops), diverged)
        return heard


def _stopped(
    heard: list[Spoken], tracker: StagesTracker, start: int, end: int, diverged: int
) -> int:
    """Add the stops from ``start`` to ``end``; the lifecycle that has diverged by then."""
    decisions = tracker.place.settled[start:end]
    for decision, spoken in zip(decisions, spoken_of(decisions), strict=True):
        exact = diverged != decision.lifecycle
        heard.append(msgspec.structs.replace(spoken, exact=exact))
        if not decision.ran and not decision.matched:
            diverged = decision.lifecycle
    return diverged


def _advice(moment: Moment, stages: Thresholds, fail_warn_at: int | None) -> list[tuple[str, str]]:
    """Stage and measure of what one result brings, in order."""
    prepared = moment.prepared
    found: list[tuple[str, str]] = []
    if moment.after is not None:
        named = failure_advisory(moment.after, prepared.caps, prepared.ranks, fail_warn_at)
        if named is not None:
            found.append(("failure", prepared.capped[named].partition(":")[0]))
    if moment.counts is not None:
        nothing = (0,) * len(moment.counts)
        advisory = reached(moment.counts, nothing, prepared.caps, prepared.ranks, stages).advisory
        if advisory is not None:
            stage, position = advisory
            found.append((stage, prepared.capped[position].partition(":")[0]))
    return found
