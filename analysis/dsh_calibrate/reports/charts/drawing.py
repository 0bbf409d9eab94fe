"""From a Vega-Lite specification to an SVG that follows the page: colours, title, ids."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from typing import Any

from dsh_calibrate.reports.charts.palette import LIGHT
from dsh_calibrate.reports.model import Chart
from dsh_calibrate.reports.model_text import visible

FONT = "Arial, Liberation Sans, Helvetica, sans-serif"

_SIZE = re.compile(r'\A<svg [^>]*viewBox="([^"]*)"[^>]*>')
_ID = re.compile(r'(\bid="|url\(#|href="#)')


def configured(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The specification with the fonts and colours of reports."""
    ink, muted, line = LIGHT["ink"], LIGHT["muted"], LIGHT["line"]
    text = {"labelFont": FONT, "titleFont": FONT, "labelColor": ink, "titleColor": muted}
    config = {
        "aria": False,
        "background": None,
        "font": FONT,
        "view": {"stroke": None},
        "axis": {
            **text,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": line,
            "domainColor": line,
            "tickColor": line,
            "gridOpacity": 0.6,
        },
        "legend": {**text, "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"},
        "header": {**text, "labelFontSize": 12, "titleFontSize": 12},
        "title": {"font": FONT, "color": ink, "fontSize": 13, "anchor": "start"},
        "text": {"font": FONT, "color": ink},
        "rule": {"color": LIGHT["threshold"]},
    }
    kept = {k: v for k, v in spec.items() if k not in ("config", "$schema")}
    return {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **kept, "config": config}


def drawn(chart: Chart) -> str:
    """The chart as SVG in the light colours, with title and description; no ids that clash."""
    import vl_convert

    # Texts in the figures are already visible(); the schema URL is a name, nothing is fetched.
    svg: str = vl_convert.vegalite_to_svg(json.dumps(configured(chart.spec)))
    found = _SIZE.match(svg)
    if found is None:
        raise ValueError("vl-convert drew something that is no SVG with a view box")
    width, height = found[1].split()[2:4]
    svg = _ID.sub(lambda m: f"{m[1]}{chart.id}-", svg)
    label = escape(visible(chart.alternative))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{found[1]}" width="{width}" '
        f'height="{height}" role="img" aria-labelledby="{chart.id}-t {chart.id}-d">'
        f'<title id="{chart.id}-t">{escape(visible(chart.title))}</title>'
        f'<desc id="{chart.id}-d">{label}</desc>'
    )
    return head + svg[found.end() :]


def following(svg: str) -> str:
    """The SVG with the colours of the page it stands in, as CSS variables."""
    for role, colour in LIGHT.items():
        svg = svg.replace(f'"{colour}"', f'"var(--{role})"')
    return svg
