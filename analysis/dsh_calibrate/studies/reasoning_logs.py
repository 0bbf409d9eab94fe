"""The reasoning streams of a log, piece by piece as recorded, for the study of piece sizes."""

from __future__ import annotations

from dataclasses import dataclass

from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import StreamOpen, StreamPieces
from dsh_calibrate.logs.reading import read_log


@dataclass(frozen=True, slots=True)
class RecordedStreams:
    """One log's reasoning: ``streams`` holds each attempt's pieces in order."""

    name: str
    streams: tuple[tuple[str, ...], ...]
    coverage: LogCoverage


def recorded_streams(log: Log, salvage: bool = False) -> RecordedStreams:
    """Collect the reasoning of a log; damage ends it, or leaves a gap (``salvage``)."""
    streams: list[list[str]] = []
    reading = read_log(log, salvage=salvage, calls=False)
    for event in reading:
        if isinstance(event, StreamOpen):
            streams.append([])
        elif isinstance(event, StreamPieces):
            streams[-1].extend(event.texts)
    return RecordedStreams(log.key, tuple(map(tuple, streams)), reading.coverage)
