"""Facts of shards joined are the facts of the whole, and what does not belong is refused."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import STORIES, TABLE_NAMES, plan, told, written

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.facts import collect, folder, merging
from dsh_calibrate.facts.merging import MergeError, merge

STORY = [("call", 0, "ok"), ("batch", 1, "fail"), ("notice", 2, "exact"), ("call", 2, "ok")]


def bytes_in(place):
    return {path.name: path.read_bytes() for path in place.iterdir()}


@pytest.fixture
def logs(tmp_path):
    sessions = [told(f"s-{n}", STORY * n) for n in range(1, 6)]
    sessions[2].reasoning("Again and again, the same thing. " * 60).say("Done.")
    return written(tmp_path / "logs", sessions)


def shard(logs, place, **how):
    collect(logs, how.pop("how", None) or plan(), jobs=1, folder=place, **how)
    return place


@pytest.mark.parametrize("rows_at_once", [3, 65_536])
def test_shards_merge_into_the_whole_byte_for_byte(logs, tmp_path, monkeypatch, rows_at_once):
    monkeypatch.setattr(folder, "ROWS_A_GROUP", rows_at_once)
    monkeypatch.setattr(merging, "_BATCH", 4)
    whole = bytes_in(shard(logs, tmp_path / "whole"))
    parts = [shard(logs[k::3], tmp_path / f"part-{k}") for k in range(3)]
    merge(parts, tmp_path / "merged")
    assert bytes_in(tmp_path / "merged") == whole
    assert pq.ParquetFile(tmp_path / "merged" / "measures.parquet").num_row_groups >= (
        10 if rows_at_once == 3 else 1
    )
    # A log in several shards counts once, and merging merged facts changes nothing.
    merge([tmp_path / "merged", parts[0], parts[2]], tmp_path / "again")
    assert bytes_in(tmp_path / "again") == whole


@settings(max_examples=15, deadline=None)
@given(st.lists(STORIES, min_size=2, max_size=4), st.integers(0, 15))
def test_any_split_merges_into_the_whole(tmp_path_factory, stories, mask):
    place = tmp_path_factory.mktemp("split")
    logs = written(place / "logs", [told(f"s-{n}", story) for n, story in enumerate(stories)])
    whole = bytes_in(shard(logs, place / "whole"))
    sides = [[log for n, log in enumerate(logs) if (mask >> n) % 2 == side] for side in (0, 1)]
    parts = [shard(side, place / f"part-{n}") for n, side in enumerate(sides)]
    merge(parts, place / "merged")
    assert bytes_in(place / "merged") == whole


def test_a_log_told_differently_is_named(logs, tmp_path):
    first = shard(logs, tmp_path / "a")
    second = shard(logs[:1], tmp_path / "b")
    table = pq.read_table(second / "measures.parquet")
    position = table.schema.get_field_index("next")
    changed = table.set_column(
        position, table.schema.field(position), pa.array([9] * table.num_rows, pa.int64())
    )
    pq.write_table(changed, second / "measures.parquet")
    with pytest.raises(MergeError, match=r"s-1.*table measures differs"):
        merge([first, second], tmp_path / "merged")
    assert not (tmp_path / "merged" / "facts.json").exists()


@pytest.mark.parametrize(
    ("how", "named"),
    [
        ({"how": plan({"window": 9})}, "feeding"),
        ({"how": plan({"warnAt": 3})}, "deciding"),
        ({"decisions": False}, "deciding"),
        ({"masked": True}, "masked"),
    ],
)
def test_other_settings_are_refused(logs, tmp_path, how, named):
    first, second = shard(logs[:2], tmp_path / "a"), shard(logs[2:], tmp_path / "b", **how)
    with pytest.raises(MergeError, match=named):
        merge([first, second], tmp_path / "merged")


def test_another_engine_is_refused(logs, tmp_path):
    first, second = shard(logs[:2], tmp_path / "a"), shard(logs[2:], tmp_path / "b")
    manifest = json.loads((second / "facts.json").read_text())
    (second / "facts.json").write_text(json.dumps({**manifest, "engine": "0.0.1+0"}))
    with pytest.raises(MergeError, match="different versions"):
        merge([first, second], tmp_path / "merged")


@pytest.mark.parametrize("name", TABLE_NAMES[:3])
@pytest.mark.parametrize("harm", ["cut", "rows", "gone"])
def test_damaged_folders_are_named(logs, tmp_path, name, harm):
    first, second = shard(logs[:2], tmp_path / "a"), shard(logs[2:], tmp_path / "b")
    path = second / f"{name}.parquet"
    if harm == "cut":
        path.write_bytes(path.read_bytes()[:-20])
    elif harm == "gone":
        path.unlink()
    else:
        pq.write_table(pq.read_table(path).slice(1), path)
    with pytest.raises(CalibrateError, match="damaged"):
        merge([first, second], tmp_path / "merged")


def test_the_result_is_none_of_the_inputs_and_takes_no_foreign_folder(logs, tmp_path):
    first = shard(logs, tmp_path / "a")
    with pytest.raises(UsageError, match="one of the folders"):
        merge([first], first)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="holds other files"):
        merge([first], tmp_path / "mine")
    with pytest.raises(UsageError, match="at least one"):
        merge([], tmp_path / "b")


def test_an_older_folder_is_replaced(logs, tmp_path):
    place = shard(logs, tmp_path / "a")
    assert bytes_in(shard(logs[:1], place)) == bytes_in(shard(logs[:1], tmp_path / "b"))


def test_masked_facts_hold_no_content(tmp_path):
    session = Session("s-1", cwd="/home/zorg/quark").human("Go")
    session.reasoning("The flimflam again and again. " * 80)
    for _ in range(8):
        session.call("bash", {"command": "curl https://zyzzyva.example.org/gnu"}).result(
            "Error: blorb", error=True
        )
    place = shard(written(tmp_path / "logs", [session]), tmp_path / "a", masked=True)
    words = (b"zorg", b"quark", b"flimflam", b"zyzzyva", b"gnu", b"blorb")
    for path in place.glob("*.parquet"):
        text = str(pq.read_table(path).drop_columns(["log"]).to_pylist()).encode()
        assert not [word for word in words if word in text], path.name
    plain = shard(written(tmp_path / "logs", [session]), tmp_path / "b")
    assert pq.read_table(plain / "measures.parquet").equals(
        pq.read_table(place / "measures.parquet")
    )
