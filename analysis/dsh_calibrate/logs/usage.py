"""Token counts of a model's answer (session-format.md 5.4)."""

from __future__ import annotations

from dsh_calibrate.logs.decode import integer
from dsh_calibrate.logs.events import Usage
from dsh_calibrate.logs.shapes import AssistantData
from dsh_calibrate.logs.streams import Place

_COUNTS = (
    ("input_tokens", "inputTokens"),
    ("output_tokens", "outputTokens"),
    ("reasoning_tokens", "reasoningTokens"),
)
_PAST_EXACT = 2**53


def read_usage(data: AssistantData, place: Place) -> Usage | None:
    """What the answer says it cost, ``None`` when it says nothing.

    A value that is no count (not an integer, negative, past what a double holds exactly) is
    unknown, never an error.
    """
    if not isinstance(data.usage, dict):
        return None
    counts = {
        field: value
        for field, key in _COUNTS
        if isinstance(value := data.usage.get(key), int)
        and not isinstance(value, bool)
        and 0 <= value < _PAST_EXACT
    }
    return Usage(
        seq=place.seq,
        line=place.line,
        time=place.time,
        turn=integer(data.turn),
        step=integer(data.step),
        **counts,
    )
