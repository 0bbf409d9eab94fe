"""One model attempt as the chunks of its stream, in both storages.

Formats 0 and 1 write each chunk as a line and pack runs of at least three deltas of one
write batch (session-format.md 4.3); later formats keep the chunks as an array in which
every run of deltas is packed (4.4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from dsh_calibrate.corpora.dialects import Object
from dsh_calibrate.corpora.happenings import Json, Reply

PACK_AT_LEAST = 3
"""Fewest neighbouring deltas that formats 0 and 1 pack into one row."""

_PACKED = {
    "reasoning-delta": "reasoning-chunks",
    "text-delta": "text-chunks",
    "tool-call-delta": "tool-call-chunks",
}


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk of a stream and when it came (epoch milliseconds)."""

    time: int
    chunk: Object

    @property
    def run(self) -> tuple[Json, Json] | None:
        """What neighbouring deltas must share to be packed together; ``None`` = no delta."""
        kind = self.chunk["type"]
        return (kind, self.chunk["index"]) if kind in _PACKED else None


def blocks(reply: Reply) -> list[Json]:
    """Return the content blocks of the finished message."""
    found: list[Json] = []
    if reply.pieces:
        found.append({"type": "reasoning", "text": "".join(reply.pieces)})
    if reply.answer:
        found.append({"type": "text", "text": reply.answer})
    if not reply.interrupted:
        found += [
            {"type": "tool-call", "id": c.call_id, "name": c.tool, "arguments": c.arguments}
            for c in reply.calls
        ]
    return found


def finish_reason(reply: Reply) -> Object | None:
    """Return the reason of the ``finish`` chunk; a lost stream has none."""
    if reply.outcome == "lost":
        return None
    kind = reply.finish or ("tool-calls" if reply.calls else "stop")
    reason: Object = {"kind": kind}
    if kind in ("error", "aborted"):
        code = reply.failure or ("ABORTED" if kind == "aborted" else "UNKNOWN")
        reason["failure"] = {"message": f"model call failed ({code})", "code": code}
    return reason


def chunks(reply: Reply, *, tool_call_chunks: bool = False) -> Iterator[Chunk]:
    """All chunks of an attempt in order.

    Without ``tool_call_chunks`` the deltas of tool calls are left out, as in a log whose
    provider announces finished calls only; what the guards read is the same.
    """
    index = 0
    if reply.pieces:
        start = reply.piece_times[0]
        yield Chunk(start, {"type": "block-start", "index": index, "blockType": "reasoning"})
        for time, piece in zip(reply.piece_times, reply.pieces, strict=True):
            yield Chunk(time, {"type": "reasoning-delta", "index": index, "text": piece})
        if reply.outcome != "lost":
            yield _end(reply, index, {"type": "reasoning", "text": "".join(reply.pieces)})
        index += 1
    if reply.answer:
        yield Chunk(reply.time, {"type": "block-start", "index": index, "blockType": "text"})
        yield Chunk(reply.time, {"type": "text-delta", "index": index, "text": reply.answer})
        yield _end(reply, index, {"type": "text", "text": reply.answer})
        index += 1
    if tool_call_chunks:
        for call in reply.calls:
            block: Object = {"id": call.call_id, "name": call.tool, "arguments": call.arguments}
            yield Chunk(
                reply.time, {"type": "block-start", "index": index, "blockType": "tool-call"}
            )
            half = len(call.arguments) // 2
            for part in (call.arguments[:half], call.arguments[half:-1], call.arguments[-1:]):
                delta: Object = {"id": call.call_id, "name": call.tool, "argumentsDelta": part}
                yield Chunk(reply.time, {"type": "tool-call-delta", "index": index, **delta})
            yield _end(reply, index, {"type": "tool-call", **block})
            index += 1
    reason = finish_reason(reply)
    if reason is not None:
        yield Chunk(reply.time, {"type": "finish", "reason": reason})


def _end(reply: Reply, index: int, block: Object) -> Chunk:
    return Chunk(reply.time, {"type": "block-end", "index": index, "block": block})


def runs(parts: Sequence[Chunk], *, window_ms: int | None = None) -> Iterator[list[Chunk]]:
    """Cut a stream into runs: deltas of one block, or a single chunk that is no delta.

    With ``window_ms`` a run also ends when the write batch that it began in is over.
    """
    run: list[Chunk] = []
    for part in parts:
        same = bool(run) and part.run is not None and part.run == run[0].run
        if same and window_ms is not None and part.time - run[0].time > window_ms:
            same = False
        if same:
            run.append(part)
            continue
        if run:
            yield run
        run = [part]
    if run:
        yield run


def packed(run: Sequence[Chunk]) -> Object:
    """Return the shared fields of a packed row: ``index``, ``dt`` and the pieces."""
    first = run[0].chunk
    row: Object = {
        "index": first["index"],
        "dt": [later.time - earlier.time for earlier, later in pairwise(run)],
    }
    if first["type"] == "tool-call-delta":
        row.update(id=first["id"], name=first["name"])
        row["args"] = [part.chunk["argumentsDelta"] for part in run]
    else:
        row["texts"] = [part.chunk["text"] for part in run]
    return row


def packed_type(run: Sequence[Chunk]) -> str:
    """Return the type of the packed row of these deltas."""
    return _PACKED[str(run[0].chunk["type"])]


def stream_array(reply: Reply, *, tool_call_chunks: bool = False) -> list[Json]:
    """Return the ``stream`` of an ``assistant/message`` or ``assistant/attempt`` (format 2 on)."""
    parts = [
        part
        for part in chunks(reply, tool_call_chunks=tool_call_chunks)
        if reply.granular or part.chunk["type"] != "reasoning-delta"
    ]
    array: list[Json] = []
    for run in runs(parts):
        if run[0].run is None:
            array.append({"type": "chunk", "time": run[0].time, "chunk": run[0].chunk})
        else:
            array.append({"type": packed_type(run), "time0": run[0].time, **packed(run)})
    return array
