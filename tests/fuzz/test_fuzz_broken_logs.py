"""Sessions of every version, broken in every way: nothing raises, hangs, or is lost.

The machine writes a session, then damages the file step by step. After each step the log is
read and replayed again, beside a healthy session whose figures must not move.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from breaking import MAGIC, ODD_VALUES, Stored, skippable, value_at
from budget import examples
from event_streams import unrolled, until
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from session_strategies import OPTIONS, sessions
from time_limits import within
from typer.testing import CliRunner

from dsh_calibrate.corpora.event_lines import LineOptions
from dsh_calibrate.corpora.lines import batches
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import frame, write_session
from dsh_calibrate.guards.circuit_breaker import config as circuit
from dsh_calibrate.guards.reasoning_loop import config as reasoning
from dsh_calibrate.guards.repeat_reminder import config as reminder
from dsh_calibrate.guards.repeat_tool_breaker import config as breaker
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.logs.coverage import LogCoverage, merge
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.logs.events import Event
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate_cli.main import app

SECONDS = 30
"""Far more than any step takes on a slow machine, far less than a hang."""

COUNTED = [
    "lines",
    "calls",
    "results",
    "unpaired",
    "reason",
    "where",
    "gaps",
    "skipped_types",
    "has_reasoning",
]
"""What a coverage tells whether or not reasoning was read."""

PARTS = st.integers(0, 1 << 16)


def plan(*, salvage: bool, rlg: bool = True) -> Plan:
    """All guards, so strict that short sessions make them speak."""
    return Plan(
        rtb=breaker.configure({"limits": {"exact": 2, "cmd": 2}, "failLimit": 2}, PROFILES["0.8"]),
        tfb=circuit.configure({"maxFailures": 1}),
        rtr=reminder.configure({"thresholds": [2]}),
        rlg=reasoning.configure({"minChars": 0, "every": 16}) if rlg else None,
        salvage=salvage,
    )


PLANS = {
    (salvage, rlg): plan(salvage=salvage, rlg=rlg)
    for salvage in (False, True)
    for rlg in (True, False)
}


def read(path: Path, **options: bool) -> tuple[list[Event], LogCoverage]:
    reading = read_log(path, **options)
    return list(reading), reading.coverage


def same_events(one: list[Event], other: list[Event]) -> bool:
    return repr(one) == repr(other)  # a number that is no number equals nothing, even itself


def figures(outcome: LogOutcome) -> str:
    return repr(outcome)


class BrokenLogs(RuleBasedStateMachine):
    """One log that is broken more and more, one beside it that stays whole."""

    @initialize(
        session=sessions(),
        version=st.integers(0, 4),
        encoding=st.sampled_from(["plain", "zstd"]),
        options=OPTIONS,
        canonical=st.booleans(),
    )
    def write(
        self,
        session: Session,
        version: int,
        encoding: str,
        options: LineOptions,
        canonical: bool,
    ) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="fuzz-"))
        beside = Session("session-beside").human("Go")
        for _ in range(3):
            beside.call("bash", {"command": "make"}).result("[exit code: 2]")
        write_session(self.root, beside, 4, "zstd")
        (log,) = discover([self.root]).logs
        self.beside = {how: figures(one) for how, one in self.replay([log]).items()}
        groups = [b"".join(group) for group in batches(session, version, options)]
        if encoding == "plain":
            groups = [line + b"\n" for group in groups for line in group[:-1].split(b"\n")]
        self.stored = Stored(groups if encoding == "plain" else [*map(frame, groups)], encoding)
        name = (f"session.v{version}" if version else "session") if canonical else "log"
        ending = ".zstd" if encoding == "zstd" else ""
        self.path = self.root / "odd" / f"{name}.jsonl{ending}"
        self.path.parent.mkdir()
        self.path.write_bytes(self.stored.data)
        self.seeded = session.inherited is not None
        self.whole, self.coverage = read(self.path)
        self.shown: tuple[int, int] | None = None

    def teardown(self) -> None:
        if not hasattr(self, "root"):
            return
        with within(SECONDS):
            done = CliRunner().invoke(
                app, ["replay", str(self.root), "--format", "json", "--jobs", "1"]
            )
        assert done.exit_code == 0, done.output
        document = json.loads(done.stdout_bytes.decode("utf-8"))
        keys = [entry["log"] for entry in document["logs"]]
        assert len(keys) == len(set(keys)) == document["coverage"]["found"]
        shutil.rmtree(self.root)

    @staticmethod
    def replay(logs: list) -> dict[tuple[bool, bool], LogOutcome]:
        return {how: replay_corpus(logs, one, jobs=1)[0] for how, one in PLANS.items()}

    # -- breaking the file ---------------------------------------------------------------

    @rule(part=PARTS, bit=PARTS)
    def flip_a_bit(self, part: int, bit: int) -> None:
        parts = self.stored.parts
        part %= len(parts)
        if parts[part]:
            flipped = bytearray(parts[part])
            flipped[bit // 8 % len(flipped)] ^= 1 << bit % 8
            parts[part] = bytes(flipped)
            self.stored.touch(part)

    @rule(bytes_=st.integers(1, 40))
    def cut_the_end(self, bytes_: int) -> None:
        parts = self.stored.parts
        while bytes_ and parts:
            left = parts[-1][:-bytes_]
            bytes_ -= len(parts[-1]) - len(left)
            parts[-1:] = [left] if left else []
            self.stored.touch(len(parts) - bool(left))
        self.stored.parts = parts or [b""]

    @rule(one=PARTS, other=PARTS)
    def swap_two(self, one: int, other: int) -> None:
        parts = self.stored.parts
        one, other = sorted((one % len(parts), other % len(parts)))
        parts[one], parts[other] = parts[other], parts[one]
        self.stored.touch(one, harmless=one == other)

    @rule(part=PARTS)
    def repeat_one(self, part: int) -> None:
        parts = self.stored.parts
        part %= len(parts)
        parts.insert(part, parts[part])
        self.stored.touch(part + 1)

    @rule(part=PARTS)
    def lose_one(self, part: int) -> None:
        parts = self.stored.parts
        part %= len(parts)
        if len(parts) > 1:
            del parts[part]
            self.stored.touch(part)

    @precondition(lambda self: self.stored.encoding == "zstd" and self.stored.parts != [b""])
    @rule(part=PARTS, kind=st.integers(0, 15), content=st.sampled_from([b"", MAGIC, b"x" * 300]))
    def skippable_frame(self, part: int, kind: int, content: bytes) -> None:
        parts = self.stored.parts
        part = 1 + part % len(parts)
        parts.insert(part, skippable(content, kind))
        if part > self.stored.sound:
            self.stored.harmless = False  # what stands before it may be torn
        self.stored.touch(part, harmless=part <= self.stored.sound)

    @rule(part=PARTS, size=st.sampled_from([1, 9, 4096]))
    def nul_block(self, part: int, size: int) -> None:
        parts = self.stored.parts
        part %= len(parts) + 1
        parts.insert(part, b"\0" * size)
        self.stored.touch(part)

    # -- breaking the text ---------------------------------------------------------------

    @precondition(lambda self: self.stored.encoding == "zstd")
    @rule(part=PARTS)
    def magic_inside_raw_blocks(self, part: int) -> None:
        line = b'{"type":"odd/bytes","data":"' + MAGIC + b'"}\n'
        self.stored.edit(part % len(self.stored.parts), lambda text: text + line, raw=True)

    @precondition(lambda self: self.stored.encoding == "zstd" and self.stored.harmless)
    @rule(part=PARTS)
    def other_frames_of_the_same_text(self, part: int) -> None:
        stored = self.stored
        if stored.sound == len(stored.parts):
            part %= len(stored.parts)
            sound = stored.sound
            stored.edit(part, lambda text: text, raw=True)
            stored.harmless, stored.sound = True, sound

    @rule(part=PARTS, before=st.sampled_from([b"\xef\xbb\xbf", b"\0\0", b" ", b"\n", b"}", b"\r"]))
    def something_before_a_line(self, part: int, before: bytes) -> None:
        self.stored.edit(part % len(self.stored.parts), lambda text: before + text)

    @rule(part=PARTS)
    def crlf(self, part: int) -> None:
        self.stored.edit(part % len(self.stored.parts), lambda t: t.replace(b"\n", b"\r\n"))

    @rule(part=PARTS)
    def two_records_in_one_line(self, part: int) -> None:
        self.stored.edit(part % len(self.stored.parts), lambda t: t[:-1] + t)

    @rule(part=PARTS, at=PARTS)
    def one_record_over_two_lines(self, part: int, at: int) -> None:
        def broken(text: bytes) -> bytes:
            place = at % (len(text) + 1)
            return text[:place] + b"\n" + text[place:]

        self.stored.edit(part % len(self.stored.parts), broken)

    @rule(part=PARTS, at=PARTS, size=st.sampled_from([1, 5, 100]))
    def nuls_inside(self, part: int, at: int, size: int) -> None:
        def zeroed(text: bytes) -> bytes:
            place = at % (len(text) + 1)
            return text[:place] + b"\0" * size + text[place + size :]

        self.stored.edit(part % len(self.stored.parts), zeroed)

    @rule(part=PARTS, colon=PARTS, value=st.sampled_from(ODD_VALUES), twice=st.booleans())
    def odd_value(self, part: int, colon: int, value: bytes, twice: bool) -> None:
        """Another value behind some colon, or the same key twice."""

        def odd(text: bytes) -> bytes:
            colons = [i for i in range(len(text) - 1) if text[i : i + 1] == b":"]
            if not colons:
                return text
            place = colons[colon % len(colons)]
            start, end = value_at(text, place)
            key = text.rfind(b'"', 0, max(0, text.rfind(b'"', 0, place)))
            again = b"," + text[max(0, key) : place + 1] + text[start:end] if twice else b""
            return text[:start] + value + again + text[end:]

        self.stored.edit(part % len(self.stored.parts), odd)

    @rule(part=PARTS, size=st.sampled_from([70_000, 1_100_000]))
    def long_line(self, part: int, size: int) -> None:
        line = b'{"type":"odd/long","ignorable":true,"data":"' + b"x" * size + b'"}\n'
        self.stored.edit(part % len(self.stored.parts), lambda text: text + line)

    # -- what must hold ------------------------------------------------------------------

    @invariant()
    def nothing_raises_and_nothing_is_lost(self) -> None:
        if not hasattr(self, "stored"):
            return
        self.path.write_bytes(self.stored.data)
        with within(SECONDS):
            found = discover([self.root])
            keys = [log.key for log in found.logs]
            named = [*keys, *found.ignored, *found.superseded, *found.duplicates]
            assert sorted(named) == sorted({*named})
            odd = [log for log in found.logs if log.path == self.path]
            assert len(odd) + sum(key.startswith("odd/") for key in found.ignored) == 1
            (beside,) = [log for log in found.logs if log.path != self.path]
            assert {how: figures(o) for how, o in self.replay([beside]).items()} == self.beside
            self.reads_the_same_with_and_without_reasoning()
            self.sound_part_is_kept()
            for how, outcome in (self.replay(odd) if odd else {}).items():
                _, coverage = read(self.path, salvage=how[0])
                assert repr(outcome.coverage) == repr(coverage)
                account = merge([coverage]).as_json()
                states = ["read", "damaged", "empty", "no_calls", "not_understood", "unreadable"]
                assert account["found"] == sum(account[state] for state in states) == 1

    def reads_the_same_with_and_without_reasoning(self) -> None:
        for salvage in (False, True):
            _, full = read(self.path, salvage=salvage)
            _, tools = read(self.path, salvage=salvage, reasoning=False)
            assert full.status == tools.status
            assert (full.lines, full.calls, full.results) == (
                tools.lines,
                tools.calls,
                tools.results,
            )
            assert (full.reason, full.where, full.gaps) == (tools.reason, tools.where, tools.gaps)
            assert full.skipped_types == tools.skipped_types

    def sound_part_is_kept(self) -> None:
        stored = self.stored
        events, coverage = read(self.path)
        if stored.harmless:
            assert same_events(list(unrolled(events)), list(unrolled(self.whole)))
            assert coverage == self.coverage
            return
        if self.seeded:  # where the own part begins may only be told behind the damage
            return
        lines = stored.sound_lines
        kept = until(self.whole, lines)
        assert same_events(until(events, lines)[: len(kept)], kept)


TestBrokenLogs = BrokenLogs.TestCase
TestBrokenLogs.settings = settings(
    max_examples=examples(25),
    stateful_step_count=6,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
