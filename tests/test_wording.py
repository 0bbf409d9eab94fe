"""Counted things read as a person would write them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from dsh_calibrate.wording import counted

ROOT = Path(__file__).resolve().parents[1]
_NOUNS = "logs|calls|files|sessions|lines|decisions|fires|entries|lifecycles|expectations|places"
_FIXED = re.compile(rf"^ (?:more |shell |journal )?(?:{_NOUNS})\b")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((0, "log"), "0 logs"),
        ((1, "log"), "1 log"),
        ((1234, "log"), "1,234 logs"),
        ((1, "entry", "entries"), "1 entry"),
        ((2, "entry", "entries"), "2 entries"),
    ],
)
def test_counted(arguments, told):
    assert counted(*arguments) == told


def test_the_command_line_writes_no_plural_behind_a_bare_number():
    """``f"{n} logs"`` says "1 logs"; ratios and fixed limits are told otherwise."""
    found = []
    for path in sorted((ROOT / "cli").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.JoinedStr):
                continue
            for before, after in zip(node.values, node.values[1:], strict=False):
                if (
                    isinstance(before, ast.FormattedValue)
                    and isinstance(after, ast.Constant)
                    and _FIXED.match(str(after.value))
                ):
                    found.append(f"{path.name}:{node.lineno}:{after.value}")
    assert found == []
