"""Plays invented calls through a breaker, for the tests of this folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker, Outcome
from dsh_calibrate.guards.repeat_tool_breaker.config import Config, configure
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES

OK = Outcome(text="ok")
BROKEN = Outcome(text="it broke\n[exit code: 2]")


def config_of(profile: str = "0.8", **row: object) -> Config:
    """Configuration with the shell-HTTP block off unless the row says otherwise."""
    return configure({"blockShellHttp": False, **row}, PROFILES[profile])


def shell(command: str, **more: object) -> tuple[str, str]:
    return "bash", json.dumps({"command": command, **more})


def tool(name: str, **arguments: object) -> tuple[str, str]:
    return name, json.dumps(arguments)


class Play:
    """One agent; remembers what was said, as short texts per call number (from 1)."""

    def __init__(self, config: Config | None = None, *, approve: bool = False) -> None:
        config = config if config is not None else config_of()
        self.breaker = Breaker(config, enforce_shell_http=True)
        self.approve = approve
        self.number = 0
        self.verdicts: dict[int, str] = {}
        self.hits: dict[int, list[str]] = {}
        self.spoken: dict[int, list[str]] = {}

    def call(self, call: tuple[str, str], outcome: Outcome | None = OK) -> int:
        self.number += 1
        number = self.number
        decision = self.breaker.call(number, *call, approve=self.approve)
        if decision.verdict != "allow":
            self.verdicts[number] = decision.verdict
            self.hits[number] = [
                f"{hit.track} {hit.fingerprint} {hit.count}/{hit.threshold}"
                for hit in decision.hits
            ]
        if outcome is not None:
            self.result(number, outcome)
        return number

    def result(self, number: int, outcome: Outcome) -> None:
        settled = self.breaker.result(number, outcome)
        lines = []
        if settled.failure_advisory is not None:
            hit = settled.failure_advisory
            lines.append(f"{hit.fingerprint} failed x{hit.count}")
        if settled.advisory is not None:
            lines.append(f"{settled.advisory.fingerprint} × {settled.advisory.count}")
        if lines:
            self.spoken[number] = lines

    def calls(self, calls: Iterable[tuple[str, str]], outcome: Outcome = OK) -> Play:
        for call in calls:
            self.call(call, outcome)
        return self

    def human(self) -> Play:
        self.breaker.human()
        return self

    @property
    def counts(self) -> Mapping[int, list[int]]:
        """Counts named in the occurrence messages."""
        return {
            n: [int(s.rsplit(" ", 1)[1]) for s in said if "×" in s]
            for n, said in self.spoken.items()
        }
