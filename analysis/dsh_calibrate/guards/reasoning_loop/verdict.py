"""What the guard says when it fires, and the figures of its rules at one judge point."""

from __future__ import annotations

from typing import Literal

import msgspec

Rule = Literal["periodic-run", "block-repeat", "line-repeat", "kgram-repeat", "filler-run"]

RULES: tuple[Rule, ...] = (
    "periodic-run",
    "block-repeat",
    "line-repeat",
    "kgram-repeat",
    "filler-run",
)
"""In the order in which they are judged: the first that holds is the verdict."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a stream would have been ended. Lengths are UTF-16 units.

    ``at_utf16`` is the length of the stream at the judge point. ``units`` and ``period``
    belong to periodic-run; ``count`` to the other rules (for filler-run: code points);
    ``block_len`` to block-repeat; ``line_len`` and ``share`` (4 decimals) to line-repeat.
    What a rule does not measure is ``None``. ``preview`` is the unit, block, line, k-gram
    or the first filler character up to 40 times: log content, never shown raw.
    """

    rule: Rule
    at_utf16: int
    units: int | None = None
    period: int | None = None
    count: int | None = None
    block_len: int | None = None
    line_len: int | None = None
    share: float | None = None
    preview: str | None = None


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Every rule's own figure at one judge point, none skipped because another held.

    ``at_utf16`` is the length of the stream, ``stripped_utf16`` that of the stripped
    window (block-repeat needs ``blockMin x blockCount`` of it). ``units`` is the longest
    run of equal units (1 when nothing repeats, 0 when the text is too short for two units)
    with its ``period``; ``block_count`` the most occurrences of one block; ``line_count``
    those of the most repeated line, ``line_len`` its length and ``line_share`` its exact
    share of the window; ``kgram_count`` the occurrences of the last k-gram; ``filler_run``
    the trailing decoration, in code points.
    """

    at_utf16: int
    stripped_utf16: int
    units: int
    period: int
    block_count: int
    line_count: int
    line_len: int
    line_share: float
    kgram_count: int
    filler_run: int
