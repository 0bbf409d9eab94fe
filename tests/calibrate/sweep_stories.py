"""Made-up corpora for tests of sweeps, and the brute force that sweeps must equal."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from dsh_calibrate.calibrate.sweeping_outcomes import SILENT, outcome_of, spoken_of
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import Log, discover
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.plan import Plan

COMMANDS = (
    {"command": "ls a"},
    {"command": "ls a", "description": "again"},
    {"command": "make"},
    {"command": "curl https://api.example.org/x -o out.json"},
    {"command": "curl https://api.example.org/y && make"},
)
LOOP = "Wait, let me look at the file again before I go on.\n"
HOW = st.sampled_from(["ok", "ok", "ok", "fail", "fail", "error", "denied"])
MOVES = st.one_of(
    st.tuples(st.just("call"), st.integers(0, 4), HOW),
    st.tuples(st.just("call"), st.integers(0, 1), HOW),
    st.tuples(st.just("asked"), st.integers(0, 1), st.sampled_from(["allowed-once", "rejected"])),
    st.tuples(st.just("batch"), st.integers(0, 4), HOW),
    st.tuples(st.just("run"), st.integers(0, 4), HOW),
    st.tuples(st.sampled_from(["human", "resume", "todo", "lost"]), st.just(0), st.just("")),
    st.tuples(st.just("notice"), st.integers(2, 5), st.sampled_from(["rtb", "rtr", "fail"])),
    st.tuples(st.just("think"), st.integers(1, 40), st.sampled_from(["loop", "end"])),
)
STORIES = st.lists(MOVES, max_size=50)


def told(name: str, story: Sequence[tuple[str, int, str]]) -> Session:
    """A session of calls, batches, sub-calls, reasoning, messages, resumes and notices."""
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
            _notice(session, which, how)
        elif kind == "think":
            session.reasoning(LOOP * which + ("." * 60 * which if how == "end" else ""), size=90)
        elif kind == "asked":
            session.call("bash", COMMANDS[which]).approval(how)
            _settled(session, "ok" if how == "allowed-once" else "denied")
        elif kind == "run":
            session.call("run_code", {"code": "x"}).sub_call("bash", COMMANDS[which])
            _settled(session, how, sub=True)
            session.result("done")
        else:
            count = 1 if kind == "call" else 3
            for _ in range(count):
                session.call("bash", COMMANDS[which])
            for _ in range(count):
                _settled(session, how)
    return session


def _notice(session: Session, count: int, how: str) -> None:
    fingerprint = 'exact:bash:{"command":"ls a"}'
    if how == "rtr":
        session.step().notice("!", producer="dsh-repeat-tool-reminder", summary=f"bash × {count}")
    else:
        sign = "failed x" if how == "fail" else "× "
        session.step().notice(
            "Stop.", producer="dsh-repeat-tool-breaker", summary=f"{fingerprint} {sign}{count}"
        )


def _settled(session: Session, how: str, *, sub: bool = False) -> None:
    settle = session.sub_result if sub else session.result
    if how == "ok":
        settle("fine")
    elif how == "fail":
        settle("no\n[exit code: 2]")
    elif how == "denied":
        settle("Error: REPEAT_TOOL_BLOCKED: exact 3/3", error=True)
    else:
        settle("Error: no such file", error=True)


def written(folder: Path, sessions: Sequence[Session], *, version: int = 4) -> tuple[Log, ...]:
    """Write sessions below ``folder`` and find their logs."""
    for session in sessions:
        write_session(folder, session, version)
    return discover([folder]).logs


def brute_force(logs, sets, guards, *, operator="decline", shell_http="measure"):
    """(set, guard, log) -> outcome, from a replay of every log under every set; no silent ones."""
    found = {}
    for number, one in enumerate(sets):
        for guard in guards:
            config = getattr(one, guard)
            if guard == "rlg" and not config.enabled:
                continue
            plan = Plan(**{guard: config}, operator=operator, shell_http=shell_http)
            for outcome in replay_corpus(logs, plan, jobs=1):
                heard = outcome_of(spoken_of(outcome.guards[guard].decisions))
                if heard != SILENT:
                    found[number, guard, outcome.log] = heard
    return found
