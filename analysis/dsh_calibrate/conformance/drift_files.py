"""Vector files written from what a live plugin did (``conformance plugin --save``).

They are of the kinds that ``conformance vectors`` runs, and name the profile they want, so
that a new version of repeat-tool-breaker becomes a profile (data) with its tests beside it.
They hold what the sessions hold: calls, arguments and results, in full.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dsh_calibrate.conformance.plugin_package import PluginPackage
from dsh_calibrate.conformance.plugin_texts import Answer
from dsh_calibrate.conformance.plugin_traces import TraceEvent
from dsh_calibrate.errors import UsageError
from dsh_calibrate.whole_files import write_whole

MOST = 1000
"""Vectors of each file, at most; the first ones are kept."""

_Line = dict[str, Any]


class DriftFiles:
    """Collects vectors trace by trace; :meth:`write` puts them into a folder.

    Calls and results are kept where the plugin's own modules told what they make of them,
    whole sessions where the plugin spoke or stopped something.
    """

    def __init__(self, package: PluginPackage) -> None:
        if package.guard != "rtb":
            raise UsageError(
                f"--save: vectors are kept of repeat-tool-breaker only, not of {package.name}"
            )
        self._profile = package.profile if package.known else package.version
        self._source = f"{package.name} {package.version}"
        self._config: dict[str, Any] = {}
        self._sessions: list[_Line] = []
        self._calls: dict[str, _Line] = {}
        self._failures: dict[str, _Line] = {}
        self._begin()

    def _begin(self) -> None:
        self._agent = 0
        self._events: list[_Line] = []
        self._told: dict[tuple[int, str], _Line] = {}
        self._tools: dict[str, tuple[str, str]] = {}
        self._spoke = False

    def session(self, config: dict[str, Any]) -> None:
        """A new trace begins, under a row of settings; the one before it is done."""
        self._finish()
        self._config = config
        self._begin()

    def told(self, event: TraceEvent, answer: Answer | None) -> None:
        """Take an event and what the plugin did at it."""
        kind = event["kind"]
        if kind == "begin":
            self._agent += 1
            self._tools.clear()
            return
        if event.get("quiet") and self._ran(event["id"]):
            return
        self._events.append({"agent": str(self._agent), **event})
        if answer is None:
            return
        if kind == "call":
            self._call(event, answer)
        elif kind == "result":
            self._result(event, answer)

    def _ran(self, call: str) -> bool:
        told = self._told.get((self._agent, call))
        return told is None or told["verdict"] in ("allow", "ask-approved")

    def _call(self, event: TraceEvent, answer: Answer) -> None:
        told = {"id": event["id"], "verdict": answer.get("verdict"), "advisories": []}
        if answer.get("kind"):
            told["kind"] = answer["kind"]
        self._told[self._agent, event["id"]] = told
        self._spoke = self._spoke or told["verdict"] != "allow"
        self._tools[event["id"]] = event["tool"], event["arguments"]
        if "fingerprints" in answer and "local" in answer:
            given = {"tool": event["tool"], "arguments": event["arguments"]}
            expect = {"fingerprints": answer["fingerprints"], "local": answer["local"]}
            self._add(self._calls, self._given(given), expect)

    def _result(self, event: TraceEvent, answer: Answer) -> None:
        told = self._told.get((self._agent, event["id"]))
        if told is None:
            return
        told["advisories"] = [_summary(one) for one in answer.get("advisories") or ()]
        self._spoke = self._spoke or bool(told["advisories"])
        if "failure" in answer and event["id"] in self._tools:
            tool, arguments = self._tools[event["id"]]
            given = {k: v for k, v in event.items() if k not in ("kind", "id")}
            given |= {"tool": tool, "command": _command(arguments), "profile": self._profile}
            self._add(self._failures, given, answer["failure"])

    def _given(self, more: _Line) -> _Line:
        return {**more, "config": self._config, "profile": self._profile}

    def _add(self, kept: dict[str, _Line], given: _Line, expect: object) -> None:
        if len(kept) < MOST:
            kept.setdefault(json.dumps(given, sort_keys=True), {"in": given, "expect": expect})

    def _finish(self) -> None:
        if self._spoke and len(self._sessions) < MOST:
            given = {"note": self._source, "operator": "decline", "events": self._events}
            self._sessions.append({"in": self._given(given), "expect": list(self._told.values())})

    def write(self, folder: Path) -> dict[str, int]:
        """Write the files into ``folder`` and return how many vectors each holds.

        Raises :class:`UsageError` when it cannot be written.
        """
        self._finish()
        self._begin()
        files: dict[str, Iterable[_Line]] = {
            "guard-replays.jsonl": self._sessions,
            "tool-calls.jsonl": self._calls.values(),
            "failures.jsonl": self._failures.values(),
        }
        counts = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name, lines in files.items():
                text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
                if text:
                    write_whole(folder / name, text.encode("ascii"))
                    counts[name] = text.count("\n")
        except OSError as error:
            raise UsageError(f"--save {folder}: {error.strerror or error}") from error
        return counts


def _summary(advice: Answer) -> str:
    if "fingerprint" not in advice:
        return str(advice.get("summary"))
    sign = " failed x" if advice.get("stage") == "failure" else " × "
    return f"{advice['fingerprint']}{sign}{advice['count']}"


def _command(arguments: str) -> str:
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    command = value.get("command") if isinstance(value, dict) else None
    return command if isinstance(command, str) else ""
