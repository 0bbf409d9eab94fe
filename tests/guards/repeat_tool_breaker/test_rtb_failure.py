from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_calibrate.guards.repeat_tool_breaker.failure import Failure, classify
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from shared_material import ROOT, needs_shared


def of_shell(text: str, command: str = "", profile: str = "0.8") -> tuple[str, str] | None:
    failure = classify("bash", text, False, None, None, None, command, PROFILES[profile])
    return None if failure is None else (failure.reason, failure.detail)


@needs_shared
def test_golden_failures() -> None:
    wrong = []
    rows = (ROOT / "goldens" / "failures.jsonl").read_bytes().split(b"\n")
    for number, row in enumerate(filter(None, rows), 1):
        vector = json.loads(row)
        given_ = vector["in"]
        error = given_.get("error", {})
        failure = classify(
            given_["tool"],
            given_["text"],
            given_.get("isError", False),
            error.get("name"),
            error.get("code"),
            given_.get("statusCode"),
            given_.get("command", ""),
            PROFILES["0.8"],
        )
        seen = None if failure is None else {"reason": failure.reason, "detail": failure.detail}
        if seen != vector["expect"]:
            wrong.append((number, given_, seen))
    assert not wrong


CRASH = 'worker crashed\nTraceback (most recent call last):\n  File "w.py"\nKeyError: 1\n-- end --'

TEXTS = [
    # C80: a quoted marker counts
    ("src/render.ts:39: pushes [exit code: 1]\n3 matches", ("exit", "1")),
    # C81
    (CRASH, ("exception", "KeyError")),
    # C82
    ("   json.decoder.JSONDecodeError: Expecting value", ("exception", "JSONDecodeError")),
    ("java.lang.NullPointerException: null", ("exception", "NullPointerException")),
    ("TypeError: x is not a function", ("exception", "TypeError")),
    ("E       AssertionError: assert 1 == 2", None),
    ("error[E0308]: mismatched types", None),
    ("panic: runtime error", None),
    ("docs mention ValueError: as a sample", None),
    ("错误：文件不存在", None),
    # C83: JavaScript's line starts
    ("downloading 50%\rValueError: bad header", ("exception", "ValueError")),
    ("a\u2029ValueError: b", ("exception", "ValueError")),
    ("a\u0085ValueError: b", None),
    ("a\x0bValueError: b", None),
    ("\ufeff\u3000ValueError: b", ("exception", "ValueError")),
    ("\x1cValueError: b", None),
    # C85
    ("slow\n[timed out after 30000ms]\n[exit code: 143]", ("exit", "143")),
    ("(HTTP 404)", ("http", "404")),
    ("[exit code: 0]", None),
    ("Started job 3", None),
    # only the first of a kind is looked at, later kinds still are
    ("[exit code: 0]\n[exit code: 2]\n[timed out after 5ms]", ("timeout", "5ms")),
    ("[exit code: -0]", None),
    ("[exit code: x] [exit code: 4]", ("exit", "4")),
    ("(HTTP 200) (HTTP 500)", None),
    ("(HTTP 20) (HTTP 500)", ("http", "500")),
    ("[killed by signal: ] [killed by signal: SIGTERM]", ("signal", "SIGTERM")),
    ("[killed by signal: SIG", None),
    ("[sandbox: file access denied", ("sandbox", "")),
    # names
    ("binascii.Error: Incorrect padding", None),
    ("a.b.CustomError: x", ("exception", "CustomError")),
    ("1Error: x", None),
    ("x\u0661Error: y", None),
    ("Traceback (most recent call last)\nno name", ("exception", "")),
    ("AError: 1\nTraceback (most recent call last)\nx.y.BException: 2\nCError:3",
     ("exception", "x.y.BException")),
    ("see HTTP Error 4041", ("http", "404")),
    ("curl: (28) timed out", ("curl", "28")),
    ("curl: () x", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), TEXTS)
def test_shell_text(text: str, expected: tuple[str, str] | None) -> None:
    assert of_shell(text) == expected


