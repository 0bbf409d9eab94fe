"""Peaks by outcome, with the thresholds drawn in."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dsh_calibrate.reports.charts.palette import LIGHT

OUTCOMES = ("stuck", "healthy", "undecided", "unlabelled")
"""Outcomes in the order in which they are drawn; each has a colour of that name."""


def peaks_spec(
    points: Sequence[tuple[str, str, int, int]], thresholds: Sequence[tuple[str, str, float]]
) -> dict[str, Any]:
    """One row of circles a measure and outcome: ``points`` are (measure, outcome, peak, logs).

    ``thresholds`` are (measure, name, value), drawn as lines across their measure.
    """
    import altair as alt

    seen = {outcome for _, outcome, _, _ in points}
    used = [outcome for outcome in OUTCOMES if outcome in seen]
    measures = list(dict.fromkeys(measure for measure, *_ in points))
    rows: list[dict[str, Any]] = [
        {"measure": m, "outcome": o, "peak": p, "logs": n} for m, o, p, n in points
    ]
    lines = [
        {"measure": m, "name": name, "value": value}
        for m, name, value in thresholds
        if m in measures
    ]
    top = max([p for _, _, p, _ in points] + [v for _, _, v in thresholds], default=1)
    scale = alt.Scale(domain=[0, top * 1.05], nice=False)
    x = alt.X("peak:Q", title="highest count of a log (calls)", scale=scale)
    y = alt.Y("outcome:N", title=None, sort=used, axis=alt.Axis(grid=True))
    counts = sorted({n for *_, n in points})
    sizes = sorted({counts[0], counts[len(counts) // 2], counts[-1]}) if counts else []
    panels = []
    for measure in measures:
        data = alt.InlineData(values=[row for row in rows if row["measure"] == measure])
        drawn = [line for line in lines if line["measure"] == measure]
        circles = (
            alt.Chart(data)
            .mark_circle(opacity=0.75)
            .encode(
                x=x,
                y=y,
                size=alt.Size(
                    "logs:Q",
                    title="logs",
                    scale=alt.Scale(range=[40, 500]),
                    legend=alt.Legend(
                        symbolFillColor=LIGHT["muted"], symbolStrokeWidth=0, values=sizes
                    ),
                ),
                color=alt.Color(
                    "outcome:N",
                    scale=alt.Scale(domain=used, range=[LIGHT[o] for o in used]),
                    legend=None,
                ),
            )
        )
        layers: list[Any] = [circles]
        if drawn:
            rules = alt.Chart(alt.InlineData(values=drawn))
            layers.append(
                rules.mark_rule(
                    strokeDash=[5, 3], strokeWidth=1.5, color=LIGHT["threshold"]
                ).encode(x=alt.X("value:Q", scale=scale))
            )
            layers += [_names(drawn, scale, top, side) for side in ("left", "right")]
        panels.append(
            alt.layer(*layers).properties(
                width=560,
                height=24 * len(used) + 4,
                title=alt.TitleParams(measure, offset=14, fontSize=12),
            )
        )
    found: dict[str, Any] = alt.vconcat(*panels, spacing=14).to_dict()
    return found


def _names(lines: Sequence[dict[str, Any]], scale: Any, top: float, side: str) -> Any:
    """The names of thresholds beside their lines, on the side where there is room."""
    import altair as alt

    values = [line["value"] for line in lines]
    is_close = [b - a < top * 0.2 for a, b in pairwise(values)] + [False]
    sides = ["right" if close else "left" for close in is_close]
    mine = [line for line, one in zip(lines, sides, strict=True) if one == side]
    return (
        alt.Chart(alt.InlineData(values=mine))
        .mark_text(
            align=side,  # type: ignore[arg-type]
            baseline="top",
            dx=3 if side == "left" else -3,
            fontSize=10,
            color=LIGHT["threshold"],
        )
        .encode(x=alt.X("value:Q", scale=scale), y=alt.value(-11), text="name:N")
    )
