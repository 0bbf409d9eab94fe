"""How the share of the most repeated line grows along reasoning streams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dsh_calibrate.reports.charts.palette import LIGHT


def share_spec(points: Sequence[tuple[str, str, int, float]], threshold: float) -> dict[str, Any]:
    """``points`` are (stream, outcome, UTF-16 units, share of the window)."""
    import altair as alt

    from dsh_calibrate.reports.charts.spread import OUTCOMES

    used = [o for o in OUTCOMES if o in {outcome for _, outcome, _, _ in points}]
    rows = [{"stream": s, "outcome": o, "at": at, "share": v} for s, o, at, v in points]
    lines = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(strokeWidth=1.6, point=alt.OverlayMarkDef(size=14))
        .encode(
            x=alt.X("at:Q", title="length of the stream so far (UTF-16 units)"),
            y=alt.Y(
                "share:Q",
                title="share of the most repeated line",
                axis=alt.Axis(format=".0%"),
            ),
            detail="stream:N",
            color=alt.Color(
                "outcome:N",
                title="session",
                scale=alt.Scale(domain=used, range=[LIGHT[o] for o in used]),
            ),
        )
    )
    rule = alt.Chart(alt.InlineData(values=[{"share": threshold}]))
    drawn = rule.mark_rule(strokeDash=[5, 3], strokeWidth=1.5, color=LIGHT["threshold"]).encode(
        y="share:Q"
    )
    name = rule.mark_text(align="left", dx=4, dy=-6, fontSize=10, color=LIGHT["threshold"]).encode(
        x=alt.value(0), y="share:Q", text=alt.value(f"lineShare {threshold:g}")
    )
    found: dict[str, Any] = (
        alt.layer(lines, drawn, name).properties(width=520, height=240).to_dict()
    )
    return found
