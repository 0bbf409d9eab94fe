"""Reading fire journals that another program writes, choosing and counting their lines."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.errors import UsageError
from dsh_calibrate.studies.journal import Fire, read_journals
from dsh_calibrate.studies.journal_stats import Filter, chosen, moment, stats

DAY = 86_400_000
START = 1_790_000_000_000  # 2026-09-21 14:13:20 UTC


def line(**fields) -> bytes:
    whole = {"v": 1, "at": START, "rule": "periodic-run", "atChars": 820, "sessionId": "s-1"}
    whole |= {"provider": "p", "model": "m", "turn": 1, "step": 2, "pluginVersion": "0.2.0"}
    whole |= {"thresholds": {"minChars": 800}, **fields}
    return json.dumps({k: v for k, v in whole.items() if v is not ...}).encode() + b"\n"


@pytest.mark.parametrize(
    ("data", "counts"),
    [
        (line(), {"lines": 1, "fires": 1}),
        (b"\xef\xbb\xbf" + line(), {"lines": 1, "fires": 1}),
        (b"\0\0" + line() + b"\r\n\r\n", {"lines": 1, "fires": 1}),
        (b"{\n[1]\nnull\n" + line(), {"lines": 4, "fires": 1, "broken": 3}),
        (b"\xff\xfe\n" + line(), {"lines": 2, "fires": 1, "broken": 1}),
        (b"[" * 5000 + b"\n", {"lines": 1, "broken": 1}),
        (line(rule=...) + line(rule=7) + line(rule=""), {"lines": 3, "no_fires": 3}),
        (line() + b'{"rule":"kgram-re', {"lines": 2, "fires": 1, "torn": 1}),
        (line() + line().strip(), {"lines": 2, "fires": 2}),
        (b"x" * (3 << 20) + b"\n" + line(), {"lines": 2, "fires": 1, "broken": 1}),
        (b"", {}),
    ],
)
def test_what_cannot_be_used_is_counted(tmp_path, data, counts):
    file = tmp_path / "fires.jsonl"
    file.write_bytes(data)
    found = read_journals([file])
    told = {
        "lines": found.lines,
        "fires": len(found.fires),
        "broken": found.broken,
        "no_fires": found.no_fires,
        "torn": found.torn,
    }
    assert {name: count for name, count in told.items() if count} == counts


@pytest.mark.parametrize(
    ("fields", "name", "value"),
    [
        ({}, "at", START),
        ({"at": ..., "iso": "2026-09-21T14:13:20.000Z"}, "at", START),
        ({"at": "soon", "iso": "2026-09-21T16:13:20+02:00"}, "at", START),
        ({"at": 1e300}, "at", None),
        ({"at": -5}, "at", None),
        ({"at": ..., "iso": "later"}, "at", None),
        ({"turn": "1"}, "turn", None),
        ({"turn": True}, "turn", None),
        ({"turn": 17.0}, "turn", 17),
        ({"model": ["x"]}, "model", None),
        ({"thresholds": [1]}, "thresholds", None),
        ({"thresholds": {"every": 200, "x": None}}, "thresholds", {"every": 200}),
        ({"aborted": False}, "aborted", False),
        ({"aborted": "no"}, "aborted", None),
    ],
)
def test_fields(tmp_path, fields, name, value):
    file = tmp_path / "fires.jsonl"
    file.write_bytes(line(**fields))
    (fire,) = read_journals([file]).fires
    assert getattr(fire, name) == value


def test_missing_fields_are_counted(tmp_path):
    file = tmp_path / "fires.jsonl"
    file.write_bytes(line(at=..., iso="2026-09-21T14:13:20Z", model=...) + line(model=None, at=...))
    assert read_journals([file]).missing == {"at": 1, "model": 2}


def test_the_rotated_file_comes_first_and_nothing_is_read_twice(tmp_path):
    file = tmp_path / "fires.jsonl"
    file.write_bytes(line(turn=2))
    (tmp_path / "fires.jsonl.1").write_bytes(line(turn=1))
    found = read_journals([file, tmp_path / "fires.jsonl.1", file])
    assert [fire.turn for fire in found.fires] == [1, 2]
    file.unlink()
    assert [fire.turn for fire in read_journals([file]).fires] == [1]
    with pytest.raises(UsageError, match="no such file"):
        read_journals([tmp_path / "other.jsonl"])


FIRES = [
    Fire("f", 1, "periodic-run", START, session="aa", model="m"),
    Fire("f", 2, "line-repeat", START + 2 * DAY, session="ab"),
    Fire("f", 3, "periodic-run", None, session="b", model="m"),
    Fire("f", 4, "filler-run", START + DAY),
]


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        (Filter(), [2, 4, 1, 3]),
        (Filter(limit=2), [2, 4]),
        (Filter(rules=("periodic-run", "filler-run")), [4, 1, 3]),
        (Filter(sessions=("a*",)), [2, 1]),
        (Filter(sessions=("b", "a…")), [2, 1, 3]),
        (Filter(since=START + DAY), [2, 4]),
        (Filter(sessions=("none",)), []),
    ],
)
def test_newest_first_and_filters(wanted, lines):
    assert [fire.line for fire in chosen(FIRES, wanted)] == lines


@given(st.lists(st.sampled_from(FIRES)), st.integers(1, 9))
def test_counts_add_up(fires, limit):
    found = stats(fires, utc=True)
    for counts in (found.by_rule, found.by_model, found.by_day, found.by_version):
        assert sum(counts.values()) == found.fires == len(fires)
    assert chosen(fires, Filter(limit=limit)) == chosen(fires, Filter())[:limit]


def test_days_are_local_unless_utc(monkeypatch):
    late = [Fire("f", 1, "filler-run", START + 10 * 3_600_000 + 1_700_000)]  # 00:41:40 UTC
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert stats(late, utc=False).by_day == {"2026-09-21": 1}
        assert moment(late[0].at, utc=False) == "2026-09-21 20:41:40-04:00"
    finally:
        monkeypatch.undo()
        time.tzset()
    assert stats(late, utc=True).by_day == {"2026-09-22": 1}
    assert moment(None, utc=True) == ""
    assert stats([FIRES[2]], utc=True).by_day == {"unknown": 1}
