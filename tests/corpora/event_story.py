"""What a log tells, in a form that is equal in every format version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.events import (
    Call,
    Event,
    Notice,
    Result,
    StreamClose,
    StreamOpen,
    StreamPieces,
)
from dsh_calibrate.logs.reading import read_log

CORPORA = Path(__file__).resolve().parents[2] / "corpora"


def read(path: Path) -> tuple[list[Event], LogCoverage]:
    reading = read_log(path)
    events = list(reading)
    return events, reading.coverage


def story(path: Path) -> list[tuple[Any, ...]]:
    """The events without places, pieces of a stream joined, ids and names made alike."""
    events, coverage = read(path)
    assert coverage.status in ("read", "no_calls"), coverage
    told: list[tuple[Any, ...]] = []
    for event in events:
        facts = msgspec.structs.asdict(event)
        for place in ("seq", "line", "seq_stride"):
            facts.pop(place, None)
        if isinstance(event, StreamOpen | StreamClose):
            facts.pop("time")  # the line's: that of the message from format 2 on
        if facts.get("reason") == "forked":
            facts["reason"] = "interrupted"  # the only word for it before format 4
        if isinstance(event, Notice):
            facts.pop("kind")
            facts.pop("plugin")
        if isinstance(event, Call | Result):
            facts["call_id"] = event.call_id.replace(":code:", ":ptc:")
        if isinstance(event, Result) and event.sub:
            facts.pop("error_name")  # kept from format 4 on
            facts.pop("error_code")
        if isinstance(event, StreamPieces):
            last = told[-1] if told else ()
            if last and last[0] == "StreamPieces" and last[1] == event.stream:
                told[-1] = (*last[:2], last[2] + event.texts, last[3] + (event.times or ()))
                continue
            told.append(("StreamPieces", event.stream, event.texts, event.times or ()))
            continue
        told.append((type(event).__name__, *sorted(facts.items(), key=lambda item: item[0])))
    return told
