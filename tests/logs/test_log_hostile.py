"""Whatever bytes a log holds, reading ends in a coverage and not in an exception."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from session_log_builder import LogText, frames, read


def sample(version: int) -> LogText:
    log = LogText(version, seedLength=1)
    log.add("turn/start", {"turn": 1})
    log.step()
    log.user()
    log.row(["a", 'b"', "c"])
    log.chunk("reasoning-delta", text="d")
    log.chunk("finish", reason={"kind": "stop"})
    row = {"type": "reasoning-chunks", "time0": 1, "dt": [1], "texts": ["x", "y"]}
    log.message({"type": "reasoning", "text": "t"}, stream=[row])
    log.call("a")
    log.result("a", cites=[7])
    sub = {"subCallId": "s", "name": "bash", "arguments": {"x": 1}}
    log.add("tool/ptc-dispatch-start", sub)
    log.add("tool/ptc-dispatch", sub | {"content": [], "isError": False})
    log.add("approval/asked", {"id": "q", "toolName": "bash"})
    log.add("approval/decided", {"id": "q", "outcome": "rejected"})
    log.add("session/end-seed", {"inherited": True})
    log.add("turn/end", {"turn": 1, "reason": {"kind": "error"}})
    return log


SAMPLES = {version: sample(version) for version in (0, 4)}
SPOTS = st.lists(st.tuples(st.integers(0, 1 << 16), st.binary(max_size=3)), max_size=3)
SWAPS = [
    b"1",
    b"null",
    b"[]",
    b"{}",
    b'"x"',
    b"1.5",
    b"-1",
    b"1e400",
    b"9" * 500,
    b'[{"type":"text","text":1}]',
    b'"\\ud800"',
    b"true",
]


def check(stored: bytes, name: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(stored)
        for salvage in (False, True):
            _, full = read(path, salvage=salvage)
            _, tools = read(path, salvage=salvage, reasoning=False)
            assert tools.coverage.status == full.coverage.status
            assert tools.coverage.calls == full.coverage.calls
            assert tools.coverage.where == full.coverage.where


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), SPOTS)
def test_broken_text(version: int, spots: list[tuple[int, bytes]]) -> None:
    text = bytearray(SAMPLES[version].text())
    for at, new in spots:
        at %= len(text)
        text[at : at + len(new)] = new
    check(bytes(text), "a.jsonl")


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), SPOTS)
def test_broken_frames(version: int, spots: list[tuple[int, bytes]]) -> None:
    stored = bytearray(b"".join(frames(SAMPLES[version].lines)))
    for at, new in spots:
        at %= len(stored)
        stored[at : at + len(new)] = new
    check(bytes(stored), "a.jsonl.zstd")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_values_of_other_kinds(data: st.DataObject) -> None:
    """Any value of any line may be of another kind than expected."""
    lines = list(SAMPLES[data.draw(st.sampled_from(sorted(SAMPLES)))].lines)
    index = data.draw(st.integers(0, len(lines) - 1))
    colons = [i for i, byte in enumerate(lines[index]) if byte == 0x3A]
    colon = data.draw(st.sampled_from(colons))
    line = lines[index]
    end = colon + 1
    depth = 0
    while depth or line[end : end + 1] not in (b",", b"}", b"]"):
        depth += (line[end] in b"[{") - (line[end] in b"]}")
        end += 1
    lines[index] = line[: colon + 1] + data.draw(st.sampled_from(SWAPS)) + line[end:]
    check(b"".join(one + b"\n" for one in lines), "a.jsonl")
