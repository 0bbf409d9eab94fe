"""Renderers escape what they are given; numbers and colours hold to their rules."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import unicodedata

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.reports.charts.drawing import drawn, following
from dsh_calibrate.reports.charts.overlaps import overlap_spec
from dsh_calibrate.reports.charts.palette import DARK, LIGHT, MARKS, TEXT, contrast
from dsh_calibrate.reports.html import html as as_html
from dsh_calibrate.reports.markdown import escaped, markdown
from dsh_calibrate.reports.model import (
    Bullets,
    Chart,
    Code,
    Column,
    Finding,
    Paragraph,
    Report,
    Section,
    Table,
)
from dsh_calibrate.reports.model_text import number, rounded, visible
from dsh_calibrate.reports.tables_out import csv_bytes, parquet_bytes, report_json
from dsh_calibrate.reports.terminal import terminal

HOSTILE = (
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202egnp.exe",
    "a | b ` c",
    "[click](javascript:alert(1))",
    "![x](https://evil.example.org/x.png)",
    "=cmd|' /C calc'!A0",
    "@sum(1)",
    " +1",
    "lone \ud800 surrogate",
    "line\nbreak\r\nand\u2028more",
    '" onmouseover="alert(1)',
    "&lt;b&gt;",
)


def report_of(text):
    table = Table("t", text, (Column("a", text), Column("b", "b", "code")), ((text, text),), text)
    chart = Chart("c", text, text, overlap_spec([(("rtb",), 2)], ["rtb", "rlg"]), table)
    blocks = (Paragraph(text), Bullets((text,)), Code(text), Finding("note", text), chart, table)
    return Report(text, (text,), (Section("s", text, blocks),))


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, tuple(name for name, _ in attrs)))


def tags(text):
    parser = Tags()
    parser.feed(text)
    return parser.seen


DRAWING = {"c": "<svg></svg>"}


@pytest.mark.parametrize("text", HOSTILE)
def test_html_has_the_tags_of_a_harmless_report(text):
    assert tags(as_html(report_of(text), DRAWING)) == tags(
        as_html(report_of("a" * len(text)), DRAWING)
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_svg_has_the_tags_of_a_harmless_one(text):
    charts = [report_of(t).sections[0].blocks[4] for t in (text, "a")]
    assert tags(drawn(charts[0])) == tags(drawn(charts[1]))


@given(st.text())
def test_nothing_visible_acts(text):
    found = visible(text)
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in found)
    found.encode()


@given(st.text())
def test_markdown_keeps_no_mark(text):
    found = escaped(text)
    assert not set(found) & set("`*_{}[]<>|~$!@\\\n")
    assert "://" not in found or not found.split("://")[0][-1:].isalpha()


@pytest.mark.parametrize("text", HOSTILE)
def test_text_formats_stay_harmless(text):
    report = report_of(text)
    for made in (terminal(report), markdown(report)):
        assert "\x1b" not in made
        assert "\u202e" not in made
        made.encode()
    assert "<script" not in markdown(report).replace("```text\n" + visible(text, lines=True), "")
    json.loads(report_json(report))


@pytest.mark.parametrize("text", HOSTILE)
def test_spreadsheets_see_no_formula(text):
    table = report_of(text).sections[0].blocks[-1]
    cells = list(csv.reader(io.StringIO(csv_bytes(table).decode())))[1]
    assert not cells[0].lstrip().startswith(("=", "+", "-", "@", "\t"))
    assert pl.read_parquet(io.BytesIO(parquet_bytes(table)))["a"][0] == visible(text)


def test_csv_keeps_negative_numbers():
    table = Table("t", "t", (Column("n", "n", "number"),), ((-1.5,),))
    assert csv_bytes(table) == b"n\n-1.5\n"


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_contrast(colours):
    for role in TEXT:
        for ground in ("page", "panel"):
            assert contrast(colours[role], colours[ground]) >= 4.5, (role, ground)
    for role in MARKS:
        assert contrast(colours[role], colours["page"]) >= 3, role
    assert set(LIGHT) == set(DARK)


def test_contrast_of_black_and_white():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_charts_are_the_same_twice_and_follow_the_page():
    chart = report_of("a").sections[0].blocks[4]
    first = drawn(chart)
    assert first == drawn(chart)
    assert "@font-face" not in first
    assert 'role="img"' in first
    assert not any(colour in following(first) for colour in LIGHT.values())


@pytest.mark.parametrize(
    ("value", "text"), [(0.5, "0.5"), (12.0, "12"), (1234567.0, "1234567"), (0.123456, "0.1235")]
)
def test_numbers(value, text):
    assert number(value) == text


def test_six_digits():
    assert rounded(1 / 3) == 0.333333
