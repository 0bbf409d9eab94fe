"""repeat-tool-breaker for one agent: two tracks, one gate (guards.md 1.5 to 1.7).

A call is decided at its call line and settled at its result line, however calls overlap.
What the operator said, and whether the call ran, follows from the decision alone: the
recording's own outcome only enters as success or failure of calls that ran.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from dsh_calibrate.bounded import remember
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.decisions import (
    CallDecision,
    Outcome,
    ResultDecision,
    Verdict,
    recorded_denial,
)
from dsh_calibrate.guards.repeat_tool_breaker.failure import Failure, classify
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo, Prepared
from dsh_calibrate.guards.repeat_tool_breaker.stages import (
    NOTHING,
    Reached,
    Thresholds,
    failure_advisory,
    reached,
)
from dsh_calibrate.guards.repeat_tool_breaker.streaks import Streaks
from dsh_calibrate.guards.repeat_tool_breaker.window import Window
from dsh_calibrate.guards.tool_patterns import ToolPatterns

__all__ = ["Breaker", "CallDecision", "Outcome", "ResultDecision", "Snapshot"]

_ALLOWED = CallDecision(verdict="allow", kind=None, hits=(), advisory=None, ran=True)
_REFUSED = CallDecision(verdict="deny", kind="shell-http", hits=(), advisory=None, ran=False)
_SILENT = ResultDecision(failure=None, failure_advisory=None, advisory=None, recorded_denial=None)


class Snapshot(msgspec.Struct, frozen=True):
    """The state of a breaker at one moment, for reading only.

    ``window`` holds the committed records, oldest first; ``counts`` the occurrences in
    it (calls), ``streaks`` the failures in a row, per fingerprint; ``exempt`` and
    ``refused`` what the operator approved and declined since the last human message.
    """

    window: tuple[tuple[str, ...], ...]
    counts: dict[str, int]
    streaks: dict[str, int]
    exempt: frozenset[str]
    refused: frozenset[str]


class _Running(msgspec.Struct, frozen=True):
    """A call that ran and waits for its result."""

    tool: str
    prepared: Prepared
    advisory: Hit | None


class Breaker:
    """The breaker of one agent in one lifecycle of its log.

    Calls are named by a ``key`` of the caller's choice, unique within the lifecycle (call
    ids repeat, cases.md C75: use the ordinal). Calls that never reached a guard are not
    handed over. ``memo`` may be shared between breakers.
    """

    def __init__(
        self, config: Config, *, enforce_shell_http: bool, memo: Memo | None = None
    ) -> None:
        self._config = config
        self._enforce = enforce_shell_http and config.block_shell_http
        self._memo = memo if memo is not None else Memo()
        self._patterns = ToolPatterns(config.include, config.exclude)
        self._thresholds = Thresholds(
            warn_at=config.warn_at,
            summarize_at=config.summarize_at,
            fail_warn_at=config.fail_warn_at,
            fail_limit=config.fail_limit,
        )
        self._window = Window(config.window)
        self._streaks = Streaks()
        self._exempt: set[str] = set()
        self._refused: set[str] = set()
        self._running: dict[int, _Running] = {}
        self._declined: dict[int, tuple[str, ...]] = {}

    def tracks(self, tool: str) -> bool:
        """Whether calls of ``tool`` are guarded at all."""
        return self._patterns.tracks(tool)

    def prepared(self, tool: str, arguments: str) -> Prepared:
        """Return what is fixed about a call: fingerprints, caps, command."""
        return self._memo.prepared(tool, arguments, self._config)

    def command(self, tool: str, arguments: str) -> str:
        """Return the shell command of a call; empty for other tools."""
        return self.prepared(tool, arguments).command

    def refuses_shell_http(self, tool: str, arguments: str) -> bool:
        """Whether the shell-HTTP block would refuse the call, enforced or not."""
        return (
            self._config.block_shell_http
            and self.tracks(tool)
            and self._memo.refuses_shell_http(tool, arguments, self._config)
        )

    def call(self, key: int, tool: str, arguments: str, *, approve: bool) -> CallDecision:
        """Decide one call at its call line.

        ``arguments`` is the raw JSON text; ``approve`` what the operator answers should
        the call be asked about.
        """
        if not self.tracks(tool):
            return _ALLOWED
        if self._enforce and self._memo.refuses_shell_http(tool, arguments, self._config):
            return _REFUSED
        prepared = self.prepared(tool, arguments)
        stages = self._reached(prepared)
        hits = self._blocking(prepared, stages)
        verdict: Verdict = "allow"
        if hits:
            blocking = tuple(hit.fingerprint for hit in hits)
            if self._config.on_limit == "deny" or not self._refused.isdisjoint(blocking):
                self._commit(blocking)
                return CallDecision("deny", None, hits, None, ran=False)
            if not approve:
                remember(self._declined, key, blocking)
                return CallDecision("ask-declined", None, hits, None, ran=False)
            self._exempt.update(blocking)
            verdict = "ask-approved"
        advisory = self._advisory(prepared, stages)
        self._commit(prepared.all)
        remember(self._running, key, _Running(tool, prepared, advisory))
        if verdict == "allow" and advisory is None:
            return _ALLOWED
        return CallDecision(verdict, None, hits, advisory, ran=True)

    def result(self, key: int, outcome: Outcome) -> ResultDecision:
        """Settle one call at its result line.

        A declined call is refused and committed here, whatever its result says; a denied
        one and a call of an untracked tool settle nothing. A synthetic result is no event:
        not even a decline is committed by it (the process that would have done so is gone).
        """
        if outcome.synthetic:
            return _SILENT
        denial = recorded_denial(outcome)
        declined = self._declined.pop(key, None)
        if declined is not None:
            self._refused.update(declined)
            self._commit(declined)
        running = self._running.pop(key, None)
        if running is None:
            return _SILENT if denial is None else ResultDecision(None, None, None, denial)
        failure, spoken = (None, None) if denial is not None else self._settle(running, outcome)
        if failure is None and running.advisory is None and denial is None:
            return _SILENT
        return ResultDecision(failure, spoken, running.advisory, denial)

    def human(self) -> None:
        """Forget window, streaks, exemptions and refusals; calls under way stay under way."""
        self._window.clear()
        self._streaks.clear()
        self._exempt.clear()
        self._refused.clear()

    def snapshot(self) -> Snapshot:
        """Copy the state as it stands."""
        return Snapshot(
            window=tuple(tuple(record) for record in self._window),
            counts=self._window.counts(),
            streaks=self._streaks.all(),
            exempt=frozenset(self._exempt),
            refused=frozenset(self._refused),
        )

    def _reached(self, prepared: Prepared) -> Reached:
        capped = prepared.capped
        counts = self._window.nexts(capped)
        if not self._streaks and (not counts or max(counts) < prepared.quiet_below):
            return NOTHING
        streaks = [self._streaks.of(fingerprint) for fingerprint in capped]
        return reached(counts, streaks, prepared.caps, prepared.ranks, self._thresholds)

    def _blocking(self, prepared: Prepared, stages: Reached) -> tuple[Hit, ...]:
        """Name the hits that no exemption covers."""
        if not stages.hits:
            return ()
        hits: list[Hit] = []
        for track, position in stages.hits:
            fingerprint = prepared.capped[position]
            if fingerprint in self._exempt:
                continue
            if track == "failure":
                limit = self._config.fail_limit
                assert limit is not None
                count, threshold = self._streaks.of(fingerprint), limit
            else:
                count, threshold = self._window.next(fingerprint), prepared.caps[position]
            hits.append(_hit(fingerprint, count, threshold, failed=track == "failure"))
        return tuple(hits)

    def _advisory(self, prepared: Prepared, stages: Reached) -> Hit | None:
        if stages.advisory is None:
            return None
        fingerprint = prepared.capped[stages.advisory[1]]
        count = self._window.next(fingerprint)
        return _hit(fingerprint, count, count, failed=False)

    def _commit(self, record: tuple[str, ...]) -> None:
        self._window.commit(_without(record, self._exempt) if self._exempt else record)

    def _settle(self, running: _Running, outcome: Outcome) -> tuple[Failure | None, Hit | None]:
        """Enter the outcome of a call that ran into the failure track."""
        prepared = running.prepared
        failure = classify(
            running.tool,
            outcome.text,
            outcome.is_error,
            outcome.error_name,
            outcome.error_code,
            outcome.status_code,
            prepared.command,
            self._config.profile,
        )
        if failure is None and not self._streaks:
            return None, None
        streaks = self._streaks.settle(
            prepared.capped, failed=failure is not None, exempt=self._exempt
        )
        named = failure_advisory(streaks, prepared.caps, prepared.ranks, self._config.fail_warn_at)
        if named is None:
            return failure, None
        streak = streaks[named]
        return failure, _hit(prepared.capped[named], streak, streak, failed=True)


def _hit(fingerprint: str, count: int, threshold: float, *, failed: bool) -> Hit:
    return Hit(
        measure=fingerprint.partition(":")[0],
        fingerprint=fingerprint,
        count=count,
        threshold=threshold,
        track="failure" if failed else "repeat",
    )


def _without(record: Iterable[str], exempt: set[str]) -> tuple[str, ...]:
    return tuple(fingerprint for fingerprint in record if fingerprint not in exempt)
