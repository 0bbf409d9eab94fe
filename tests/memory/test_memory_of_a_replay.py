"""Peak memory of ``dsh-calibrate replay --jobs 1`` on absurd logs: 300 MB at most (issue 10).

The peak is the resident memory of the process (``ru_maxrss``). By default the logs are as
large as CI can afford; ``DSH_CALIBRATE_FULL_MEMORY=1`` takes the full sizes (a log of 4 GB, a
million open calls…), which needs some minutes.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

import pytest
import zstandard
from huge_logs import (
    STEP,
    batched,
    call,
    chunk,
    frame,
    header,
    huge_line,
    line,
    plain,
    result,
    steps,
    zstd,
)
from measured_run import Measured, replay, run

MOST_MB = 300
FULL = os.environ.get("DSH_CALIBRATE_FULL_MEMORY") == "1"
TIMEOUT = 900 if FULL else 240

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="measured as Linux counts"),
]


def small(done: Measured, *, status: str = "read") -> dict:
    """The document of a run that stayed within the limit; every log has ``status``."""
    assert done.code == 0, done.err[-2000:]
    assert done.peak_mb <= MOST_MB, f"{done.peak_mb:.0f} MB"
    coverage = done.document["coverage"]
    assert coverage[status] == coverage["found"], coverage
    return done.document


# -- long logs ---------------------------------------------------------------------------


def turns(megabytes: int) -> Iterator[bytes]:
    """Calls with long results, a quarter of a megabyte each."""
    yield b"".join(steps(4))
    text = "all is well " * 20_000
    for number in range(megabytes * 4):
        yield call(2 + 2 * number, f"c{number}", f"make t{number % 50}")
        noise = random.Random(number).randbytes(300).hex()  # or the file would pass for a bomb
        yield result(3 + 2 * number, f"c{number}", f"{noise} {text}")


@pytest.fixture(scope="module")
def quarter_gigabyte(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    folder = tmp_path_factory.mktemp("quarter")
    zstd(folder / "session.v4.jsonl.zstd", turns(256))
    return replay(folder, timeout=TIMEOUT)


@pytest.mark.parametrize("megabytes", [1024, *([4096] if FULL else [])])
def test_memory_does_not_grow_with_the_log(
    megabytes: int, quarter_gigabyte: Measured, tmp_path: Path
) -> None:
    zstd(tmp_path / "session.v4.jsonl.zstd", turns(megabytes))
    done = replay(tmp_path, timeout=TIMEOUT)
    document = small(done)
    assert document["totals"]["calls"] == megabytes * 4
    assert done.peak_mb < quarter_gigabyte.peak_mb + 20


def test_a_long_log_of_reasoning(tmp_path: Path) -> None:
    count = 2_000_000 if FULL else 200_000
    pieces = (chunk(2 + n, f"still thinking {n * 7919 % 99_991} of it ") for n in range(count))
    zstd(tmp_path / "session.jsonl.zstd", chain(steps(0), batched(pieces)))
    assert small(replay(tmp_path, timeout=TIMEOUT))["totals"]["streams"] == 1


# -- long lines --------------------------------------------------------------------------

RESULT_HEAD = (
    STEP + ',"message":{"role":"tool","source":{"kind":"tool","callId":"c"},'
    '"content":[{"type":"text","text":"'
)
RESULT = ("tool/result", RESULT_HEAD, '"}],"isError":false}}')
REASONING = (
    "assistant/chunk",
    STEP + ',"chunk":{"type":"reasoning-delta","index":0,"text":"',
    '"}}',
)
UNKNOWN = ("odd/thing", '{"a":"', '"}')
ARGUMENTS = ("tool/call", STEP + ',"callId":"x","name":"bash","arguments":"', '"}')
ROW = ("reasoning-chunks", STEP + ',"index":0,"dt":[],"texts":[""', "]}")
BLOCKS = ("tool/result", RESULT_HEAD.removesuffix('"type":"text","text":"') + "}", "]}}")
WIDE = "wordy 🙂 and more ".encode()


@pytest.mark.parametrize(
    ("parts", "unit", "megabytes", "calls"),
    [
        (RESULT, b"x", 40, 2),
        (RESULT, WIDE, 23, 2),
        (REASONING, b"some thinking about it ", 31, 2),
        (REASONING, WIDE, 23, 2),
        (UNKNOWN, b"x", 200, 2),
        (UNKNOWN, WIDE, 200, 2),
    ],
    ids=["result", "wide result", "reasoning", "wide reasoning", "unknown", "wide unknown"],
)
def test_a_long_line_is_read(
    parts: tuple[str, str, str], unit: bytes, megabytes: int, calls: int, tmp_path: Path
) -> None:
    kind, head, tail = parts
    plain(tmp_path / "session.v4.jsonl", huge_line(kind, head, unit, megabytes, tail))
    assert small(replay(tmp_path))["totals"]["calls"] == calls


@pytest.mark.parametrize(
    ("parts", "unit", "megabytes", "why"),
    [
        (RESULT, b"x", 200, "bytes of one text"),
        (RESULT, WIDE, 31, "characters that take more memory"),
        (RESULT, WIDE, 200, "bytes of one text"),
        (REASONING, b"some thinking about it ", 200, "bytes of one text"),
        (ARGUMENTS, b"echo a && ", 31, "characters of arguments"),
        (ARGUMENTS, b"x", 200, "bytes of one text"),
        (ROW, b',"x"', 31, "values"),
        (BLOCKS, b",{}", 31, "values"),
        (ROW, b',"x"', 200, "values"),
    ],
    ids=lambda value: value.decode() if isinstance(value, bytes) else None,
)
def test_a_line_that_would_fill_the_memory_is_refused_by_name(
    parts: tuple[str, str, str], unit: bytes, megabytes: int, why: str, tmp_path: Path
) -> None:
    kind, head, tail = parts
    plain(tmp_path / "session.v4.jsonl", huge_line(kind, head, unit, megabytes, tail))
    done = replay(tmp_path)
    small(done, status="unreadable")
    assert "unreadable at line 5, " in done.err
    assert why in done.err


# -- bombs -------------------------------------------------------------------------------


def bomb(unit: bytes, megabytes: int) -> bytes:
    """A frame of few bytes that unpacks to a lot."""
    maker = zstandard.ZstdCompressor(level=1, write_checksum=True, write_content_size=False)
    stream = maker.compressobj()
    block = unit * ((1 << 20) // len(unit))
    return b"".join([*map(stream.compress, repeat(block, megabytes)), stream.flush()])


@pytest.mark.parametrize("place", ["first", "second"])
def test_a_bomb_is_refused_quickly(place: str, tmp_path: Path) -> None:
    fuse = bomb(b" ", 10_500 if FULL else 1200)
    before = frame(header(4)) + frame(call(0, "a", "ls")) if place == "second" else b""
    (tmp_path / "session.v4.jsonl.zstd").write_bytes(before + fuse)
    done = replay(tmp_path)
    small(done, status="unreadable")
    assert "unpacks to more than" in done.err
    assert done.seconds < 60


def test_many_small_bombs_are_refused(tmp_path: Path) -> None:
    fuse = bomb(b" " * 65_535 + b"\n", 100)
    (tmp_path / "session.v4.jsonl.zstd").write_bytes(frame(header(4)) + fuse * 120)
    done = replay(tmp_path)
    small(done, status="unreadable")
    assert "a file of" in done.err
    assert done.seconds < 120


# -- many of something -------------------------------------------------------------------


def test_many_logs(tmp_path: Path) -> None:
    count = 20_000 if FULL else 4000
    for number in range(count):
        lines = [header(4, f"session-{number}"), call(0, "c", f"make {number}")]
        plain(tmp_path / f"s{number:05}" / "session.v4.jsonl", lines)
    done = run("replay", str(tmp_path), "--jobs", "1", "--format", "text", timeout=TIMEOUT)
    assert done.code == 0
    assert done.peak_mb <= MOST_MB, f"{done.peak_mb:.0f} MB"
    assert f"{count:,} logs found" in done.err or f"{count} logs found" in done.err


def test_calls_without_results(tmp_path: Path) -> None:
    count = 1_000_000 if FULL else 60_000
    calls = (call(2 + n, f"c{n}", f"make t{n}") for n in range(count))
    zstd(tmp_path / "session.v4.jsonl.zstd", chain(steps(4), batched(calls)))
    assert small(replay(tmp_path, timeout=TIMEOUT))["totals"]["calls"] == count


@pytest.mark.parametrize("text", ["ok", "bad\\n[exit code: 2]"])
def test_distinct_commands(text: str, tmp_path: Path) -> None:
    count = 500_000 if FULL else 30_000

    def lines() -> Iterator[bytes]:
        for n in range(count):
            yield call(2 + 2 * n, f"c{n}", f"cat f{n}.txt && make t{n}")
            yield result(3 + 2 * n, f"c{n}", text)

    zstd(tmp_path / "session.v4.jsonl.zstd", chain(steps(4), batched(lines())))
    assert small(replay(tmp_path, timeout=TIMEOUT))["totals"]["results"] == count


def test_streams_that_are_never_closed(tmp_path: Path) -> None:
    count = 1_000_000 if FULL else 60_000
    pieces = (chunk(2 + n, "hm", turn=n) for n in range(count))
    zstd(tmp_path / "session.jsonl.zstd", chain(steps(0), batched(pieces)))
    assert small(replay(tmp_path, timeout=TIMEOUT))["totals"]["streams"] == count


def test_a_stream_behind_a_call_without_end(tmp_path: Path) -> None:
    count = 1_500_000 if FULL else 300_000
    pieces = (chunk(3 + n, f"{n} " * 12) for n in range(count))
    zstd(tmp_path / "session.jsonl.zstd", chain(steps(0), [call(2, "c", "ls")], batched(pieces)))
    assert small(replay(tmp_path, timeout=TIMEOUT))["totals"]["calls"] == 1


@pytest.mark.parametrize("kind", ["session/end-seed", "user/message", "approval/asked"])
def test_many_lines_of_one_kind(kind: str, tmp_path: Path) -> None:
    data = {
        "session/end-seed": "{}",
        "user/message": '{"content":[{"type":"text","text":"go"}],"source":{"kind":"user"}}',
        "approval/asked": '{"id":"q%d","callId":"c"}',
    }[kind]
    count = 1_000_000 if FULL else 60_000
    lines = (line(kind, 3 + n, data.replace("%d", str(n))) for n in range(count))
    first = [*steps(4), call(2, "c", "ls")]
    zstd(tmp_path / "session.v4.jsonl.zstd", chain(first, batched(lines)))
    assert small(replay(tmp_path, timeout=TIMEOUT))["totals"]["calls"] == 1
