"""The corpus maker: the same bytes again, healthy logs in every dialect, the stated mix."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import make as maker
import pytest
import zstandard
from make import bytes_of, make, share_of

from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.logs.events import Call, Result, StreamPieces
from dsh_calibrate.logs.reading import read_log

SIZE = 300_000


def logs_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("session*.jsonl*") if path.is_file())


def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix != ".zstd":
        return data
    reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True)
    return reader.read()


@pytest.mark.parametrize("frames", ["tiny", "plain"])
def test_same_options_give_the_same_bytes(tmp_path: Path, frames: str) -> None:
    found = [make(tmp_path / name, size=SIZE, frames=frames, seed=3) for name in "ab"]
    assert found[0] == found[1]
    first, second = logs_of(tmp_path / "a"), logs_of(tmp_path / "b")
    assert [p.relative_to(tmp_path / "a") for p in first] == [
        p.relative_to(tmp_path / "b") for p in second
    ]
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_another_seed_gives_other_text(tmp_path: Path) -> None:
    for seed in (1, 2):
        make(tmp_path / str(seed), size=SIZE, frames="plain", seed=seed)
    texts = [b"".join(map(text_of, logs_of(tmp_path / str(seed)))) for seed in (1, 2)]
    assert texts[0] != texts[1]


def test_frame_modes_hold_the_same_text(tmp_path: Path) -> None:
    found = {
        frames: make(tmp_path / frames, size=SIZE, frames=frames)
        for frames in ("tiny", "large", "plain")
    }
    texts = [[text_of(path) for path in logs_of(tmp_path / frames)] for frames in found]
    assert texts[0] == texts[1] == texts[2]
    for counts in found.values():
        assert counts["text_bytes"] == sum(map(len, texts[0]))
    assert found["large"]["frames"] == 2 * found["large"]["logs"]  # the header has its own
    assert 600 < found["tiny"]["text_bytes"] / found["tiny"]["frames"] < 1500


@pytest.mark.parametrize("version", range(5))
@pytest.mark.parametrize("frames", ["tiny", "large", "plain"])
def test_logs_read_healthy(tmp_path: Path, frames: str, version: int) -> None:
    found = make(tmp_path, size=SIZE, frames=frames, version=version, loops=0.05)
    logs = discover([tmp_path]).logs
    lines = calls = characters = 0
    for log in logs:
        assert log.path.name.endswith(".jsonl" if frames == "plain" else ".jsonl.zstd")
        assert log.path.name.startswith(f"session.v{version}." if version else "session.jsonl")
        reading = read_log(log, reasoning=True)
        events = list(reading)
        coverage = reading.coverage
        assert (coverage.status, coverage.skipped_lines, coverage.repaired) == ("read", 0, 0)
        assert (coverage.unpaired, coverage.synthetic, coverage.torn_tail) == (0, 0, False)
        assert (coverage.warnings, coverage.fallback) == ((), 0)
        assert reading.header is not None
        assert reading.header.version == version
        results = sum(isinstance(event, Result) for event in events)
        assert results == sum(isinstance(event, Call) for event in events)
        lines += coverage.lines
        calls += results
        for event in events:
            if isinstance(event, StreamPieces):
                characters += sum(map(len, event.texts))
    assert len(logs) == found["logs"] == 2
    assert (lines, calls, characters) == (
        found["lines"],
        found["calls"],
        found["reasoning_characters"],
    )
    assert calls > 10
    assert characters > 5000


def test_sizes_and_shares_are_kept(tmp_path: Path) -> None:
    found = make(tmp_path, size=2_000_000, sessions=3, reasoning=0.0, frames="plain")
    assert found["reasoning_characters"] == 0
    assert 1.0 <= found["text_bytes"] / 2_000_000 < 1.15
    assert len({path.stat().st_size for path in logs_of(tmp_path)}) == 3


def test_the_mix_is_that_of_a_real_log(tmp_path: Path) -> None:
    """Per line of a real log of format 0: 63% packed rows, 24% single chunks (README)."""
    make(tmp_path, size=3_000_000, frames="plain")
    lines = [json.loads(line) for path in logs_of(tmp_path) for line in text_of(path).splitlines()]
    rows = [line for line in lines if line["type"].endswith("-chunks")]
    assert 0.45 < len(rows) / len(lines) < 0.7
    assert 0.18 < sum(line["type"] == "assistant/chunk" for line in lines) / len(lines) < 0.35
    results = [len(json.dumps(line)) for line in lines if line["type"] == "tool/result"]
    assert max(results) > 30_000
    assert sorted(results)[len(results) // 2] < 3000
    commands = [
        line["data"]["arguments"]
        for line in lines
        if line["type"] == "tool/call" and line["data"]["name"] == "bash"
    ]
    assert 0.4 < len(set(commands)) / len(commands) < 0.95


def test_an_occupied_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("")
    words = [sys.executable, str(maker.__file__), "--out", str(tmp_path)]
    done = subprocess.run([*words, "--size", "1KB"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "name a new one" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize(
    ("text", "size"),
    [("400MB", 400_000_000), ("1.5gb", 1_500_000_000), ("7", 7), ("20 KB", 20_000)],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "MB", "-1MB", "1TB", "1e3"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(Exception, match="write a size as"):
        bytes_of(text)


@pytest.mark.parametrize("text", ["-0.1", "1.1", "half", "nan"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(Exception, match="write a share"):
        share_of(text)
