"""A small builder of session logs, so that each test says only what matters to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import zstandard

from dsh_calibrate.logs.events import Event
from dsh_calibrate.logs.reading import LogReading, read_log

START = 1_790_000_000_000


class LogText:
    """Collects lines; ``seq`` and ``time`` go up by themselves unless ``stripped``."""

    def __init__(self, version: int = 4, *, stripped: bool = False, **header: Any) -> None:
        base = {
            "type": "session",
            "version": version,
            "id": "s-1",
            "createdAt": START,
            "delegationDepth": 0,
        }
        if version >= 2:
            base["isSeeded"] = False
        self.version = version
        self.stripped = stripped
        self.seq = 0
        self.lines: list[bytes] = [_json(base | header)]

    def add(self, kind: str, data: Any = None, members: int = 1, **extra: Any) -> int:
        """Append an event; return its seq."""
        seq = self.seq
        packed = "seq0" if kind.endswith("-chunks") else "seq"
        record: dict[str, Any] = {"type": kind}
        if not self.stripped:
            record |= {packed: seq, "time0" if packed == "seq0" else "time": START + seq}
        record["data"] = {} if data is None else data
        self.lines.append(_json(record | extra))
        self.seq += members
        return seq

    def step(self, turn: int = 1, step: int = 1) -> None:
        self.add("step/start", {"turn": turn, "step": step})

    def user(self, text: str = "go", **source: Any) -> None:
        who = source or {"kind": "user"}
        blocks = [{"type": "text", "text": text}]
        self.add("user/message", {"id": "m", "role": "user", "content": blocks, "source": who})

    def call(self, call_id: str, name: str = "bash", arguments: str = "{}", **at: int) -> int:
        data = {"turn": 1, "step": 1, "callId": call_id, "name": name, "arguments": arguments}
        return self.add("tool/call", data | at)

    def result(
        self,
        call_id: str,
        text: str = "ok",
        *,
        is_error: bool = False,
        code: str | None = None,
        message_id: str = "m-r",
        cites: list[Any] | None = None,
        **at: int,
    ) -> int:
        source = {"kind": "tool", "callId": call_id}
        blocks = [{"type": "text", "text": text}]
        message: dict[str, Any] = {"id": message_id, "source": source}
        body = {"toolCallId": call_id, "content": blocks, "isError": is_error}
        if self.version >= 4:
            message |= {"role": "tool", **body}
        else:
            message |= {"role": "user", "content": [{"type": "tool-result", **body}]}
        data: dict[str, Any] = {"turn": 1, "step": 1, "message": message} | at
        if code:
            data["error"] = {"name": "E", "code": code}
        extra = {} if cites is None else {"sourceEventSeqs": cites}
        return self.add("tool/result", data, surfaceOp="append", **extra)

    def chunk(self, kind: str, turn: int = 1, step: int = 1, **fields: Any) -> None:
        chunk = {"type": kind, "index": 0, **fields}
        self.add("assistant/chunk", {"turn": turn, "step": step, "chunk": chunk})

    def row(self, texts: list[str], kind: str = "reasoning-chunks", **fields: Any) -> None:
        data = {"turn": 1, "step": 1, "index": 0, "dt": [1] * (len(texts) - 1), "texts": texts}
        self.add(kind, data | fields, members=len(texts))

    def message(self, *blocks: dict[str, Any], stream: Any = None, **extra: Any) -> None:
        source = {"kind": "model", "provider": "p", "model": "x"}
        message = {"id": "a", "role": "assistant", "content": list(blocks), "source": source}
        data: dict[str, Any] = {"turn": 1, "step": 1, "message": message} | extra
        if stream is not None:
            data["stream"] = stream
        self.add("assistant/message", data)

    def text(self) -> bytes:
        return b"".join(line + b"\n" for line in self.lines)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.text())
        return path


def frame(text: bytes) -> bytes:
    """One Zstandard frame as the harness writes it: checksum, no content size."""
    maker = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
    stream = maker.compressobj()
    return stream.compress(text) + stream.flush()


def frames(lines: list[bytes], batch: int = 2) -> list[bytes]:
    """The header in a frame of its own, then ``batch`` lines a frame."""
    parts = [lines[:1]] + [lines[i : i + batch] for i in range(1, len(lines), batch)]
    return [frame(b"".join(line + b"\n" for line in part)) for part in parts]


def read(path: Path, **options: Any) -> tuple[list[Event], LogReading]:
    """Read a log to its end."""
    reading = read_log(path, **options)
    return list(reading), reading


def _json(value: Any) -> bytes:
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    if any("\ud800" <= character <= "\udfff" for character in text):
        text = json.dumps(value, separators=(",", ":"))
    return text.encode()
