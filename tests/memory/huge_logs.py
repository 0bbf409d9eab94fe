"""Writes logs of absurd size without ever holding one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice, repeat
from pathlib import Path

import zstandard

START = 1_790_000_000_000
STEP = '{"turn":1,"step":1'
_FRAME = 16 << 20


def header(version: int = 0, session: str = "session-huge") -> bytes:
    """Line 1."""
    seeded = b',"isSeeded":false' if version >= 2 else b""
    return (
        f'{{"type":"session","version":{version},"id":"{session}","createdAt":{START}'.encode()
        + seeded
        + b',"delegationDepth":0}\n'
    )


def line(kind: str, seq: int, data: str) -> bytes:
    """One event line; ``data`` is JSON text."""
    return f'{{"type":"{kind}","seq":{seq},"time":{START + seq},"data":{data}}}\n'.encode()


def plain(path: Path, parts: Iterable[bytes]) -> Path:
    """Write a plain log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for part in parts:
            file.write(part)
    return path


def frame(text: bytes) -> bytes:
    """One frame as the harness writes it."""
    maker = zstandard.ZstdCompressor(level=1, write_checksum=True, write_content_size=False)
    return maker.compress(text)


def zstd(path: Path, parts: Iterable[bytes], size: int = _FRAME) -> Path:
    """Write a log of frames of ``size`` bytes of text; the header stands in the first alone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        held: list[bytes] = []
        length = 0
        for number, part in enumerate(parts):
            held.append(part)
            length += len(part)
            if number == 0 or length >= size:
                file.write(frame(b"".join(held)))
                held, length = [], 0
        if held:
            file.write(frame(b"".join(held)))
    return path


def batched(lines: Iterable[bytes], count: int = 5000) -> Iterator[bytes]:
    """Lines joined by the thousand."""
    waiting = iter(lines)
    while held := list(islice(waiting, count)):
        yield b"".join(held)


def steps(version: int) -> Iterator[bytes]:
    """The header and an open step; the next line has seq 2."""
    yield header(version)
    yield line("turn/start", 0, '{"turn":1}')
    yield line("step/start", 1, STEP + "}")


def call(seq: int, call_id: str, command: str) -> bytes:
    """A call of the shell; ``command`` as it stands in JSON inside of JSON."""
    arguments = f'{{\\"command\\":\\"{command}\\"}}'
    data = f'{STEP},"callId":"{call_id}","name":"bash","arguments":"{arguments}"}}'
    return line("tool/call", seq, data)


RESULT = (
    '%s,"message":{"id":"m","role":"tool","source":{"kind":"tool","callId":"%s"},'
    '"content":[{"type":"text","text":"%s"}],"isError":false}}'
)


def result(seq: int, call_id: str, text: str) -> bytes:
    """A result of format 4; ``text`` as it stands in JSON."""
    return line("tool/result", seq, RESULT % (STEP, call_id, text))


def chunk(seq: int, text: str, turn: int = 1) -> bytes:
    """A piece of reasoning of formats 0 and 1."""
    piece = f'{{"type":"reasoning-delta","index":0,"text":"{text}"}}'
    return line("assistant/chunk", seq, f'{{"turn":{turn},"step":1,"chunk":{piece}}}')


def huge_line(kind: str, head: str, unit: bytes, megabytes: int, tail: str) -> Iterator[bytes]:
    """A log of format 4 in which line 5 holds ``megabytes`` of ``unit`` between two texts."""
    yield b"".join(steps(4))
    yield call(2, "c", "ls")
    yield f'{{"type":"{kind}","seq":3,"time":{START},"data":{head}'.encode()
    block = unit * ((1 << 20) // len(unit))
    yield from repeat(block, megabytes)
    yield tail.encode() + b"}\n"
    yield call(4, "d", "ls")
    yield line("step/end", 5, STEP + "}")
