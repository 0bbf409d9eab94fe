"""Made-up tool calls and results: raw JSON arguments of every oddity, texts with markers."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from dsh_calibrate.conformance.generated_commands import address, command, pick

TOOLS = (
    "bash",
    "bash",
    "bash",
    "pwsh",
    "shell",
    "read",
    "edit",
    "web_fetch",
    "WebSearch",
    "browse_page",
    "todo_write",
    "mcp__fetch",
    "Bash",
    "",
    "a*b",
    "tool\nline",
)

_NUMBERS = (
    "0",
    "-0",
    "-0.0",
    "1",
    "1.0",
    "1e2",
    "1E+21",
    "1e21",
    "123456789012345678901234567890",
    "9007199254740993",
    "0.1",
    "1e-7",
    "0.000001",
    "5e-324",
    "1e400",
    "-1e400",
    "1.7976931348623157e308",
    "100000000000000000000",
)
_KEYS = (
    "a",
    "b",
    "command",
    "description",
    "timeoutMs",
    "url",
    "href",
    "uri",
    "reason",
    "0",
    "10",
    "9",
    "01",
    "-1",
    "4294967294",
    "4294967295",
    "__proto__",
    "constructor",
    "toString",
    "",
    "é",
    "\uffff",
    "\U00010000",
    "title",
    "comment",
)
_STRINGS = (
    '""',
    '"x"',
    '"\\ud83d"',
    '"\\ude00\\ud83d"',
    '"\\ud83d\\ude00"',
    '"\\u0000"',
    '"\\/\\b\\f\\n\\r\\t\\u001f"',
    '"\\u2028"',
    '"é"',
    '"\x7f"',
    '"1st"',
    '"2nd"',
)
_BROKEN = (
    "",
    " ",
    "{",
    "{}x",
    '{"a":1,}',
    "{'a':1}",
    "NaN",
    "Infinity",
    "undefined",
    '{"a":01}',
    '{"a":.5}',
    '"\x01"',
    "\ufeff{}",
    "[1,2",
    "nul",
    '{"command":"ls"} ',
    "\u00a0{}",
    '{"a":1e}',
    "ls -la",
    "\ud800",
)
_MARKS = (
    "[exit code: 1]",
    "[exit code: 0]",
    "[exit code: -1]",
    "[exit code: 00]",
    "[exit code: ٣]",
    "(HTTP 404)",
    "(HTTP 200)",
    "(HTTP 4040)",
    "[timed out after 30000ms]",
    "[killed by signal: SIGKILL]",
    "[killed by signal: ]",
    "[sandbox: file access denied: /x]",
    "Traceback (most recent call last):",
    "ValueError: bad",
    "  pkg.mod.CustomError: x",
    "Error: x",
    "Exception: y",
    "MyException: z",
    "xError:no",
    "HTTP Error 503: down",
    "curl: (6) no host",
    "404 page",
    "fine",
    "",
    "\ufeffOSError: x",
    "\u00a0KeyError: 'a'",
    "\x85TypeError: x",
    "éError: x",
)
_BREAKS = ("\n", "\n", "\n", " ", "\r", "\r\n", "\u2028", "\x85", "\n\n")
_ERRORS: tuple[dict[str, str] | None, ...] = (
    None,
    None,
    {"name": "ToolError"},
    {"name": "ToolError", "code": "E_FAIL"},
    {"code": ""},
    {"name": "", "code": "ABORTED"},
    {"code": "TIMEOUT"},
)


def json_text(random: Random, depth: int = 0) -> str:
    """Raw JSON text of any value: duplicate keys, odd numbers, lone surrogates."""
    kind = random.random()
    if depth >= 3 or kind < 0.45:
        return pick(random, (*_STRINGS, *_NUMBERS, "true", "false", "null", "[]", "{}"))
    gap = pick(random, ("", "", " ", "\n\t"))
    if kind < 0.6:
        items = [json_text(random, depth + 1) for _ in range(random.randrange(4))]
        return "[" + f",{gap}".join(items) + "]"
    members = [
        f"{json.dumps(pick(random, _KEYS), ensure_ascii=random.random() < 0.5)}:{gap}"
        f"{json_text(random, depth + 1)}"
        for _ in range(random.randrange(5))
    ]
    return "{" + f",{gap}".join(members) + "}"


def arguments(random: Random, tool: str) -> str:
    """The raw arguments of one call of ``tool``."""
    kind = random.random()
    if kind < 0.06:
        return pick(random, _BROKEN)
    if kind < 0.2:
        return json_text(random)
    given: dict[str, Any]
    if tool in ("bash", "pwsh", "shell"):
        given = {"command": command(random)}
        if random.random() < 0.3:
            given["description"] = pick(random, ("1st", "2nd", "3rd"))
        if random.random() < 0.03:
            given["command"] = pick(random, (None, 7, ["ls"], {}, True))
    elif random.random() < 0.6:
        given = {pick(random, ("url", "href", "uri")): address(random)}
        if random.random() < 0.2:
            given["url"] = pick(random, (None, 0, "", False, "example.org/bare"))
    else:
        given = {"file_path": pick(random, ("/a", "/b")), "offset": random.randrange(3)}
    if random.random() < 0.15:
        given["title"] = "t"
    pairs = list(given.items())
    random.shuffle(pairs)
    return json.dumps(dict(pairs), ensure_ascii=random.random() < 0.5)


def result(random: Random) -> dict[str, Any]:
    """What a log keeps of one result: text, error, status."""
    text = pick(random, _MARKS)
    while random.random() < 0.35:
        text += pick(random, _BREAKS) + pick(random, _MARKS)
    found: dict[str, Any] = {"text": text, "isError": random.random() < 0.15}
    if found["isError"]:
        error = pick(random, _ERRORS)
        if error is not None:
            found["error"] = error
    if random.random() < 0.12:
        found["statusCode"] = pick(random, (200, 302, 399, 400, 404, 503.0, 0, 400.5))
    return found
