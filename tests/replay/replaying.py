"""Replays made-up sessions in tests: a session in, the outcome of its log out."""

from __future__ import annotations

from pathlib import Path

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.guards.circuit_breaker import config as circuit
from dsh_calibrate.guards.reasoning_loop import config as reasoning
from dsh_calibrate.guards.repeat_reminder import config as reminder
from dsh_calibrate.guards.repeat_tool_breaker import config as breaker
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan


def plan(
    rtb: dict | None = None,
    tfb: dict | None = None,
    rtr: dict | None = None,
    rlg: dict | None = None,
    *,
    profile: str = "0.8",
    **more: object,
) -> Plan:
    """All four guards with defaults save what is given."""
    return Plan(
        rtb=breaker.configure(rtb or {}, PROFILES[profile]),
        tfb=circuit.configure(tfb or {}),
        rtr=reminder.configure(rtr or {}),
        rlg=reasoning.configure(rlg or {}),
        **more,
    )


def replayed(
    folder: Path,
    session: Session,
    how: Plan | None = None,
    *,
    version: int = 4,
    encoding: str = "plain",
) -> LogOutcome:
    """Write the session below ``folder`` and replay it."""
    write_session(folder, session, version, encoding)
    (log,) = discover([folder]).logs
    return replay_log(log, how or plan())


def of(outcome: LogOutcome, guard: str) -> list[Decision]:
    """The decisions of one guard."""
    return list(outcome.guards[guard].decisions)


def told(outcome: LogOutcome, guard: str = "rtb") -> list[tuple[int, str, str, str]]:
    """Call, verdict, stage and divergence of each decision of a guard."""
    return [(d.call, d.verdict, d.stage, d.divergence) for d in of(outcome, guard)]
