"""One session as a line of happenings, with what the guards did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsh_calibrate.reports.charts.palette import LIGHT

LANES = ("human message", "call", "failed result", "reasoning", "rtb", "tfb", "rtr", "rlg")
"""Rows of the picture, from the top."""

_GUARDS = ("rtb", "tfb", "rtr", "rlg")


def timeline_spec(marks: Sequence[tuple[int, str, str]]) -> dict[str, Any]:
    """``marks`` are (ordinal of the happening, lane, what: a verdict for guards)."""
    import altair as alt

    used = [lane for lane in LANES if lane in {lane for _, lane, _ in marks}]
    rows = [
        {"at": at, "lane": lane, "what": what if lane in _GUARDS else "happened"}
        for at, lane, what in marks
    ]
    kinds = [k for k in ("happened", "advises", "stops") if k in {row["what"] for row in rows}]
    colours = {"happened": "unlabelled", "advises": "healthy", "stops": "stuck"}
    found: dict[str, Any] = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_tick(thickness=2, size=16)
        .encode(
            x=alt.X("at:Q", title="happening of the session, in order"),
            y=alt.Y("lane:N", sort=used, title=None),
            color=alt.Color(
                "what:N",
                title=None,
                scale=alt.Scale(domain=kinds, range=[LIGHT[colours[k]] for k in kinds]),
            ),
        )
        .properties(width=540, height=24 * len(used))
        .to_dict()
    )
    return found
