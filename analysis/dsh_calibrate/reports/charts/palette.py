"""The colours of reports, light and dark, by role; the contrast of each pair is tested."""

from __future__ import annotations

LIGHT = {
    "page": "#ffffff",
    "panel": "#f4f6f8",
    "ink": "#1b2733",
    "muted": "#52606d",
    "line": "#c9d1d9",
    "link": "#0b5cad",
    "stuck": "#b3400f",
    "healthy": "#0f6fb5",
    "undecided": "#6b4fa0",
    "unlabelled": "#5b6772",
    "threshold": "#8a1c5b",
    "warning": "#8a4b00",
}

DARK = {
    "page": "#12181f",
    "panel": "#1b242e",
    "ink": "#e6ebf0",
    "muted": "#a3b0bd",
    "line": "#3a4754",
    "link": "#7cb8f2",
    "stuck": "#f2915c",
    "healthy": "#66b3ee",
    "undecided": "#b9a2ea",
    "unlabelled": "#a9b4bf",
    "threshold": "#f08cc0",
    "warning": "#eab464",
}

TEXT = ("ink", "muted", "link", "warning")
"""Colours that text has, on page and panel: at least 4.5 to 1."""

MARKS = ("stuck", "healthy", "undecided", "unlabelled", "threshold")
"""Colours of marks, on page: at least 3 to 1."""


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb`` (WCAG 2)."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast of two colours, 1 to 21 (WCAG 2)."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
