"""Neighbouring lines of one stream taken at once: chunk lines and packed rows.

They are by far the commonest lines of formats 0 and 1. A stretch is only what needs no
thought: dense numbers, one step, plain types, times that do not fall. Anything else is left
to the ordinary way, line by line, and comes to the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from dsh_calibrate.logs.bulk import TAGGED
from dsh_calibrate.logs.decode import moment
from dsh_calibrate.logs.numbering import Numbering
from dsh_calibrate.logs.shapes import ChunkLine, Line, RowLine
from dsh_calibrate.logs.streams import VISIBLE, Place, Streams, member_times

_CHUNK = TAGGED["assistant/chunk"]
_REASONING_ROW = TAGGED["reasoning-chunks"]
_VISIBLE_ROWS = (TAGGED["text-chunks"], TAGGED["tool-call-chunks"])
STREAM_LINES = frozenset({_CHUNK, _REASONING_ROW, *_VISIBLE_ROWS})
"""The structs of which a stretch may consist."""


def skim(records: Sequence[Line], at: int, numbering: Numbering, streams: Streams) -> int:
    """Number the stream lines from ``at`` on; return how many were passed.

    For reading without reasoning. Only while numbers are ``strict`` (see ``Numbering``).
    """
    number = numbering.next
    index = at
    for index in range(at, len(records)):
        record = records[index]
        kind = type(record)
        if kind is _CHUNK:
            if record.seq != number or not streams.seen:
                break
            number += 1
        elif kind in STREAM_LINES:
            data = record.data  # type: ignore[attr-defined]
            texts, gaps = data.texts, data.dt
            if texts is None:
                texts = data.args
            if record.seq0 != number or not texts or gaps is None or len(gaps) != len(texts) - 1:
                break
            if kind is _REASONING_ROW:
                streams.seen = True
            number += len(texts)
        else:
            break
    else:
        index = len(records)
    numbering.next = number
    return index - at


def read(
    records: Sequence[Line], at: int, line: int, numbering: Numbering, streams: Streams
) -> int:
    """Take the stream lines from ``at`` on (physical line ``line``); return how many.

    Only while numbers are ``strict``.
    """
    record = records[at]
    if type(record) is _CHUNK:
        assert isinstance(record, ChunkLine)
        if record.data.chunk.type == "reasoning-delta":
            return _reasoning_chunks(records, at, line, numbering, streams)
        if record.data.chunk.type in VISIBLE:
            return _visible_chunks(records, at, line, numbering, streams)
        return 0
    if type(record) is _REASONING_ROW:
        return _reasoning_rows(records, at, line, numbering, streams)
    return _visible_rows(records, at, line, numbering, streams)


def _members(record: Line, number: int) -> int:
    """How many events a row stands for; 0 when it is not quite as it should be."""
    assert isinstance(record, RowLine)
    data = record.data
    texts = data.texts if data.texts is not None else data.args
    if record.seq0 != number or not texts or data.dt is None or len(data.dt) != len(texts) - 1:
        return 0
    return len(texts)


def _reasoning_chunks(
    records: Sequence[Line], at: int, line: int, numbering: Numbering, streams: Streams
) -> int:
    turn = step = None
    texts: list[str] = []
    times: list[int] = []
    number = numbering.next
    last = 0
    for index in range(at, len(records)):
        record = records[index]
        if type(record) is not _CHUNK or record.seq != number:
            break
        data, time = record.data, record.time  # type: ignore[attr-defined]
        chunk = data.chunk
        if chunk.type != "reasoning-delta" or chunk.text is None or type(time) is not int:
            break
        if not texts:
            turn, step = data.turn, data.step
        elif data.turn != turn or data.step != step or time < last:
            break
        number += 1
        last = time
        texts.append(chunk.text)
        times.append(time)
    if not texts:
        return 0
    place = Place(numbering.next, line, times[0])
    per_line = (1,) * len(texts)
    streams.stretch(turn, step, tuple(texts), tuple(times), per_line, place)
    numbering.next = number
    return len(texts)


def _visible_chunks(
    records: Sequence[Line], at: int, line: int, numbering: Numbering, streams: Streams
) -> int:
    first = records[at]
    assert isinstance(first, ChunkLine)
    number = numbering.next
    if first.seq != number:
        return 0
    turn, step = first.data.turn, first.data.step
    streams.chunk(turn, step, first.data.chunk, Place(number, line, moment(first.time)))
    index = at
    for index in range(at, len(records)):
        record = records[index]
        if type(record) is not _CHUNK or record.seq != number:
            break
        data = record.data  # type: ignore[attr-defined]
        if data.chunk.type not in VISIBLE or data.turn != turn or data.step != step:
            break
        number += 1
    else:
        index = len(records)
    numbering.next = number
    return index - at


def _reasoning_rows(
    records: Sequence[Line], at: int, line: int, numbering: Numbering, streams: Streams
) -> int:
    turn = step = None
    texts: list[str] = []
    times: list[int] = []
    per_line: list[int] = []
    number = numbering.next
    last = 0
    for index in range(at, len(records)):
        record = records[index]
        if type(record) is not _REASONING_ROW:
            break
        members = _members(record, number)
        time = record.time0
        if not members or type(time) is not int or (per_line and time < last):
            break
        data = record.data  # type: ignore[attr-defined]
        if not per_line:
            turn, step = data.turn, data.step
        elif data.turn != turn or data.step != step:
            break
        at_times = member_times(time, data.dt)
        if data.texts is None or at_times is None:
            break
        number += members
        last = time
        texts += data.texts
        times += at_times
        per_line.append(members)
    if not per_line:
        return 0
    place = Place(numbering.next, line, times[0])
    streams.stretch(turn, step, tuple(texts), tuple(times), tuple(per_line), place)
    numbering.next = number
    return len(per_line)


def _visible_rows(
    records: Sequence[Line], at: int, line: int, numbering: Numbering, streams: Streams
) -> int:
    turn = step = None
    number = numbering.next
    taken = 0
    for index in range(at, len(records)):
        record = records[index]
        if type(record) not in _VISIBLE_ROWS:
            break
        members = _members(record, number)
        if not members:
            break
        data = record.data  # type: ignore[attr-defined]
        if not taken:
            turn, step = data.turn, data.step
            place = Place(number, line, moment(record.time0))
            streams.row(turn, step, "text-chunks", data, place, 0)
        elif data.turn != turn or data.step != step:
            break
        number += members
        taken += 1
    numbering.next = number
    return taken
