"""Sessions of every kind, drawn: what people, models and tools do, in any order."""

from __future__ import annotations

import functools
from collections.abc import Callable

from hypothesis import strategies as st

from dsh_calibrate.corpora.event_lines import LineOptions
from dsh_calibrate.corpora.sessions import Session

MAGIC = "(\ufffd/\ufffd"
ABSURD = [
    "",
    "ok",
    "[exit code: 2]",
    "\n[killed by signal: SIGKILL]",
    "Traceback (most recent call last)\nKeyError: 'a'",
    "Error: The identical bash call already failed",
    "(HTTP 404)",
    "\u2028\u2029\u0085",
    "\ud83d",
    "a\ud83d\ude00\udc00b",
    "\x00\x1b[31m\r\n\t",
    "\ufeff{}",
    "9" * 5000,
    '{"type":"session","createdAt":1}',
    "[" * 300,
    "🙂" * 40,
    "the same thing again. " * 60,
]
TEXTS = st.sampled_from(ABSURD) | st.text(max_size=20)
COMMANDS = st.sampled_from(
    [
        "make",
        "ls a && cat b",
        "curl -s http://h.example.org/x?utm_a=1",
        "echo 'open",
        "cat <<EOF\nx\nEOF",
        "$(((",
        "\\",
        'python3 -c "import urllib.request"',
        "for i in 1 2; do curl http://192.0.2.1; done",
    ]
)
TOOLS = st.sampled_from(["bash", "pwsh", "read", "edit", "web_fetch", "run_code", "", "x" * 300])
ARGUMENTS = (
    COMMANDS.map(lambda command: {"command": command})
    | st.sampled_from([{}, {"file_path": "/a"}, {"url": "http://h.example.org/"}])
    | st.sampled_from(["", "{", "null", "[[1]]", '{"a":1e999}', '{"a":-0,"a":2}', "1" * 5000])
    | TEXTS
)

Step = Callable[[Session], object]


def _result(text: str, error: bool, code: str | None, session: Session) -> None:
    if session._open.calls:
        session.result(text, error=error, code=code)


def _sub(arguments: dict[str, object], session: Session) -> None:
    if session._open.calls:
        session.sub_call("bash", arguments).sub_result("ok")


def _prune(session: Session) -> None:
    if session._open.settled:
        session.prune(1)


def _crash(session: Session) -> None:
    session.crash().resume()


STEPS: st.SearchStrategy[Step] = st.one_of(
    st.builds(lambda text: lambda s: s.human(text), TEXTS),
    st.builds(lambda text: lambda s: s.steer(text), TEXTS),
    st.builds(lambda text: lambda s: s.notice(text, summary=text), TEXTS),
    st.builds(lambda tool, a: lambda s: s.call(tool, a), TOOLS, ARGUMENTS),
    st.builds(lambda tool, a: lambda s: s.call(tool, a), TOOLS, ARGUMENTS),
    st.builds(
        lambda text, error, code: functools.partial(_result, text, error, code),
        TEXTS,
        st.booleans(),
        st.none() | st.sampled_from(["ABORTED_BEFORE_DISPATCH", "TOOL_TIMEOUT"]),
    ),
    st.builds(lambda text, size: lambda s: s.reasoning(text, size=size), TEXTS, st.integers(1, 9)),
    st.builds(lambda text: lambda s: s.reasoning(text, outcome="attempt"), TEXTS),
    st.builds(lambda text: lambda s: s.say(text), TEXTS),
    st.just(lambda s: s.retry()),
    st.builds(lambda a: functools.partial(_sub, a), st.sampled_from([{}, {"command": "ls"}])),
    st.just(lambda s: s.step()),
    st.just(lambda s: s.end_turn("aborted", abort="user")),
    st.just(lambda s: s.resume()),
    st.just(_crash),
    st.just(_prune),
    st.just(lambda s: s.raw("plugin:odd/thing", {"a": [1, None]}, ignorable=True)),
    st.just(lambda s: s.raw("odd/thing")),
)
"""Things that can happen; those that fit nowhere at the moment do nothing."""


@st.composite
def sessions(draw: st.DrawFn, session_id: str = "session-drawn") -> Session:
    """A session of up to twelve happenings, sometimes a fork with inherited history."""
    session = Session(session_id).human("Go")
    for step in draw(st.lists(STEPS, max_size=9)):
        step(session)
    if draw(st.integers(0, 4)) == 0:
        session = session.fork(session_id, subagent=draw(st.booleans())).human("On")
    for step in draw(st.lists(STEPS, max_size=3)):
        step(session)
    return session


OPTIONS = st.builds(
    LineOptions,
    packed=st.booleans(),
    stripped=st.sampled_from([False, False, False, True]),
    tool_call_chunks=st.booleans(),
    batch_ms=st.sampled_from([0, 200, 10_000]),
)
