"""Which kinds of work one log holds, in plain counts; :mod:`.blind_spots` judges them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from dsh_calibrate.javascript import utf16
from dsh_calibrate.logs import events
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.pool import map_logs

_BUILD = re.compile(
    r"(?:^|[\s;&|(\"'/])(?:make|cmake|ninja|cargo|go|npm|pnpm|yarn|npx|node|tsc|pytest|python3?|"
    r"tox|gradle|mvn|dotnet|gcc|clang|javac|jest|vitest|ruff|mypy|eslint)(?=[\s\"';&|)]|$)"
)
_INSTALL = re.compile(
    r"\b(?:apt|apt-get|dnf|apk|brew|pip3?|uv|npm|pnpm|yarn|cargo|gem|go)\s+(?:\S+\s+)?"
    r"(?:install|add|get|i)\b"
)
_URL = re.compile(r"https?://([^\s/\"'\\<>|;)?#]{1,255})([^\s\"'\\<>|;)]{0,2000})", re.IGNORECASE)
_LOCAL = re.compile(r"(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|0\.0\.0\.0|\[::1\])(?::\d+)?\Z")
_EXIT = re.compile(r"\[exit code: [1-9]")
_DIGITS = re.compile(r"\d+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_CODE = re.compile(r"[ \t]*(?:```|(?:def|class|import|return|func|fn)\b)")
_LIST = re.compile(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]")
_EDITORS = frozenset({"edit", "write", "multi_edit", "apply_patch", "str_replace", "fs_edit"})

_MOST_LINE = 2_000
"""UTF-16 units of a line of reasoning that are looked at."""


class Seen(msgspec.Struct):
    """Counts of one log; those within a turn are of its richest turn."""

    calls: int = 0
    sub_calls: int = 0
    humans: int = 0
    build_calls: int = 0
    install_calls: int = 0
    edit_calls: int = 0
    local_urls: int = 0
    failures: int = 0
    batch: int = 0
    pages: int = 0
    polls: int = 0
    urls_of_a_host: int = 0
    turn_calls: int = 0
    code_lines: int = 0
    list_lines: int = 0
    cjk: int = 0
    longest_stream: int = 0


def seen_in(logs: Sequence[Log], *, jobs: Jobs = None) -> dict[str, Seen]:
    """Look at every log once; by key."""
    return {log.key: seen for log, seen in zip(logs, map_logs(see, logs, jobs=jobs), strict=True)}


def see(log: Log) -> Seen:
    """Look at one log, up to any damage."""
    follower = _Follower()
    for event in read_log(log):
        follower.on(event)
    follower.end_turn()
    return follower.seen


class _Follower:
    def __init__(self) -> None:
        self.seen = Seen()
        self._calls: dict[int, tuple[str, str]] = {}
        self._steps: Counter[tuple[int | None, int | None]] = Counter()
        self._results: dict[tuple[str, str], list[int]] = {}
        self._urls: dict[str, set[str]] = {}
        self._shapes: dict[str, set[str]] = {}
        self._turn_calls = 0
        self._line = ""
        self._length = 0

    def on(self, event: events.Event) -> None:
        match event:
            case events.StreamPieces():
                self._pieces(event)
            case events.Call():
                self._call(event)
            case events.Result():
                self._result(event)
            case events.StreamClose():
                self._close()
            case events.Human():
                self.seen.humans += 1
                self.end_turn()
            case events.LifecycleStart():
                self.end_turn()
                self._calls.clear()
                self._steps.clear()
            case _:
                pass

    def end_turn(self) -> None:
        """Keep the figures of the turn where they are higher, and begin anew."""
        seen = self.seen
        polls = [r for r in self._results.values() if len(set(r)) > 1]
        seen.polls = max([seen.polls, *map(len, polls)])
        seen.pages = max([seen.pages, *map(len, self._shapes.values())])
        seen.urls_of_a_host = max([seen.urls_of_a_host, *map(len, self._urls.values())])
        seen.turn_calls = max(seen.turn_calls, self._turn_calls)
        self._results.clear()
        self._shapes.clear()
        self._urls.clear()
        self._turn_calls = 0

    def _call(self, call: events.Call) -> None:
        if not call.dispatched:
            return
        seen, text = self.seen, call.arguments
        seen.calls += 1
        self._turn_calls += 1
        self._calls[call.index] = (call.tool, text)
        if call.sub:
            seen.sub_calls += 1
        else:
            step = (call.turn, call.step)
            self._steps[step] += 1
            seen.batch = max(seen.batch, self._steps[step])
        seen.edit_calls += call.tool in _EDITORS
        seen.build_calls += _BUILD.search(text) is not None
        seen.install_calls += _INSTALL.search(text) is not None
        local = False
        for host, rest in _URL.findall(text):
            if _LOCAL.match(host):
                local = True
                continue
            url = host + rest
            self._urls.setdefault(host.lower(), set()).add(url)
            self._shapes.setdefault(_DIGITS.sub("0", url), set()).add(url)
        seen.local_urls += local

    def _result(self, result: events.Result) -> None:
        if result.synthetic:
            return
        self.seen.failures += result.is_error or _EXIT.search(result.text) is not None
        call = self._calls.get(result.call) if result.call is not None else None
        if call is not None:
            self._results.setdefault(call, []).append(hash(result.text))

    def _pieces(self, pieces: events.StreamPieces) -> None:
        text = "".join(pieces.texts)
        self._length += utf16.length(text)
        if not text.isascii():
            self.seen.cjk += len(_CJK.findall(text))
        *whole, self._line = (self._line + text).split("\n")
        for line in whole:
            self._look(line)
        self._line = self._line[:_MOST_LINE]

    def _close(self) -> None:
        self._look(self._line)
        self.seen.longest_stream = max(self.seen.longest_stream, self._length)
        self._line, self._length = "", 0

    def _look(self, line: str) -> None:
        line = line[:_MOST_LINE]
        ends = line.rstrip()[-1:]
        self.seen.code_lines += ends in (";", "{", "}") or _CODE.match(line) is not None
        self.seen.list_lines += _LIST.match(line) is not None