@pytest.mark.parametrize("tool", ["read", "web_fetch", "Bash", "run_shell"])
def test_only_shells_are_read(tool: str) -> None:
    assert classify(tool, CRASH, False, None, None, None, "", PROFILES["0.8"]) is None


@pytest.mark.parametrize(
    ("name", "code", "profile", "expected"),
    [
        # C85b: the switch of guards.md 1.1
        ("AbortError", "ABORTED", "0.8", None),
        ("AbortError", "ABORTED", "0.5.2", Failure("error", "ABORTED")),
        ("E", "TOOL_TIMEOUT", "0.8", Failure("error", "TOOL_TIMEOUT")),
        ("E", None, "0.8", Failure("error", "E")),
        ("E", "", "0.8", Failure("error", "")),
        (None, None, "0.8", Failure("error", "")),
        ("E", "TOOL_NOT_STARTED", "0.5.2", None),
        ("E", "TOOL_OUTCOME_UNKNOWN", "0.8", None),
        ("E", "ABORTED_BEFORE_DISPATCH", "0.8", None),
    ],
)
def test_errors(name: str | None, code: str | None, profile: str, expected: object) -> None:
    for tool in ("bash", "read"):
        for status in (None, 200):
            seen = classify(tool, "[exit code: 1]", True, name, code, status, "", PROFILES[profile])
            assert seen == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [(200, None), (399.9, None), (400, "400"), (404.0, "404"), (404.5, "404.5"), (0, None)],
)
def test_a_status_is_final(status: float, expected: str | None) -> None:
    for tool in ("web_fetch", "bash"):
        failure = classify(
            tool, "HTTP Error 500\n[exit code: 1]", False, None, None, status, "", PROFILES["0.8"]
        )
        assert failure == (None if expected is None else Failure("http", expected))


WRITE_OUT = re.compile(
    r"(?:-w|--write-out)[\s=]*['\"]?[^'\"]*%\{(?:http_code|response_code)\}", re.ASCII
)
"""The rule as guards.md 1.6 states it (ASCII white space only; quadratic)."""


@given(
    st.lists(
        st.sampled_from(
            ["-w", "--write-out", " ", "=", "'", '"', "%{http_code}", "%{response_code}", "x", "-"]
        ),
        max_size=14,
    ).map("".join)
)
def test_the_write_out_rule_equals_its_pattern(command: str) -> None:
    expected = ("http", "404") if WRITE_OUT.search(command) else None
    assert of_shell("404", command) == expected
    assert of_shell("404", command, "0.5.2") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("\ufeff 503\n", "503"), ("4041", None), ("404_", None), ("404é", "404"), ("ok 404", None),
     ("399", None), ("599.1", "599"), ("404", "404")],
)  # fmt: skip
def test_leading_status(text: str, expected: str | None) -> None:
    seen = of_shell(text, 'curl -s -o /dev/null -w "%{http_code}" https://example.org/')
    assert seen == (None if expected is None else ("http", expected))


@given(
    st.lists(
        st.sampled_from(
            ["\n", "\r", " ", "\t", "\u2028", "a.", "Key", "Error: ", "Exception: ", "Error", "x"]
        ),
        max_size=12,
    ).map("".join)
)
def test_exception_lines_equal_the_plain_pattern(text: str) -> None:
    plain = re.compile(
        r"(?:\A|(?<=[\n\r\u2028\u2029]))\s*"
        r"(?:[A-Za-z_][A-Za-z0-9_.]*\.)?([A-Za-z_][A-Za-z0-9_]*(?:Error|Exception)): "
    )
    match = plain.search(text)
    assert of_shell(text) == (("exception", match[1]) if match else None)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("\n" * 300_000 + "Error: ", ""),
        ("a." * 200_000 + "Error: ", ""),
        ("[killed by signal: " * 40_000, ""),
        ("[exit code: " * 60_000 + "1" * 100_000, ""),
        ("404", "-w'" * 100_000 + "%{http_code}"),
        ("404", ("-w" * 1000 + " %{http_code") * 100),
    ],
)
def test_hostile_text_takes_linear_time(text: str, command: str) -> None:
    started = time.perf_counter()
    of_shell(text, command)
    assert time.perf_counter() - started < 2.0
