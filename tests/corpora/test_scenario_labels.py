"""What the shipped scenarios declare about a guard is what the guards do."""

from __future__ import annotations

import pytest

from corpora.event_story import CORPORA
from dsh_calibrate.corpora.scenarios import load_scenario
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.guards.circuit_breaker import breaker as _breaker
from dsh_calibrate.guards.circuit_breaker import config as _tfb
from dsh_calibrate.guards.reasoning_loop import config as _rlg
from dsh_calibrate.guards.reasoning_loop import detector as _detector
from dsh_calibrate.guards.repeat_reminder import config as _rtr
from dsh_calibrate.guards.repeat_reminder import reminder as _reminder
from dsh_calibrate.guards.repeat_tool_breaker import config as _rtb
from dsh_calibrate.guards.repeat_tool_breaker.breaker import Breaker
from dsh_calibrate.guards.repeat_tool_breaker.decisions import Outcome
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES
from dsh_calibrate.logs import events as ev
from dsh_calibrate.logs.reading import read_log

SPEAKS = {"expect": True, "known-false": True, "quiet": False, "known-miss": False}

POINTS = [
    (path, label["session"], point)
    for folder in ("first-loops", "all-guards")
    for path in sorted((CORPORA / folder / "scenarios").glob("*.toml"))
    for label in load_scenario(path).labels
    for point in label.get("at", ())
]


def spoken(events, guard: str) -> set[tuple[int, int]]:
    """(lifecycle, call or stream) of everything that a guard says or stops."""
    return {"rlg": fires, "tfb": denials, "rtr": reminders, "rtb": interventions}[guard](events)


def fires(events) -> set[tuple[int, int]]:
    found, lifecycle, detector = set(), 0, None
    for event in events:
        if isinstance(event, ev.LifecycleStart):
            lifecycle = event.number
        elif isinstance(event, ev.StreamOpen):
            detector = _detector.Detector(_rlg.configure({}))
        elif isinstance(event, ev.StreamPieces):
            found |= {(lifecycle, event.stream) for text in event.texts if detector.feed(text)}
    return found


def denials(events) -> set[tuple[int, int]]:
    found, lifecycle, guard = set(), 0, None
    for event in events:
        if isinstance(event, ev.LifecycleStart):
            lifecycle, guard = event.number, _breaker.CircuitBreaker(_tfb.configure({}))
        elif isinstance(event, ev.Human):
            guard.human()
        elif isinstance(event, ev.Call):
            if guard.call(event.index, event.tool, event.arguments):
                found.add((lifecycle, event.index))
        elif isinstance(event, ev.Result) and event.call is not None:
            guard.result(event.call, event.is_error, event.text)
    return found


def reminders(events) -> set[tuple[int, int]]:
    found, lifecycle, guard = set(), 0, None
    for event in events:
        if isinstance(event, ev.LifecycleStart):
            lifecycle, guard = event.number, _reminder.Reminder(_rtr.configure({}))
        elif isinstance(event, ev.Human):
            guard.human()
        elif isinstance(event, ev.Call):
            guard.call(event.index, event.tool, event.arguments)
        elif isinstance(event, ev.Result) and event.call is not None and guard.result(event.call):
            found.add((lifecycle, event.call))
    return found


def interventions(events) -> set[tuple[int, int]]:
    settings = _rtb.configure({}, PROFILES[DEFAULT])
    found, lifecycle, guard = set(), 0, None
    for event in events:
        if isinstance(event, ev.LifecycleStart):
            lifecycle = event.number
            guard = Breaker(settings, enforce_shell_http=False)
        elif isinstance(event, ev.Human):
            guard.human()
        elif isinstance(event, ev.Call):
            decision = guard.call(event.index, event.tool, event.arguments, approve=False)
            if decision.verdict != "allow":
                found.add((lifecycle, event.index))
        elif isinstance(event, ev.Result) and event.call is not None:
            outcome = Outcome(
                text=event.text,
                is_error=event.is_error,
                error_name=event.error_name,
                error_code=event.error_code,
                status_code=event.status_code,
            )
            said = guard.result(event.call, outcome)
            if said.advisory or said.failure_advisory:
                found.add((lifecycle, event.call))
    return found


@pytest.mark.parametrize(
    ("path", "name", "point"), POINTS, ids=[f"{p.stem}-{at['guard']}" for p, _, at in POINTS]
)
def test_labelled_points_hold(path, name, point, tmp_path):
    (session,) = [session for session in load_scenario(path).sessions if session.id == name]
    events = list(read_log(write_session(tmp_path, session, 4)))
    place = (point["lifecycle"], point.get("call", point.get("stream")))
    assert (place in spoken(events, point["guard"])) == SPEAKS[point["expect"]]


@pytest.mark.parametrize("guard", ["rtb", "tfb", "rlg"])
@pytest.mark.parametrize("name", ["healthy-edit-test", "reading-a-long-file", "retry-network"])
def test_healthy_scenarios_are_quiet(name, guard, tmp_path):
    (path,) = CORPORA.glob(f"*/scenarios/{name}.toml")
    (session,) = load_scenario(path).sessions
    assert not spoken(list(read_log(write_session(tmp_path, session, 0))), guard)
