"""Which logs a selection means, and what it says of the others (contract.md 2)."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Header
from dsh_calibrate.logs.selection import Criteria, moment, select

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
DAY = 86_400_000


@pytest.fixture
def berlin(monkeypatch):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def utc(text: str) -> int:
    return int(datetime.fromisoformat(text + "+00:00").timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "end", "expected"),
    [
        ("2026-11-20T08:30Z", False, "2026-11-20T08:30:00.000"),
        ("2026-11-20T08:30+02:00", False, "2026-11-20T06:30:00.000"),
        ("2026-11-20T08:30", False, "2026-11-20T07:30:00.000"),
        ("2026-11-20 08:30:15", False, "2026-11-20T07:30:15.000"),
        ("2026-07-20T08:30", False, "2026-07-20T06:30:00.000"),
        ("2026-11-20", False, "2026-11-19T23:00:00.000"),
        ("2026-11-20", True, "2026-11-20T22:59:59.999"),
        ("2026-10-25", True, "2026-10-25T22:59:59.999"),  # 25 hours long
        ("30m", False, "2026-11-20T11:30:00.000"),
        ("12h", True, "2026-11-20T00:00:00.000"),
        ("7d", False, "2026-11-13T12:00:00.000"),
        ("2w", False, "2026-11-06T12:00:00.000"),
        (" 0s ", False, "2026-11-20T12:00:00.000"),
    ],
)
def test_times_as_typed(berlin, text, end, expected) -> None:
    assert moment(text, NOW, end=end) == utc(expected)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "7", "7y", "-7d", "2026-13-01", "2026-11-20T25:00", "99999999w"]
)
def test_what_is_no_time_is_named(text) -> None:
    with pytest.raises(UsageError, match="no date or time that can be used"):
        moment(text, NOW)


def log(
    name: str,
    created: int = 0,
    *,
    cwd: str | None = "/work/app",
    version: int | None = 4,
    header: bool = True,
    generation: int | None = 4,
    folder: str = "--work-app--",
) -> Log:
    path = Path(f"/root/{folder}/{name}/session.v4.jsonl")
    made = Header(name, version, created, cwd, None, None, None, None, 0, None)
    return Log(path, name, Path("/root"), made if header else None, generation)


LOGS = [
    log("a", 1 * DAY),
    log("b", 2 * DAY, version=0),
    log("c", 3 * DAY, cwd="/home/me/Tools/", folder="--home-me-Tools--"),
    log("d", 4 * DAY, cwd=None, folder="_no-cwd", version=None),
    log("e", 5 * DAY, cwd="C:\\src\\app", folder="--C-src-app--"),
    log("f", header=False),
]


@pytest.mark.parametrize(
    ("criteria", "kept", "reasons"),
    [
        (Criteria(), "abcdef", {}),
        (Criteria(since=3 * DAY), "cde", {"--since": 3}),
        (Criteria(until=3 * DAY), "abc", {"--until": 3}),
        (Criteria(since=2 * DAY, until=4 * DAY - 1), "bc", {"--since": 2, "--until": 2}),
        (Criteria(last=2), "de", {"--last": 4}),
        (Criteria(last=9), "abcdef", {}),
        (Criteria(until=3 * DAY, last=1), "c", {"--until": 3, "--last": 2}),
        (Criteria(projects=("/work/app",)), "ab", {"--project": 4}),
        (Criteria(projects=("app",)), "abe", {"--project": 3}),
        (Criteria(projects=("*work-app--",)), "abf", {"--project": 3}),
        (Criteria(projects=("Tools", "_no-cwd")), "cd", {"--project": 4}),
        (Criteria(projects=("tools",)), "", {"--project": 6}),
        (Criteria(projects=("/home*",)), "c", {"--project": 5}),
        (Criteria(sessions=("[a-c]",)), "abc", {"--session": 3}),
        (Criteria(sessions=("?",)), "abcde", {"--session": 1}),
        (Criteria(versions=(0,)), "b", {"--format-version": 5}),
        (Criteria(versions=(0, 4)), "abce", {"--format-version": 2}),
    ],
)
def test_criteria(criteria, kept, reasons) -> None:
    selected = select(LOGS, criteria)
    assert "".join(x.key for x in selected.logs) == kept
    assert "".join(x.key for x in selected.left_out) == "".join(
        x.key for x in LOGS if x.key not in kept
    )
    assert selected.reasons == reasons


def test_a_name_with_brackets_may_be_spelled_as_it_is() -> None:
    odd = log("[x]")
    assert select([odd], Criteria(sessions=("[x]",))).logs == (odd,)


def test_a_log_that_lies_anywhere_has_no_project_folder() -> None:
    assert not select([log("a", generation=None)], Criteria(projects=("--work-app--",))).logs


times = st.one_of(st.none(), st.integers(0, 9))


@given(
    st.lists(st.integers(0, 9), max_size=12),
    times,
    times,
    st.one_of(st.none(), st.integers(1, 5)),
)
def test_nothing_is_lost_and_the_newest_stay(created, since, until, last) -> None:
    logs = [log(f"{k:02}", at) for k, at in enumerate(created)]
    selected = select(logs, Criteria(since=since, until=until, last=last))
    assert sorted([*selected.logs, *selected.left_out], key=lambda x: x.key) == logs
    assert sum(selected.reasons.values()) == len(selected.left_out)
    without = select(logs, Criteria(since=since, until=until)).logs
    assert len(selected.logs) == min(len(without), last or len(without))
    oldest = min((x.header.created_at for x in selected.logs), default=0)
    dropped = [x for x in without if x not in selected.logs]
    assert all(x.header.created_at <= oldest for x in dropped)
