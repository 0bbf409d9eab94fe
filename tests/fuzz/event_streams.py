"""Events made comparable: what later lines may add, and how pieces are gathered, left aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from dsh_calibrate.logs.events import Call, Event, StreamPieces


def unrolled(events: Iterable[Event]) -> Iterator[Event]:
    """The events with one piece of reasoning each, and calls without what came of them.

    Neighbouring lines of pieces come as one event or as several, which is no difference;
    whether a call was dispatched and approved is told by lines behind it.
    """
    for event in events:
        if isinstance(event, StreamPieces):
            for number, text in enumerate(event.texts):
                times = event.times[number : number + 1] if event.times else None
                yield StreamPieces(
                    seq=event.seq + number * event.seq_stride,
                    line=event.line_of(number),
                    stream=event.stream,
                    texts=(text,),
                    times=times,
                    granular=event.granular,
                )
        elif isinstance(event, Call):
            yield msgspec.structs.replace(
                event, dispatched=True, approval=None, approval_reason=None
            )
        else:
            yield event


def until(events: Iterable[Event], line: int) -> list[Event]:
    """What the lines up to ``line`` say."""
    return [event for event in unrolled(events) if event.line <= line]
