"""Which files are logs, under which keys, and which are left out (contract.md 3, C66-C68)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from session_log_builder import LogText, frame

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Discovery, discover

PI = b'{"type":"session","version":3,"id":"x","timestamp":"2026-01-01T00:00:00Z"}\n'


def log_text(session: str, last: int = 0, version: int = 0) -> bytes:
    log = LogText(version, id=session)
    log.seq = last
    log.call("a")
    return log.text()


def put(root: Path, name: str, text: bytes) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(frame(text) if name.endswith(("zst", "zstd")) else text)
    return path


def keys(found: Discovery) -> list[str]:
    return [log.key for log in found.logs]


def test_everything_with_a_header_is_a_log(tmp_path: Path) -> None:
    put(tmp_path, "--p--/s1/session.jsonl", log_text("1"))
    put(tmp_path, "--p--/s1/session.1.jsonl", log_text("2"))
    put(tmp_path, "--p--/s1/session.lock", b"")
    put(tmp_path, "flat.jsonl.zst", log_text("3"))
    put(tmp_path, "b/seed.jsonl.zstd", log_text("4"))
    put(tmp_path, "b/pi.jsonl", PI)
    put(tmp_path, "b/other.jsonl", b'{"a":1}\n')
    put(tmp_path, "b/no.json", log_text("5"))
    put(tmp_path, "b/empty.jsonl", b"")
    found = discover([tmp_path])
    assert keys(found) == [
        "--p--/s1/session.1.jsonl",
        "--p--/s1/session.jsonl",
        "b/empty.jsonl",
        "b/seed.jsonl.zstd",
        "flat.jsonl.zst",
    ]
    assert found.ignored == ("--p--/s1/session.lock", "b/other.jsonl", "b/pi.jsonl")
    assert found.not_logs == ()
    assert [log.header.session for log in found.logs if log.header] == ["2", "1", "4", "3"]


def test_a_file_a_folder_and_a_missing_path(tmp_path: Path) -> None:
    path = put(tmp_path, "s/session.jsonl", log_text("1"))
    assert keys(discover([path])) == ["session.jsonl"]
    assert keys(discover([path.parent])) == ["session.jsonl"]
    assert keys(discover([tmp_path, path])) == ["s/session.jsonl"]
    with pytest.raises(UsageError, match="no such file"):
        discover([tmp_path / "gone"])


def test_a_look_alike_that_is_named_is_explained(tmp_path: Path) -> None:
    found = discover([put(tmp_path, "pi.jsonl", PI)])
    assert found.logs == ()
    assert "createdAt" in found.not_logs[0]


def test_a_broken_first_line_of_a_canonical_log_is_found(tmp_path: Path) -> None:
    put(tmp_path, "s/session.jsonl", b"garbage\n")
    (tmp_path / "s2").mkdir()
    (tmp_path / "s2/session.v4.jsonl.zstd").write_bytes(b"garbage that is no frame")
    put(tmp_path, "x.jsonl", b"garbage\n")
    found = discover([tmp_path])
    assert keys(found) == ["s/session.jsonl", "s2/session.v4.jsonl.zstd"]
    assert found.ignored == ("x.jsonl",)


@pytest.mark.parametrize("zstd", ["", ".zstd"])
def test_the_highest_generation_wins(tmp_path: Path, zstd: str) -> None:
    put(tmp_path, f"s/session.jsonl{zstd}", log_text("1", 5))
    put(tmp_path, f"s/session.v3.jsonl{zstd}", log_text("1", 5, 3))
    put(tmp_path, f"s/session.v10.jsonl{zstd}", log_text("1", 5, 4))
    found = discover([tmp_path])
    assert keys(found) == [f"s/session.v10.jsonl{zstd}"]
    assert found.superseded == (f"s/session.jsonl{zstd}", f"s/session.v3.jsonl{zstd}")
    assert found.warnings == ()


def test_a_lower_generation_with_later_events_wins(tmp_path: Path) -> None:
    put(tmp_path, "s/session.jsonl", log_text("1", 900))
    put(tmp_path, "s/session.v3.jsonl", log_text("1", 5, 3))
    found = discover([tmp_path])
    assert keys(found) == ["s/session.jsonl"]
    assert "s/session.v3.jsonl" in found.warnings[0]
    insisting = discover([tmp_path], generation="highest")
    assert keys(insisting) == ["s/session.v3.jsonl"]
    assert insisting.superseded == ("s/session.jsonl",)


def test_two_sessions_in_one_folder_are_no_generations(tmp_path: Path) -> None:
    put(tmp_path, "session.jsonl", log_text("1"))
    put(tmp_path, "session.v4.jsonl", log_text("2", version=4))
    assert len(discover([tmp_path]).logs) == 2


@pytest.mark.parametrize(
    "name", ["session.v04.jsonl", "session.V4.jsonl", "session.v0.jsonl", "session.abc.tmp"]
)
def test_near_misses_are_ignored(tmp_path: Path, name: str) -> None:
    put(tmp_path, "s/session.jsonl", log_text("1"))
    near = put(tmp_path, f"s/{name}", log_text("2"))
    found = discover([tmp_path])
    assert keys(found) == ["s/session.jsonl"]
    assert found.ignored == (f"s/{name}",)
    assert keys(discover([near])) == [name]


def test_copies_count_once(tmp_path: Path) -> None:
    for name in ("a/session.jsonl", "b/session.jsonl", "c.jsonl"):
        put(tmp_path, name, log_text("1"))
    put(tmp_path, "d.jsonl", log_text("1", 5))
    put(tmp_path, "e.jsonl", log_text("2"))
    found = discover([tmp_path])
    assert keys(found) == ["a/session.jsonl", "d.jsonl", "e.jsonl"]
    assert found.duplicates == ("b/session.jsonl", "c.jsonl")


def test_clashing_keys_get_their_folders(tmp_path: Path) -> None:
    one = put(tmp_path, "a/session.jsonl", log_text("1"))
    two = put(tmp_path, "b/session.jsonl", log_text("2"))
    assert keys(discover([one, two])) == ["a/session.jsonl", "b/session.jsonl"]


def test_loops_dead_links_pipes_and_odd_names(tmp_path: Path) -> None:
    put(tmp_path, "s/session.jsonl", log_text("1"))
    (tmp_path / "s/loop").symlink_to(tmp_path)
    (tmp_path / "dead.jsonl").symlink_to(tmp_path / "nowhere")
    (tmp_path / "self.jsonl").symlink_to(tmp_path / "self.jsonl")
    (tmp_path / "again.jsonl").symlink_to(tmp_path / "s/session.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    odd = os.path.join(os.fsencode(tmp_path), b"odd\xff.jsonl")  # noqa: PTH118
    with open(odd, "wb") as file:  # noqa: PTH123
        file.write(log_text("2"))
    found = discover([tmp_path])
    assert keys(found) == ["again.jsonl", "odd\\xff.jsonl"]
    assert found.ignored == ("dead.jsonl", "pipe.jsonl", "self.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_what_may_not_be_read(tmp_path: Path) -> None:
    put(tmp_path, "s/session.jsonl", log_text("1")).chmod(0)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0)
    found = discover([tmp_path])
    assert keys(found) == ["s/session.jsonl"]
    assert found.warnings
    locked.chmod(0o700)
