"""Rule 5, filler-run: the raw text ends in nothing but decoration."""

from __future__ import annotations

from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.stripping import may_be_decoration, trailing_decoration

PREVIEW_LENGTH = 40


def measure(raw: str) -> int:
    """Return the length of the trailing decoration of a raw window, in code points."""
    if not raw or not may_be_decoration(raw[-1]):
        return 0
    return len(trailing_decoration(raw))


def preview(raw: str) -> str:
    """Return the first character of the run, as often as it is long but 40 times at most."""
    run = trailing_decoration(raw)
    return run[0] * min(len(run), PREVIEW_LENGTH)


def may_hold(raw: str, end: int, config: Config) -> bool:
    """Tell quickly whether a run can end at ``end``: its last and its first place decorated.

    A run of n code points covers at least n units. Never wrongly says no.
    """
    start = end - config.filler_run
    return start >= 0 and may_be_decoration(raw[end - 1]) and may_be_decoration(raw[start])
