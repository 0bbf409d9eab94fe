"""Sessions as they are recorded while guards are active: made by playing the guards."""

from __future__ import annotations

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES


class GuardedRecording:
    """Writes down what a breaker under ``row`` says about the calls that are made."""

    def __init__(self, name, row=None, *, profile="0.8", enforce=False):
        self.session = Session(name).human("Go.")
        self._config = configure(row or {}, PROFILES[profile])
        self._enforce = enforce
        self._calls = 0
        self.interventions = 0
        self.restart()

    def restart(self):
        """The process ends and begins anew without a trace in the log."""
        self._breaker = Breaker(self._config, enforce_shell_http=self._enforce)
        return self

    def call(self, tool, raw, text="ok", *, times=1, approve=None):
        """``raw`` is JSON text; ``approve`` records what the operator answered."""
        for _ in range(times):
            self._one(tool, raw, text, approve)
        return self

    def _one(self, tool, raw, text, approve):
        key = self._calls
        self._calls += 1
        decision = self._breaker.call(key, tool, raw, approve=bool(approve))
        self.session.call(tool, raw)
        if decision.verdict != "allow":
            self.interventions += 1
        if decision.verdict.startswith("ask") and approve is not None:
            outcome = "allowed-once" if approve else "rejected"
            reason = f"repeat-tool-breaker: this call is about to be blocked\n{_lines(decision)}"
            self.session.approval(outcome, reason=reason)
        if decision.verdict == "ask-declined" and approve is not None:
            told = "the operator rejected the call"
        elif decision.kind == "shell-http":
            told = f"SHELL_HTTP_BLOCKED: {tool}"
        else:
            told = f"REPEAT_TOOL_BLOCKED: {tool}\n\nHits:\n{_lines(decision)}\n\nDo something else."
        if decision.ran:
            self.session.result(text)
        else:
            self.session.result(f"Error: {told}", error=True)
        said = self._breaker.result(
            key, Outcome(text=text if decision.ran else f"Error: {told}", is_error=not decision.ran)
        )
        for hit, sign, words in (
            (said.failure_advisory, "failed x", "has failed"),
            (said.advisory, "× ", self._words(said.advisory)),
        ):
            if hit is not None:
                self.interventions += 1
                self.session.notice(
                    words,
                    producer="dsh-repeat-tool-breaker",
                    summary=f"{hit.fingerprint} {sign}{hit.count}",
                )

    def _words(self, hit):
        if hit is not None and hit.count == self._config.summarize_at:
            return "Stop and summarise your progress."
        return "Consider whether the current route is actually working."


def _lines(decision):
    lines = []
    for hit in decision.hits:
        if hit.track == "failure":
            lines.append(f"- {hit.fingerprint} — {hit.count} consecutive failures (exit 1)")
        else:
            lines.append(f"- {hit.fingerprint} {hit.count}/{hit.threshold}")
    return "\n".join(lines)
