"""Pictures of a report: Vega-Lite through Altair, drawn to SVG by vl-convert."""
