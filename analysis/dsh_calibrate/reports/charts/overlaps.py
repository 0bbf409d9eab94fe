"""Which guards speak in the same sessions: bars above a matrix of dots (UpSet)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsh_calibrate.reports.charts.palette import LIGHT


def overlap_spec(
    combinations: Sequence[tuple[tuple[str, ...], int]], guards: Sequence[str]
) -> dict[str, Any]:
    """``combinations`` are (guards that spoke, sessions in which exactly these did)."""
    import altair as alt

    order = [str(k) for k in range(len(combinations))]
    bars = [{"x": str(k), "sessions": n} for k, (_, n) in enumerate(combinations)]
    dots = [
        {"x": str(k), "guard": guard, "in": guard in combo}
        for k, (combo, _) in enumerate(combinations)
        for guard in guards
    ]
    spans = [
        {
            "x": str(k),
            "guard": min(combo, key=list(guards).index),
            "last": max(combo, key=list(guards).index),
        }
        for k, (combo, _) in enumerate(combinations)
    ]
    x = alt.X("x:O", sort=order, axis=None)
    width = max(44 * len(order), 120)
    base = alt.Chart(alt.InlineData(values=bars)).encode(
        x=x, y=alt.Y("sessions:Q", title="sessions", axis=alt.Axis(tickMinStep=1))
    )
    top = alt.layer(
        base.mark_bar(color=LIGHT["healthy"], size=22),
        base.mark_text(dy=-7, fontSize=11, color=LIGHT["ink"]).encode(text="sessions:Q"),
    ).properties(width=width, height=150)
    y = alt.Y("guard:N", sort=list(guards), scale=alt.Scale(domain=list(guards)), title=None)
    matrix = alt.layer(
        alt.Chart(alt.InlineData(values=spans))
        .mark_rule(strokeWidth=2.5, color=LIGHT["healthy"])
        .encode(x=x, y=y, y2="last:N"),
        alt.Chart(alt.InlineData(values=dots))
        .mark_circle(size=130, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.condition("datum.in", alt.value(LIGHT["healthy"]), alt.value(LIGHT["line"])),
        ),
    ).properties(width=width, height=26 * len(guards))
    found: dict[str, Any] = alt.vconcat(top, matrix, spacing=6).to_dict()
    return found
