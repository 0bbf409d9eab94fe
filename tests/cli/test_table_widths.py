"""Tables in narrow terminals: words stay whole while they can, lines never pass the width."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from typer.testing import CliRunner

from dsh_calibrate_cli.column_widths import broken, fitted
from dsh_calibrate_cli.console import rendered
from dsh_calibrate_cli.main import app
from dsh_calibrate_cli.tables import plain_table

CORPUS = str(Path(__file__).resolve().parents[2] / "corpora" / "first-loops")
LONG = "sessions/v0-zstd/--work-app--/broken-arguments/session.jsonl.zstd"


def lines_of(text: str, width: int) -> list[str]:
    cuts = [0, *broken(text, width), len(text)]
    return [text[a:b].rstrip() for a, b in pairwise(cuts)]


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("told of failures", 20, ["told of failures"]),
        ("told of failures", 10, ["told of", "failures"]),
        ("tfb  circuit-breaker", 15, ["tfb", "circuit-breaker"]),
        (LONG, 50, ["sessions/v0-zstd/--work-app--/broken-arguments/", "session.jsonl.zstd"]),
        ("circuit-breaker", 10, ["circuit-", "breaker"]),
        ("12/57 1,204", 8, ["12/57", "1,204"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("日本語日本語", 4, ["日本", "語日", "本語"]),
        ("", 4, [""]),
    ],
)
def test_lines(text, width, lines):
    assert lines_of(text, width) == lines


@given(st.text(alphabet="ab /-.,:1日", max_size=40), st.integers(2, 20))
def test_no_line_is_too_wide_and_nothing_is_lost(text, width):
    found = lines_of(text, width)
    assert all(cell_len(line) <= width for line in found)
    assert re.sub(" ", "", "".join(found)) == text.replace(" ", "")


@given(
    st.lists(
        st.lists(st.text(alphabet="ab /-1", max_size=30), min_size=1, max_size=4),
        min_size=1,
        max_size=5,
    ),
    st.integers(5, 120),
)
def test_widths_fit_and_never_exceed_what_is_needed(columns, available):
    widths = fitted(columns, available)
    assert sum(widths) <= max(available, len(columns))
    natural = [max(map(len, texts)) for texts in columns]
    assert all(w <= max(1, n) for w, n in zip(widths, natural, strict=True))
    if sum(natural) <= available:
        assert widths == natural


def test_the_column_of_names_gives_way_not_the_figures():
    widths = fitted([["log", LONG], ["calls", "1234"]], 60)
    assert widths[1] == 5
    assert widths[0] == 55


def shown(columns: str | None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
    else:
        monkeypatch.setenv("COLUMNS", columns)
    table = plain_table("A title", "log", "calls")
    table.add_row(LONG + "/" + LONG, "1")
    return rendered(lambda console: console.print(table)).decode().splitlines()


@pytest.mark.parametrize(
    ("columns", "widest"),
    [(None, 100), ("80", 80), ("120", 120), ("0", 100), ("x", 100), ("-5", 100), ("7", 40)],
)
def test_piped_text_is_as_wide_as_columns_says(columns, widest, monkeypatch):
    lines = shown(columns, monkeypatch)
    longest = max(map(len, lines))
    assert widest - 25 < longest <= widest


@pytest.mark.parametrize("width", ["80", "100", "120"])
@pytest.mark.parametrize(
    "words",
    [
        ["config", "show"],
        ["replay", CORPUS, "--jobs", "1"],
        ["sweep", CORPUS, "--over", "rtb.warnAt=3..4", "--jobs", "1"],
    ],
)
def test_commands_break_no_word(words, width, monkeypatch, tmp_path):
    monkeypatch.setenv("DSH_CALIBRATE_CACHE", str(tmp_path / "cache"))
    wide = CliRunner().invoke(app, words, env={"COLUMNS": "400"})
    assert wide.exit_code == 0, wide.output
    known = set(re.findall(r"[^\s/]+", wide.stdout))
    narrow = CliRunner().invoke(app, words, env={"COLUMNS": width})
    text = narrow.stdout
    assert all(len(line) <= int(width) for line in text.splitlines() if "explain" not in line)
    rule = re.compile(r"^[\s─]+$", re.MULTILINE)
    assert set(re.findall(r"[^\s/]+", rule.sub("", text))) <= known
