"""Writing scenario files: the shipped corpora byte for byte, labels, foreign folders, damage."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
import zstandard

from corpora.event_story import CORPORA, read
from dsh_calibrate.corpora.bundled import bundled_scenarios
from dsh_calibrate.corpora.scenarios import load_scenario
from dsh_calibrate.corpora.synthesis import synthesise
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs import events as ev
from dsh_calibrate.logs.discovery import discover

FOLDERS = ("first-loops", "all-guards", "damaged-logs")
RECORDED_WITH = (1, 5, 7)
"""The zstd library that compressed the shipped logs."""

SMALL = """schema = 1
versions = [0, 4]
encoding = ["plain", "zstd"]
[[label]]
outcome = "healthy"
note = "says \\"hm\\""
[[label.at]]
guard = "rtb"
call = 0
expect = "quiet"
[[step]]
kind = "human"
[[step]]
kind = "call"
tool = "bash"
arguments = {command = "ls"}
result = "a"
"""


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted((root / "sessions").rglob("*"))
        if path.is_file()
    }


def content(data: bytes) -> bytes:
    reader = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True)
    try:
        return reader.read()
    except zstandard.ZstdError:
        return b"damaged"


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_shipped_corpora_are_what_their_scenarios_make(folder, tmp_path):
    shipped = CORPORA / folder
    synthesise(sorted((shipped / "scenarios").glob("*.toml")), tmp_path / "out")
    made, kept = files(tmp_path / "out"), files(shipped)
    assert made.keys() == kept.keys()
    for name, data in made.items():
        if name.endswith(".zstd") and zstandard.ZSTD_VERSION != RECORDED_WITH:
            assert content(data) == content(kept[name]), name
        else:
            assert data == kept[name], name
    labels = (tmp_path / "out" / "labels.toml").read_text()
    assert labels == (shipped / "labels.toml").read_text()


def test_the_shipped_corpora_are_small():
    assert sum(path.stat().st_size for path in CORPORA.rglob("*") if path.is_file()) < 1_500_000


def test_bundled_scenarios_are_the_first_corpus():
    assert len(bundled_scenarios()) == 6
    assert all(load_scenario(path).sessions for path in bundled_scenarios())


def scenario(folder: Path, name: str = "small", text: str = SMALL) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.toml"
    path.write_text(text)
    return path


def test_written_files_and_labels(tmp_path):
    out = tmp_path / "out"
    written = synthesise([scenario(tmp_path / "in")], out)
    assert [path.relative_to(out).as_posix() for path in written] == [
        "sessions/v0-plain/--work-app--/small/session.jsonl",
        "sessions/v0-zstd/--work-app--/small/session.jsonl.zstd",
        "sessions/v4-plain/--work-app--/small/session.v4.jsonl",
        "sessions/v4-zstd/--work-app--/small/session.v4.jsonl.zstd",
        "labels.toml",
    ]
    assert tomllib.loads((out / "labels.toml").read_text()) == {
        "label": [
            {
                "session": "small",
                "outcome": "healthy",
                "note": 'says "hm"',
                "at": [{"guard": "rtb", "lifecycle": 0, "call": 0, "expect": "quiet"}],
            }
        ]
    }
    before = files(out)
    assert synthesise([tmp_path / "in" / "small.toml"], out) == written  # its own folder again
    assert files(out) == before


def test_the_caller_may_choose_other_formats(tmp_path):
    written = synthesise([scenario(tmp_path)], tmp_path / "out", versions=[2], encodings=["zstd"])
    assert [path.name for path in written] == ["session.v2.jsonl.zstd", "labels.toml"]


def test_a_foreign_folder_is_left_alone(tmp_path, monkeypatch):
    path = scenario(tmp_path / "in")
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "notes.txt").write_text("mine")
    home = tmp_path / "home"
    monkeypatch.setenv("DSH_HOME", str(home))
    for out, words in [
        (foreign, "not empty"),
        (foreign / "notes.txt", "is a file"),
        (home, "recorded sessions live"),
        (home / "sessions", "recorded sessions live"),
        (home / "sessions" / "x", "recorded sessions live"),
    ]:
        with pytest.raises(UsageError, match=words):
            synthesise([path], out)
    assert [p.name for p in foreign.iterdir()] == ["notes.txt"]
    assert not home.exists()


def test_bad_requests(tmp_path):
    path = scenario(tmp_path)
    same = scenario(tmp_path / "b")
    for arguments, words in [
        (([], tmp_path / "o"), "no scenario files"),
        (([path, same], tmp_path / "o"), "both make session 'small'"),
        (([path], tmp_path / "o", [7]), "format version 7"),
        (([path], tmp_path / "o", None, ["gz"]), "'gz'"),
    ]:
        with pytest.raises(UsageError, match=words):
            synthesise(*arguments)
    text = SMALL + '[[damage]]\nkind = "checksum"\n'
    with pytest.raises(UsageError, match=r"broken.toml: damage checksum: only zstd"):
        synthesise([scenario(tmp_path, "broken", text)], tmp_path / "o", encodings=["plain"])
    assert not (tmp_path / "o").exists()


def calls(path: Path) -> int:
    return sum(isinstance(event, ev.Call) for event in read(path)[0])


WHOLE = 8
ACME = {"acme/fallback-switch": 1, "acme/note": 1}

DAMAGED = [
    ("torn-zstd", "read", WHOLE, {"torn_tail": True}),
    ("torn-plain", "read", WHOLE, {"torn_tail": True}),
    ("flipped-checksum", "damaged", None, {}),
    ("nul-padding", "read", WHOLE, {"repaired": 1}),
    ("nul-line", "read", WHOLE, {}),
    ("fused-lines", "damaged", None, {}),
    ("bad-line", "damaged", None, {}),
    ("seq-gap", "damaged", None, {}),
    ("byte-order-mark", "read", WHOLE, {}),
    ("header-only", "no_calls", 0, {}),
    ("empty-file", "empty", 0, {}),
    ("skippable-frame", "read", WHOLE, {}),
    ("early-shapes", "read", WHOLE, {}),
    ("stripped", "read", WHOLE, {}),
    ("unknown-events", "read", WHOLE, {"skipped_types": ACME}),
]  # fmt: skip


def test_every_damaged_log_is_in_the_table():
    names = {path.stem for path in (CORPORA / "damaged-logs" / "scenarios").glob("*.toml")}
    assert names == {row[0] for row in DAMAGED}


@pytest.mark.parametrize(("name", "status", "count", "facts"), DAMAGED, ids=lambda v: str(v)[:20])
def test_damaged_logs_are_read_as_far_as_they_go(name, status, count, facts):
    paths = sorted((CORPORA / "damaged-logs" / "sessions").glob(f"*/*/{name}/*"))
    assert paths
    for path in paths:
        _, coverage = read(path)
        assert coverage.status == status, coverage
        for key, value in facts.items():
            assert getattr(coverage, key) == value, coverage
        found = calls(path)
        assert found == count if count is not None else 0 < found < WHOLE


def test_damage_leaves_children_whole(tmp_path):
    text = SMALL.replace("encoding", "seed = 1\nencoding") + (
        '[[step]]\nkind = "fork"\nid = "kid"\n[[damage]]\nkind = "empty"\n'
    )
    written = synthesise([scenario(tmp_path, "parent", text)], tmp_path / "out", [4], ["plain"])
    sizes = {path.parent.name: path.stat().st_size for path in written[:-1]}
    assert sizes["parent"] == 0 < sizes["kid"]


def test_a_stale_generation_is_a_prefix_of_the_whole():
    scenario_file = load_scenario(CORPORA / "all-guards" / "scenarios" / "stale-generation.toml")
    (folder,) = (CORPORA / "all-guards" / "sessions" / "generations").glob("*/*")
    assert {path.name: calls(path) for path in folder.iterdir()} == {
        "session.jsonl.zstd": 12,
        "session.v3.jsonl.zstd": 3,
    }
    assert [generation.version for generation in scenario_file.generations] == [0, 3]


def test_discovery_prefers_the_older_format_that_went_on():
    found = discover([CORPORA / "all-guards"])
    assert [key for key in found.superseded if "stale-generation" in key] == [
        "sessions/generations/--work-app--/stale-generation/session.v3.jsonl.zstd"
    ]
    assert len(found.logs) + 1 == len(files(CORPORA / "all-guards"))
    assert not found.duplicates


def test_a_folder_far_above_the_scenarios_is_somebodys(tmp_path):
    corpus = tmp_path / "clone" / "corpora" / "mine"
    (corpus / "scenarios").mkdir(parents=True)
    scenario = corpus / "scenarios" / "one.toml"
    scenario.write_text(
        'schema = 1\nseed = 1\nversions = [4]\nencoding = ["plain"]\n'
        '[[step]]\nkind = "human"\ntext = "Go"\n'
    )
    (tmp_path / "clone" / "README.md").write_text("mine")
    with pytest.raises(UsageError, match="not empty"):
        synthesise([scenario], tmp_path / "clone")
    assert synthesise([scenario], corpus)
