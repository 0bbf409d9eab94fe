"""Replays repeat-tool-breaker over the events of one log (guards.md 1, contract.md 4)."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from dsh_calibrate.bounded import remember
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, CallDecision, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.logs.events import Call, Event, Result
from dsh_calibrate.replay.decision import Draft, Verdict
from dsh_calibrate.replay.place import CallSite, Place
from dsh_calibrate.replay.plan import Operator, ShellHttp, approves, recorded_answer
from dsh_calibrate.replay.recorded import PendingAdvice, breaker_summary
from dsh_calibrate.replay.shell_http_kinds import refusal_kind
from dsh_calibrate.replay.tracking import CallTracker


class BreakerTracker(CallTracker):
    """One log's replay of repeat-tool-breaker: state per lifecycle, decisions, counters.

    ``failures[(lifecycle, decisions so far)]`` counts results by failure reason;
    ``undelivered`` counts advice that had nowhere to go in the same way, so that the exact
    part of both can be told apart once divergence is known.
    """

    EVENTS = CallTracker.EVENTS | PendingAdvice.EVENTS

    def __init__(
        self,
        place: Place,
        config: Config,
        *,
        operator: Operator,
        shell_http: ShellHttp,
        memo: Memo,
    ) -> None:
        self.failures: dict[tuple[int, int], Counter[str]] = {}
        self.undelivered: Counter[tuple[int, int]] = Counter()
        self.recorded_denials = 0
        self._config = config
        self._operator: Operator = operator
        self._measure = shell_http == "measure"
        self._enforce = shell_http == "enforce"
        self._memo = memo
        self._pending: dict[int, tuple[int, int]] = {}
        self._sites: dict[int, CallSite] = {}
        self._stopped: dict[int, Draft] = {}
        self._refused: dict[int, Draft] = {}
        self._advice = PendingAdvice("repeat-tool-breaker")
        super().__init__(place)

    def _begin(self) -> None:
        self._breaker = Breaker(self._config, enforce_shell_http=self._enforce, memo=self._memo)
        self._pending.clear()
        self._sites.clear()
        self._stopped.clear()
        self._refused.clear()

    def on(self, event: Event) -> None:
        """Take the next event of the log."""
        self._advice.on(event)
        super().on(event)

    def _leave(self) -> None:
        # Advice to calls that have no result was never delivered; it is filed at its call.
        self.undelivered.update(self._pending.values())
        self._pending.clear()

    def _call(self, call: Call) -> None:
        if self._breaker.tracks(call.tool):
            self.tracked_calls += 1
        site = CallSite(call.seq, call.index, call.call_id, call.tool)
        decision = self._breaker.call(
            call.index,
            call.tool,
            call.arguments,
            approve=approves(self._operator, call),
        )
        refused = self._breaker.refuses_shell_http(call.tool, call.arguments) and self._measure
        if refused or decision.kind == "shell-http":
            command = self._breaker.command(call.tool, call.arguments)
            self._refused[call.index] = self._draft(
                site,
                call.line,
                "refuse",
                "shell_http",
                ran=decision.ran,
                hits=(),
                diverges="gate" if decision.kind == "shell-http" else None,
                shell_http=refusal_kind(command, self._config),
            )
        if decision.verdict != "allow" and decision.kind != "shell-http":
            self._stop(site, call, decision)
        remember(self._sites, call.index, site)
        if decision.advisory is not None:
            self._pending[call.index] = self.place.position

    def _stop(self, site: CallSite, call: Call, decision: CallDecision) -> None:
        verdict: Verdict = "deny" if decision.verdict == "deny" else "ask"
        rejected = recorded_answer(call) not in (None, "allowed-once")
        draft = self._draft(
            site,
            call.line,
            verdict,
            decision.hits[0].track,
            ran=decision.ran,
            hits=decision.hits,
            # An approval where the recording holds a rejection leads elsewhere, too.
            diverges=None if decision.ran and not rejected else "gate",
        )
        if not decision.ran:
            self._stopped[call.index] = draft
            draft.matched = verdict == "ask" and rejected

    def _draft(
        self,
        site: CallSite,
        line: int,
        verdict: Verdict,
        stage: str,
        *,
        ran: bool,
        hits: tuple[Hit, ...],
        diverges: Literal["advice", "gate"] | None,
        shell_http: str | None = None,
    ) -> Draft:
        decision = self.place.at_call(site, line, verdict, stage, ran, hits, shell_http)
        return self.place.add(Draft(decision, diverges))

    def _human(self) -> None:
        self._breaker.human()

    def _result(self, result: Result, call: int) -> None:
        if call not in self._sites:
            return
        settled = self._breaker.result(
            call,
            Outcome(
                text=result.text,
                is_error=result.is_error,
                error_name=result.error_name,
                error_code=result.error_code,
                status_code=result.status_code,
            ),
        )
        if settled.recorded_denial is not None:
            self._recorded_denial(call, settled.recorded_denial)
        if settled.failure is not None:
            counts = self.failures.setdefault(self.place.position, Counter())
            counts[settled.failure.reason] += 1
        self._pending.pop(call, None)
        site = self._sites.pop(call)
        for hit in (settled.failure_advisory, settled.advisory):
            if hit is not None:
                self._advise(result, site, hit)

    def _advise(self, result: Result, site: CallSite, hit: Hit) -> None:
        if result.sub:
            self.undelivered[self.place.position] += 1
            return
        if hit.track == "failure":
            stage = "failure"
        else:
            stage = "summarize" if hit.threshold == self._config.summarize_at else "warn"
        draft = self._draft(
            site, result.line, "advise", stage, ran=True, hits=(hit,), diverges="advice"
        )
        self._advice.expect(breaker_summary(hit), draft)

    def _recorded_denial(self, key: int, marker: str) -> None:
        self.recorded_denials += 1
        drafts = self._stopped if marker == "REPEAT_TOOL_BLOCKED" else self._refused
        draft = drafts.get(key)
        if draft is not None:
            draft.matched = True
