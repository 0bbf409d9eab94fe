"""Shards: every log in exactly one, whatever else is there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Discovery, discover
from dsh_calibrate.logs.sharding import Shard, take

KEYS = st.text(min_size=1).map(lambda text: text + ".jsonl")


@given(KEYS, st.integers(1, 40))
def test_every_log_is_in_exactly_one_shard(key, of):
    assert sum(Shard(number, of).holds(key) for number in range(1, of + 1)) == 1


@given(st.text(), st.integers(1, 40))
def test_the_generations_of_a_folder_are_in_one_shard(folder, of):
    names = ["session.jsonl", "session.v3.jsonl.zstd", "session.v4.jsonl", "session.jsonl.zstd"]
    homes = {
        number
        for name in names
        for number in range(1, of + 1)
        if Shard(number, of).holds(f"{folder}/{name}")
    }
    assert len(homes) == 1


def test_the_partition_is_the_documented_one_for_ever():
    """Another partition in a later version would lose logs between two machines."""
    assert [
        next(n for n in range(1, 5) if Shard(n, 4).holds(key))
        for key in ("a.jsonl", "b.jsonl", "--x--/s-1/session.v4.jsonl", "--x--/s-2/session.jsonl")
    ] == [3, 3, 1, 1]


@pytest.mark.parametrize(
    "text", ["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", " 1/2", "01/2", "a/b"]
)
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(UsageError, match="--shard"):
        Shard.parse(text)


def test_shards_of_a_root_add_up_to_it(tmp_path):
    for number in range(12):
        session = Session(f"s-{number}", cwd="/work/app").human("Go").say("Yes.")
        write_session(tmp_path / "a", session)
        if number % 3 == 0:
            write_session(tmp_path / "a", session, 3)  # an older generation beside it
        if number % 4 == 0:
            write_session(tmp_path / "copy", session)
    (tmp_path / "a" / "look.jsonl").write_text("{}\n")
    whole = discover([tmp_path])
    assert whole.superseded
    assert whole.duplicates
    assert whole.ignored
    parts = [take(whole, Shard(number, 3)) for number in (1, 2, 3)]
    for name in ("superseded", "duplicates", "ignored"):
        assert sorted(k for p in parts for k in getattr(p, name)) == sorted(getattr(whole, name))
    logs = sorted((log for part in parts for log in part.logs), key=lambda log: log.key)
    assert tuple(logs) == whole.logs
    assert [p.shard for p in parts] == ["1/3", "2/3", "3/3"]
    assert all(len(p.logs) + p.other_shards == len(whole.logs) for p in parts)
    for part in parts:
        assert list(part.logs) == sorted(part.logs, key=lambda log: log.key)


def test_one_of_one_is_everything():
    assert take(Discovery(ignored=("x",)), Shard(1, 1)).ignored == ("x",)
