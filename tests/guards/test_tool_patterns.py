from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.tool_patterns import ToolPatterns, compiled, tracked


@pytest.mark.parametrize(
    ("tool", "include", "exclude", "expected"),
    [
        ("bash", [], [], True),
        ("", [], [], False),
        ("", ["*"], [], False),
        ("bash", ["bash"], ["bash"], False),
        ("bash2", ["bash"], [], False),
        ("Bash", ["bash"], [], False),
        ("web_fetch", ["web_*"], [], True),
        ("web_", ["web_*"], [], True),
        ("my_web_fetch", ["web_*"], [], False),
        ("a.b", ["a.b"], [], True),
        ("axb", ["a.b"], [], False),
        ("a[1]+", ["a[1]+"], [], True),
        ("abcabd", ["a*b*d"], [], True),
        ("anything", ["**"], ["*x*"], True),
        ("a\n", ["a"], [], False),
        ("a\nb", ["a*"], [], False),
        ("read", [], ["read", "x"], False),
        ("read", ["x", "r*d"], ["x"], True),
    ],
)
def test_tracked(tool: str, include: list[str], exclude: list[str], expected: bool) -> None:
    assert tracked(tool, include, exclude) is expected


@given(st.text("ab*", max_size=8), st.text("ab", max_size=10))
def test_equals_the_plain_wildcard(pattern: str, tool: str) -> None:
    plain = ".*".join(re.escape(part) for part in pattern.split("*"))
    assert bool(compiled(pattern).fullmatch(tool)) == bool(re.fullmatch(plain, tool))


def test_many_wildcards_and_a_long_name_take_linear_time() -> None:
    patterns = ToolPatterns(["*a" * 30 + "*b"], [])
    started = time.perf_counter()
    assert not patterns.tracks("a" * 100_000)
    assert time.perf_counter() - started < 1.0
