"""Made-up sessions for the studies of single decisions, and plans to replay them under."""

from __future__ import annotations

from pathlib import Path

from hypothesis import strategies as st

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.guards.circuit_breaker import config as circuit
from dsh_calibrate.guards.reasoning_loop import config as reasoning
from dsh_calibrate.guards.repeat_reminder import config as reminder
from dsh_calibrate.guards.repeat_tool_breaker import config as breaker
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.discovery import Log, discover
from dsh_calibrate.replay.plan import Plan

CALLS = (
    ("bash", {"command": "make"}),
    ("bash", {"command": "curl -o out.txt https://a.example.org/x"}),
    ("bash", {"command": "curl https://a.example.org/y"}),
    ("read", {"file_path": "/a"}),
)


def plan(rtb=None, tfb=None, rtr=None, rlg=None, *, profile="0.8", **more) -> Plan:
    return Plan(
        rtb=breaker.configure(rtb or {}, PROFILES[profile]),
        tfb=circuit.configure(tfb or {}),
        rtr=reminder.configure(rtr or {}),
        rlg=reasoning.configure(rlg or {}),
        **more,
    )


def written(folder: Path, session: Session, version: int = 4) -> Log:
    write_session(folder, session, version, "plain")
    (log,) = discover([folder]).logs
    return log


def repeated(count: int, result: str = "ok", command: str = "ls a") -> Session:
    session = Session("s-1").human("Go")
    for _ in range(count):
        session.call("bash", {"command": command}).result(result)
    return session


@st.composite
def sessions(draw) -> Session:
    """Few calls that meet each other often: failures, batches, resets, approvals, resumes."""
    session = Session("s-any").human("Go")
    for _ in range(draw(st.integers(1, 12))):
        kind = draw(st.integers(0, 11))
        if kind == 0:
            session.human("Again")
        elif kind == 1:
            session.resume().human("Back")
        else:
            batch = draw(st.lists(st.sampled_from(CALLS), min_size=1, max_size=3))
            for tool, arguments in batch:
                session.call(tool, arguments)
            for _ in batch:
                failed = draw(st.booleans())
                session.result("[exit code: 1]" if failed else "ok", error=failed)
    return session


@st.composite
def plans(draw) -> Plan:
    """Thresholds low enough to be met by such sessions."""
    stage = st.one_of(st.none(), st.integers(1, 4))
    cap = st.one_of(st.none(), st.integers(2, 5))
    limits = {name: draw(cap) for name in ("exact", "cmd", "host", "net", "sink")}
    return plan(
        {
            "window": draw(st.integers(4, 6)),
            "warnAt": draw(stage),
            "summarizeAt": draw(stage),
            "failWarnAt": draw(stage),
            "failLimit": draw(cap),
            "onLimit": draw(st.sampled_from(["ask", "deny"])),
            "limits": limits,
        },
        {"maxFailures": draw(st.integers(1, 3))},
        {"thresholds": sorted(draw(st.sets(st.integers(2, 5), min_size=1)))},
        operator=draw(st.sampled_from(["decline", "approve"])),
        shell_http=draw(st.sampled_from(["measure", "enforce", "off"])),
    )
