"""Every scenario, and random sessions, tell the same story in every version and encoding."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora.event_story import CORPORA, read, story
from dsh_calibrate.corpora.lines import LineOptions
from dsh_calibrate.corpora.scenarios import load_scenario
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs import events as ev

WHOLE = [
    path
    for folder in ("first-loops", "all-guards")
    for path in sorted((CORPORA / folder / "scenarios").glob("*.toml"))
]


def stories(root: Path, session: Session, options: LineOptions | None = None) -> list:
    told = []
    for version in range(5):
        for encoding in ("plain", "zstd") if version in (0, 4) else ("zstd",):
            path = write_session(
                root / f"{version}-{encoding}", session, version, encoding, options
            )
            told.append(story(path))
    return told


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_a_scenario_is_the_same_in_every_format(path, tmp_path):
    for session in load_scenario(path).sessions:
        first, *others = stories(tmp_path, session)
        assert len(first) > 3
        for other in others:
            assert other == first


texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)


@st.composite
def sessions(draw) -> Session:
    session = Session(
        draw(st.sampled_from(["a", "b:c", "né"])), cwd=draw(st.sampled_from([None, "/w"]))
    )
    session.human(draw(texts))
    for _ in range(draw(st.integers(0, 12))):
        act = draw(st.integers(0, 9))
        if act == 0:
            session.human(draw(texts))
        elif act == 1:
            session.notice(
                draw(texts), producer=draw(st.sampled_from(["runtime-context", "goal", "x"]))
            )
        elif act == 2:
            count = draw(st.integers(1, 3))
            for _ in range(count):
                session.call(
                    draw(st.sampled_from(["bash", "read"])),
                    {"command": draw(texts)},
                    call_id=draw(st.sampled_from([None, "call_0"])),
                )
            for _ in range(draw(st.integers(0, count))):
                session.result(draw(texts), error=draw(st.booleans()))
            session.step()
        elif act == 3:
            session.reasoning(
                draw(st.lists(texts, max_size=8)),
                piece_ms=draw(st.sampled_from([0, 20, 150])),
                answer=draw(st.sampled_from(["", "Done."])),
            )
        elif act == 4:
            session.reasoning(
                draw(st.lists(texts, max_size=8)), outcome="attempt", failure="TRANSPORT"
            ).retry("TRANSPORT")
        elif act == 5:
            session.call("run_code", "{}").sub_call("bash", {"command": "ls"})
            session.sub_result(draw(texts)).result("done")
        elif act == 6:
            session.call("bash", draw(texts)).crash().resume()
        elif act == 7:
            session.compact(draw(texts))
        elif act == 8:
            session.steer(draw(texts))
        else:
            session = session.fork(f"{session.id}-{act}", seeded=draw(st.booleans()))
            session.human(draw(texts))
    return session


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(sessions(), st.booleans(), st.booleans())
def test_random_sessions_are_the_same_in_every_format(tmp_path, session, packed, tool_calls):
    options = LineOptions(packed=packed, tool_call_chunks=tool_calls)
    first, *others = stories(tmp_path, session, options)
    for other in others:
        assert other == first


def test_a_seeded_fork_tells_only_its_own_part(tmp_path):
    parent = Session("p").human("one")
    for _ in range(3):
        parent.call("bash", {"command": "ls"}).result("a")
    child = parent.fork("c").human("two").call("bash", {"command": "pwd"}).result("/w")
    for version in range(5):
        events, coverage = read(write_session(tmp_path, child, version))
        calls = [event for event in events if isinstance(event, ev.Call)]
        assert [call.arguments for call in calls] == ['{"command":"pwd"}']
        assert coverage.inherited_lines > 0
        starts = [event.number for event in events if isinstance(event, ev.LifecycleStart)]
        assert starts == [0, 1]  # the fork point is the child's own first end-seed line


def test_a_fork_in_the_middle_of_a_call_is_closed_behind_the_fork_point(tmp_path):
    parent = Session("p").human("one").call("bash", {"command": "make"})
    child = parent.fork("c").human("two").call("bash", {"command": "ls"}).result("a")
    for version in range(5):
        events, coverage = read(write_session(tmp_path, child, version))
        assert coverage.synthetic == 1
        results = [event for event in events if isinstance(event, ev.Result)]
        assert [(result.synthetic, result.call) for result in results] == [(True, None), (False, 0)]
        ends = [event.reason for event in events if isinstance(event, ev.TurnEnd)]
        assert ends == ["forked" if version == 4 else "interrupted", "completed"]


def test_a_lost_stream_stays_only_in_the_old_formats(tmp_path):
    session = Session("lost").human("go").reasoning("abcdefghijkl", size=2, outcome="lost")
    for version in range(5):
        events, _ = read(write_session(tmp_path, session, version))
        closes = [e.outcome for e in events if isinstance(e, ev.StreamClose)]
        assert closes == (["lost"] if version < 2 else [])


def test_early_and_stripped_shapes_tell_the_same_calls(tmp_path):
    session = Session("old").human("go").call("bash", {"command": "x"}).result("[exit code: 2]")
    session.steer("more").call("bash", {"command": "y"}).result("no", error=True)

    def calls(options: LineOptions | None, name: str) -> list:
        events, _ = read(write_session(tmp_path / name, session, 0, "plain", options))
        return [
            (type(e).__name__, getattr(e, "arguments", None) or getattr(e, "text", None))
            for e in events
            if isinstance(e, ev.Call | ev.Result | ev.Human)
        ]

    usual = calls(None, "usual")
    assert [name for name, _ in usual] == ["Human", "Call", "Result", "Human", "Call", "Result"]
    assert calls(LineOptions(early=True), "early") == usual
    assert calls(LineOptions(stripped=True), "stripped") == usual


def test_a_reply_without_pieces_is_marked_as_such(tmp_path):
    session = Session("whole").human("go").reasoning("all of it", granular=False, answer="ok")
    for version in range(5):
        events, _ = read(write_session(tmp_path, session, version))
        (pieces,) = [e for e in events if isinstance(e, ev.StreamPieces)]
        assert (pieces.texts, pieces.granular) == (("all of it",), False)
