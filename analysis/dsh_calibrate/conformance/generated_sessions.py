"""Made-up sessions and settings: traces to run a plugin and the engine over.

A session draws from a few calls, so that they repeat and fail often enough for every stage;
calls overlap, results come in any order or never, humans write in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from dsh_calibrate.conformance.generated_calls import TOOLS, arguments, result
from dsh_calibrate.conformance.generated_commands import pick
from dsh_calibrate.conformance.plugin_traces import Site, TraceEvent

SESSIONS_PER_ROW = 20
"""So many sessions run under the same made-up settings."""


def generated_sessions(
    seed: int, number: int
) -> Iterator[tuple[dict[str, Any], list[tuple[str, list[tuple[TraceEvent, Site]]]]]]:
    """Rows of rtb and the named traces to run under each, ``number`` traces in all.

    The first row is empty: the defaults.
    """
    for start in range(0, number, SESSIONS_PER_ROW):
        made = row(Random(f"{seed}/row/{start}")) if start else {}
        count = min(SESSIONS_PER_ROW, number - start)
        yield (
            made,
            [
                (f"generated-{seed}-{k}", with_sites(session(Random(f"{seed}/session/{k}"))))
                for k in range(start, start + count)
            ],
        )


def row(random: Random) -> dict[str, Any]:
    """A row of rtb's settings, small thresholds so that they are reached."""
    made: dict[str, Any] = {}

    def maybe(key: str, *values: Any) -> None:
        if random.random() < 0.4:
            made[key] = pick(random, values)

    maybe("window", 4, 5, 8, 16, 30)
    maybe("warnAt", 2, 3, 4, 0, -1, None)
    maybe("summarizeAt", 2, 3, 5, 0, None)
    maybe("failWarnAt", 1, 2, 3, None)
    maybe("failLimit", 2, 2.5, 3, 5, None)
    maybe("onLimit", "ask", "deny")
    maybe("localHosts", "deny", "allow")
    maybe("includeLocal", True, False)
    maybe("exclude", [], ["todo_write", "read"], ["*_fetch"], ["*"])
    maybe("include", [], ["bash", "web_*"], ["*a*"], ["tool\nline", "a*b"])
    maybe("ignoreArgs", {"*": ["a"]}, {"bash": ["description", "b"]}, {"read": ["offset"]})
    maybe(
        "hostAliases",
        {"example.org": "mirror.example"},
        {"192.0.2.10": "API.example.org"},
        {"[2001:db8::5]": "six.example"},
        {"api.example.org": ""},
    )
    if random.random() < 0.6:
        limits = {}
        for kind in ("exact", "cmd", "net", "sink", "host", "site", "family", "verb"):
            if random.random() < 0.6:
                limits[kind] = pick(random, (2, 3, 3.5, 4, 6, None))
        if random.random() < 0.3:
            limits[pick(random, ("verb:curl", "family:http-fetch", "host:example.org"))] = pick(
                random, (2, 4, None)
            )
        made["limits"] = limits
    return made


def session(random: Random) -> list[TraceEvent]:
    """One session of at most some fifty calls."""
    pool = [_pair(random) for _ in range(random.randrange(1, 6))]
    patience = random.random()
    approves = pick(random, (0.0, 0.5, 1.0))
    events: list[TraceEvent] = []
    open_calls: list[str] = []
    for number in range(random.randrange(5, 50)):
        tool, raw = pick(random, pool) if random.random() < 0.92 else _pair(random)
        name = f"c{number}"
        approve = random.random() < approves
        events.append(
            {"kind": "call", "id": name, "tool": tool, "arguments": raw, "approve": approve}
        )
        open_calls.append(name)
        if random.random() < 0.15:
            continue
        random.shuffle(open_calls)
        while open_calls and random.random() < 0.97:
            events.append(_result(random, open_calls.pop(), patience))
        if random.random() < 0.05:
            open_calls.clear()
        _between(random, events)
    events.extend(_result(random, name, patience) for name in open_calls)
    return events


def with_sites(events: list[TraceEvent]) -> list[tuple[TraceEvent, Site]]:
    """The events of a made-up session with places, as a log's would have."""
    placed, lifecycle = [], 0
    for line, event in enumerate(events, start=2):
        lifecycle += event["kind"] == "begin"
        ordinal = int(event["id"][1:]) if "id" in event else None
        placed.append((event, Site(line, lifecycle, ordinal, event.get("tool"))))
    return placed


def _pair(random: Random) -> tuple[str, str]:
    tool = pick(random, TOOLS)
    return tool, arguments(random, tool)


def _result(random: Random, name: str, patience: float) -> TraceEvent:
    plain = {"text": "ok", "isError": False}
    return {
        "kind": "result",
        "id": name,
        **(result(random) if random.random() > patience else plain),
    }


def _between(random: Random, events: list[TraceEvent]) -> None:
    chance = random.random()
    if chance < 0.03:
        events.append({"kind": "human", "text": "go on"})
    elif chance < 0.06:
        events.append({"kind": "notice"})
    elif chance < 0.07:
        events.append({"kind": "begin"})
