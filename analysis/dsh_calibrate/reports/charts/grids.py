"""Heat maps of a sweep over two thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsh_calibrate.reports.charts.palette import LIGHT


def heat_spec(
    cells: Sequence[tuple[float, float, str, int]], across: str, down: str, colour: str
) -> dict[str, Any]:
    """``cells`` are (value across, value down, panel, count): darker means more.

    Strength is opacity of one colour, so that it reads on a light and on a dark page; the
    count stands in each cell.
    """
    import altair as alt

    rows = [{"x": f"{x:g}", "y": f"{y:g}", "panel": p, "count": n} for x, y, p, n in cells]
    xs = [f"{x:g}" for x in sorted({x for x, *_ in cells})]
    ys = [f"{y:g}" for y in sorted({y for _, y, *_ in cells}, reverse=True)]
    panels = []
    for panel in dict.fromkeys(row["panel"] for row in rows):
        mine = [row for row in rows if row["panel"] == panel]
        top = max(int(row["count"]) for row in mine)  # type: ignore[call-overload]
        base = alt.Chart(alt.InlineData(values=mine)).encode(
            x=alt.X("x:O", sort=xs, title=across, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("y:O", sort=ys, title=down),
        )
        tiles = base.mark_rect(color=LIGHT[colour], stroke=LIGHT["line"], strokeWidth=0.5).encode(
            fillOpacity=alt.FillOpacity(
                "count:Q",
                scale=alt.Scale(domain=[0, max(top, 1)], range=[0, 0.5]),
                legend=None,
            )
        )
        texts = base.mark_text(fontSize=11, color=LIGHT["ink"]).encode(text="count:Q")
        size = 34
        panels.append(
            alt.layer(tiles, texts).properties(
                width=size * len(xs), height=26 * len(ys), title=panel
            )
        )
    found: dict[str, Any] = alt.hconcat(*panels, spacing=30).to_dict()
    return found
