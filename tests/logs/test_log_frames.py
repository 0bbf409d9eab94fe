"""Zstandard files of many frames: torn, damaged, padded, hostile (C60-C63, C78)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import zstandard
from session_log_builder import LogText, frame, frames, read

from dsh_calibrate.logs import events
from dsh_calibrate.logs.frames import Hole, ZstdSource


def unpack(stored: bytes) -> tuple[bytes, list[Hole], ZstdSource]:
    source = ZstdSource(io.BytesIO(stored), len(stored))
    pieces = list(source.pieces())
    text = b"".join(p for p in pieces if isinstance(p, bytes))
    return text, [p for p in pieces if isinstance(p, Hole)], source


def test_every_frame_comes_out() -> None:
    parts = [f"{i}\n".encode() * (i + 1) for i in range(300)]
    text, holes, source = unpack(b"".join(map(frame, parts)))
    assert text == b"".join(parts)
    assert not holes
    assert not source.torn


@pytest.mark.parametrize("options", [{}, {"write_content_size": True}, {"write_checksum": True}])
def test_frames_of_other_writers(options: dict[str, bool]) -> None:
    maker = zstandard.ZstdCompressor(**options)
    text, holes, _ = unpack(maker.compress(b"a\n") + maker.compress(b"b\n" * 1000))
    assert text == b"a\n" + b"b\n" * 1000
    assert not holes


def test_a_skippable_frame_holding_the_magic() -> None:
    skip = bytes.fromhex("502a4d180400000028b52ffd")
    text, holes, _ = unpack(frame(b"a\n") + skip + frame(b"b\n"))
    assert text == b"a\nb\n"
    assert not holes


def test_cut_at_every_byte_of_the_last_frames() -> None:
    stored = [frame(b"h\n"), frame(b"one\n" * 5), frame(b"two\n" * 50)]
    whole = b"".join(stored)
    ends = {0, len(stored[0]), len(stored[0] + stored[1]), len(whole)}
    full = b"h\n" + b"one\n" * 5 + b"two\n" * 50
    for cut in range(len(stored[0]), len(whole) + 1):
        text, holes, source = unpack(whole[:cut])
        assert full.startswith(text)
        assert text.startswith(b"h\n")
        assert not holes
        assert source.torn is (cut not in ends), cut


def test_a_wrong_checksum_is_a_hole_and_gives_no_text() -> None:
    bad = bytearray(frame(b"bad\n"))
    bad[-1] ^= 1
    text, holes, _ = unpack(frame(b"a\n") + bytes(bad) + frame(b"b\n"))
    assert text == b"a\nb\n"
    assert [h.where for h in holes] == ["frame 2"]


def test_a_large_frame_with_a_wrong_checksum_gives_no_text() -> None:
    lines = b"".join(b"%d\n" % (i * i) for i in range(1_700_000))
    good = frame(lines)
    text, holes, _ = unpack(frame(b"a\n") + good)
    assert text == b"a\n" + lines
    bad = good[:-1] + bytes([good[-1] ^ 1])
    text, holes, _ = unpack(frame(b"a\n") + bad)
    assert text == b"a\n"
    assert len(holes) == 1


def test_garbage_between_frames() -> None:
    text, holes, _ = unpack(frame(b"a\n") + b"garbage" * 9 + frame(b"b\n"))
    assert text == b"a\nb\n"
    assert len(holes) == 1
    assert not holes[0].refused


def test_zero_padding_behind_the_last_frame() -> None:
    text, holes, source = unpack(frame(b"a\n") + bytes(5000))
    assert (text, holes, source.padded, source.torn) == (b"a\n", [], True, False)


def test_a_window_beyond_reason_is_refused_by_name() -> None:
    huge = bytes.fromhex("28b52ffd") + bytes([0, (31 - 10) << 3]) + b"\x01\x00\x00"
    _, holes, _ = unpack(frame(b"a\n") + huge)
    assert holes[0].refused
    assert "window" in holes[0].reason


def test_a_bomb_ends_as_unreadable_in_bounded_time(tmp_path: Path) -> None:
    log = LogText()
    maker = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    zeros = bytes(8 << 20)
    bomb = b"".join(maker.compress(zeros) for _ in range(130)) + maker.flush()
    path = tmp_path / "b.jsonl.zstd"
    path.write_bytes(frame(log.text()) + bomb)
    assert len(bomb) < 1 << 20
    _, reading = read(path)
    assert reading.coverage.status == "unreadable"
    assert reading.coverage.where == "frame 2"
    assert "unpacks" in (reading.coverage.reason or "")


def real_log() -> LogText:
    log = LogText(0)
    log.add("turn/start", {"turn": 1})
    log.step()
    for i in range(6):
        log.call(f"c{i}")
        log.result(f"c{i}")
    log.add("step/end", {"turn": 1, "step": 1})
    return log


def test_a_record_over_two_frames(tmp_path: Path) -> None:
    text = real_log().text()
    path = tmp_path / "a.jsonl.zstd"
    path.write_bytes(frame(text[:300]) + frame(text[300:701]) + frame(text[701:]))
    seen, reading = read(path)
    assert reading.coverage.status == "read"
    assert sum(isinstance(e, events.Call) for e in seen) == 6


def test_damage_and_salvage(tmp_path: Path) -> None:
    stored = frames(real_log().lines)
    stored[2] = stored[2][:-1] + bytes([stored[2][-1] ^ 255])
    path = tmp_path / "a.jsonl.zstd"
    path.write_bytes(b"".join(stored))
    seen, reading = read(path)
    assert (reading.coverage.status, reading.coverage.where) == ("damaged", "frame 3")
    assert [type(e).__name__ for e in seen] == ["LifecycleStart", "TurnStart", "StepStart"]
    seen, reading = read(path, salvage=True)
    assert reading.coverage.status == "damaged"
    assert reading.coverage.gaps == 1
    assert sum(isinstance(e, events.Gap) for e in seen) == 1
    assert [e.call_id for e in seen if isinstance(e, events.Call)] == [f"c{i}" for i in range(1, 6)]


def test_a_torn_log_keeps_whole_lines(tmp_path: Path) -> None:
    log = real_log()
    whole = b"".join(frames(log.lines))
    last = len(frames(log.lines)[-1])
    path = tmp_path / "a.jsonl.zstd"
    for cut in range(1, last):
        path.write_bytes(whole[:-cut])
        _, reading = read(path)
        assert reading.coverage.status == "read"
        assert reading.coverage.torn_tail
        assert reading.coverage.lines >= len(log.lines) - 2
