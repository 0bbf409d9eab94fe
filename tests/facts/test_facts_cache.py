"""The cache gives what measuring would give, or is not used."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from measured import TABLE_NAMES, plan, told, written

from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import encode
from dsh_calibrate.errors import UsageError
from dsh_calibrate.facts import collect, measuring
from dsh_calibrate.facts.cache import Cache, default_folder
from dsh_calibrate.facts.settings import deciding, digest_of, feeding
from dsh_calibrate.logs.discovery import discover

STORY = [("call", 0, "ok"), ("batch", 1, "fail"), ("call", 1, "fail"), ("resume", 0, "")]


@pytest.fixture
def cache(tmp_path):
    made = Cache(tmp_path / "cache" / "facts")
    made.prepare()
    return made


@pytest.fixture
def logs(tmp_path):
    return written(tmp_path / "logs", [told(f"s-{n}", STORY * n) for n in (1, 2, 3)])


def names_in(cache):
    return sorted(entry.name for entry in cache.folder.iterdir())


def bytes_of(facts):
    names = [*(f"{name}.parquet" for name in TABLE_NAMES), "facts.json"]
    found = {name: (facts.folder / name).read_bytes() for name in names}
    facts.close()
    return found


def measured(logs, cache=None, how=None, jobs=1):
    return bytes_of(collect(logs, how or plan(), jobs=jobs, cache=cache))


@pytest.fixture
def passes(monkeypatch):
    """The logs that are really read, one entry a pass."""
    read = []
    real = measuring.replay_log

    def noted(log, how, *rest, **more):
        read.append((log.key.split("/")[-2], bool(how.guards)))
        return real(log, how, *rest, **more)

    monkeypatch.setattr(measuring, "replay_log", noted)
    return read


def test_any_number_of_processes_and_the_cache_give_the_same_bytes(logs, cache):
    plain = measured(logs)
    assert measured(logs, jobs=2) == plain
    assert measured(logs, cache, jobs=2) == plain
    assert measured(logs, cache) == plain


def test_a_second_run_reads_no_log(logs, cache, passes):
    measured(logs, cache)
    assert len(passes) == 3
    measured(logs, cache)
    assert len(passes) == 3


def test_another_threshold_needs_decisions_alone_and_another_window_everything(
    logs, cache, passes, monkeypatch
):
    sinks = []
    monkeypatch.setattr(
        measuring, "ToolFacts", lambda *a, real=measuring.ToolFacts: sinks.append(1) or real(*a)
    )
    measured(logs, cache)
    measured(logs, cache, plan({"warnAt": 3}))
    assert (len(passes), len(sinks)) == (6, 3)
    measured(logs, cache, plan({"window": 8}))
    assert (len(passes), len(sinks)) == (9, 6)
    assert measured(logs, cache, plan({"window": 8})) == measured(logs, None, plan({"window": 8}))


def test_facts_without_decisions_share_the_entry(logs, cache, passes):
    measured(logs, cache)
    with collect(logs, plan(), jobs=1, cache=cache, decisions=False) as facts:
        assert facts.frame("calls").height > 0
    assert len(passes) == 3


def test_a_changed_file_is_measured_again_and_its_old_entries_go(tmp_path, cache, passes):
    (log,) = written(tmp_path / "logs", [told("s-1", STORY)])
    measured([log], cache)
    entries = names_in(cache)
    log.path.write_bytes(encode(told("s-1", STORY * 2)))
    found = discover([tmp_path / "logs"]).logs
    assert measured(found, cache) == measured(found)
    assert len(passes) == 3
    assert len(entries) == 2
    assert set(names_in(cache)).isdisjoint(entries)


def test_a_log_that_changes_while_it_is_read_is_not_kept(tmp_path, cache, monkeypatch):
    (log,) = written(tmp_path / "logs", [told("s-1", STORY)])
    real = measuring.replay_log

    def appending(*given, **more):
        outcome = real(*given, **more)
        with log.path.open("ab") as file:
            file.write(b"{}\n")
        return outcome

    monkeypatch.setattr(measuring, "replay_log", appending)
    with collect([log], plan(), jobs=1, cache=cache) as facts:
        assert facts.frame("calls").height > 0
    assert names_in(cache) == []


@pytest.mark.parametrize("harm", ["cut", "empty", "flip", "swap", "garbage"])
def test_a_damaged_entry_is_measured_again(logs, cache, harm, passes):
    plain = measured(logs, cache)
    entries = sorted(cache.folder.iterdir())
    for entry, other in zip(entries, [*entries[1:], entries[0]], strict=True):
        data = bytearray(entry.read_bytes())
        if harm == "cut":
            data = data[:-7]
        elif harm == "empty":
            data = bytearray()
        elif harm == "flip":
            data[len(data) // 2] ^= 1
        elif harm == "garbage":
            data = bytearray(os.urandom(500))
        else:
            data = bytearray(other.read_bytes())
        entry.unlink()
        entry.write_bytes(data)
    assert measured(logs, cache) == plain
    assert len(passes) == 6
    assert measured(logs, cache) == plain


def test_two_at_once_do_not_disturb_each_other(logs, cache):
    plain = measured(logs)
    with ThreadPoolExecutor(4) as threads:
        runs = [threads.submit(measured, logs, cache) for _ in range(8)]
    assert all(run.result() == plain for run in runs)
    assert not [name for name in names_in(cache) if name.startswith(".")]


def test_a_cache_that_is_cleared_meanwhile_or_cannot_take_more_is_no_harm(
    logs, cache, passes, monkeypatch
):
    plain = measured(logs, cache)
    facts = collect(logs, plan(), jobs=1, cache=cache, on_done=lambda log: cache.clear())
    assert bytes_of(facts) == plain
    assert names_in(cache) == []
    real = measuring.pack

    def full(folder, names, target, key):
        if target.parent == cache.folder:
            raise OSError(28, "No space left on device")
        real(folder, names, target, key)

    monkeypatch.setattr(measuring, "pack", full)
    assert measured(logs, cache) == plain
    assert names_in(cache) == []


def test_the_folder_is_the_owners_alone(tmp_path, logs):
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    cache = Cache(folder)
    cache.prepare()
    measured(logs, cache)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {0o600}


def test_a_folder_that_cannot_be_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="use --no-cache"):
        Cache(tmp_path / "file" / "facts").prepare()


def test_clear_removes_entries_and_nothing_else(logs, cache):
    measured(logs, cache)
    (cache.folder / "mine.txt").write_text("kept")
    count, size = cache.clear()
    assert (count, size > 0) == (6, True)
    assert names_in(cache) == ["mine.txt"]


def test_clearing_a_cache_that_is_not_there(tmp_path):
    assert Cache(tmp_path / "none").clear() == (0, 0)


def test_the_folder_in_force(monkeypatch, tmp_path):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path))
    assert default_folder() == tmp_path
    monkeypatch.delenv("DSH_CALIBRATE_CACHE")
    assert default_folder().name == "facts"


FREE = (
    {"warnAt": 3},
    {"summarizeAt": None},
    {"failWarnAt": 2},
    {"failLimit": 9},
    {"limits": {"host": 20}},
    {"onLimit": "deny"},
)
FED = (
    {"window": 9},
    {"include": ["bash"]},
    {"ignoreArgs": {"bash": ["x"]}},
    {"hostAliases": {"a.example.org": "b.example.org"}},
    {"localHosts": "allow"},
    {"includeLocal": True},
    {"shellHttpAllow": []},
)


@pytest.mark.parametrize("row", FREE)
def test_thresholds_change_decisions_alone(row):
    assert feeding(plan(row)) == feeding(plan())
    assert digest_of(deciding(plan(row))) != digest_of(deciding(plan()))


@pytest.mark.parametrize("row", FED)
def test_what_shapes_counts_changes_facts(row):
    assert digest_of(feeding(plan(row))) != digest_of(feeding(plan()))


@pytest.mark.parametrize(
    ("row", "is_fed"),
    [
        ({"lineCount": 9}, False),
        ({"minUnits": 9}, False),
        ({"every": 99}, True),
        ({"kgram": 32}, True),
    ],
)
def test_reasoning_settings_that_shape_figures(row, is_fed):
    assert (feeding(plan(rlg=row)) != feeding(plan())) == is_fed


def test_plain_session_has_no_surprises(tmp_path, cache):
    (log,) = written(tmp_path, [Session("s-1").human("Go").say("Done.")])
    assert measured([log], cache) == measured([log], cache) == measured([log])
