"""Made-up corpora and plans for tests of facts."""

from __future__ import annotations

from collections.abc import Sequence
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

TABLE_NAMES = (
    "logs",
    "calls",
    "measures",
    "results",
    "notices",
    "streams",
    "judgements",
    "fingerprints",
    "decisions",
)


def plan(
    rtb: dict | None = None,
    tfb: dict | None = None,
    rtr: dict | None = None,
    rlg: dict | None = None,
    **more: object,
) -> Plan:
    """All four guards with defaults save what is given."""
    return Plan(
        rtb=breaker.configure(rtb or {}, PROFILES["0.8"]),
        tfb=circuit.configure(tfb or {}),
        rtr=reminder.configure(rtr or {}),
        rlg=reasoning.configure(rlg or {}),
        **more,
    )


def written(folder: Path, sessions: Sequence[Session], *, version: int = 4) -> tuple[Log, ...]:
    """Write sessions below ``folder`` and find their logs."""
    for session in sessions:
        write_session(folder, session, version)
    return discover([folder]).logs


COMMANDS = (
    {"command": "ls a"},
    {"command": "make"},
    {"command": "curl https://api.example.org/x -o out.json"},
    {"command": "curl https://api.example.org/y && make"},
)
MOVES = st.one_of(
    st.tuples(st.just("call"), st.integers(0, 3), st.sampled_from(["ok", "fail", "error"])),
    st.tuples(st.just("batch"), st.integers(0, 3), st.sampled_from(["ok", "fail", "error"])),
    st.tuples(st.just("run"), st.integers(0, 3), st.sampled_from(["ok", "fail"])),
    st.tuples(st.sampled_from(["human", "resume", "todo", "lost"]), st.just(0), st.just("")),
    st.tuples(st.just("notice"), st.integers(2, 5), st.sampled_from(["exact", "cmd"])),
)
STORIES = st.lists(MOVES, max_size=40)


def told(name: str, story: Sequence[tuple[str, int, str]]) -> Session:
    """A session of calls, batches, sub-calls, human messages, resumes and guard notices."""
    session = Session(name).human("Go")
    for kind, which, how in story:
        if kind == "human":
            session.human("Again")
        elif kind == "resume":
            session.resume().human("On")
        elif kind == "todo":
            session.call("todo_write", {"todos": []}).result("ok")
        elif kind == "lost":
            session.call("bash", COMMANDS[0]).step()
        elif kind == "notice":
            text = f'exact:bash:{{"command":"ls a"}} × {which}' if how == "exact" else "x"
            session.step().notice("Stop.", producer="dsh-repeat-tool-breaker", summary=text)
        elif kind == "run":
            session.call("run_code", {"code": "x"}).sub_call("bash", COMMANDS[which])
            settled(session, how, sub=True)
            session.result("done")
        else:
            count = 1 if kind == "call" else 2
            for _ in range(count):
                session.call("bash", COMMANDS[which])
            for _ in range(count):
                settled(session, how)
    return session


def settled(session: Session, how: str, *, sub: bool = False) -> None:
    """Settle the oldest open call: fine, with an exit code, or as an error."""
    settle = session.sub_result if sub else session.result
    if how == "ok":
        settle("fine")
    elif how == "fail":
        settle("no\n[exit code: 2]")
    else:
        settle("Error: no such file", error=True)
