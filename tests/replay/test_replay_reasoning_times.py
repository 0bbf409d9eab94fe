"""Times of a fire: only what the pieces tell (issue 4, point 2: what is unknown is absent)."""

from __future__ import annotations

import pytest

from dsh_calibrate.guards.reasoning_loop.config import configure
from dsh_calibrate.logs.events import LifecycleStart, StreamClose, StreamOpen, StreamPieces
from dsh_calibrate.replay.place import Place
from dsh_calibrate.replay.reasoning_loop import ReasoningTracker

LOOP = "Let me write. Go. " * 20
"""360 units: a fire needs three of them."""


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ((100, 200, 300, 400), (90, 200, 290, 100)),
        ((None, 200, 300, 400), (None, None, 290, 100)),
        ((100, None, 300, 400), (90, 200, 290, 100)),
        ((100, 200, None, 400), (90, None, None, None)),
        ((100, 200, 300, None), (90, 200, 290, None)),
        ((None, None, None, None), (None, None, None, None)),
    ],
)
def test_spans_over_parts_without_times_are_unknown(times, expected):
    tracker = ReasoningTracker(Place("a.jsonl", "s-1", "rlg"), configure({}))
    tracker.on(LifecycleStart(seq=0, line=1, number=0))
    tracker.on(StreamOpen(seq=1, line=2, stream=0, turn=1, step=1, attempt=1, started=10))
    for time in times:
        at = None if time is None else (time,)
        tracker.on(StreamPieces(seq=1, line=2, stream=0, texts=(LOOP,), times=at))
    tracker.on(StreamClose(seq=1, line=2, stream=0, outcome="message"))
    tracker.finish()
    (decision,) = tracker.place.settled
    found = decision.reasoning
    assert found is not None
    assert found.at_utf16 == 3 * len(LOOP)
    assert (found.ttft_ms, found.elapsed_ms, found.from_start_ms, found.saved_ms) == expected
