"""Section D of cases.md, case by case: made-up logs, replayed as `replay` would.

Here every case is a whole log on disk and its outcome; the corners of the reader itself are
in tests/logs. A case that is missing from the table fails a test.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_calibrate.corpora.damage import Damage, damaged_log
from dsh_calibrate.corpora.lines import LineOptions, batches
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import encode, frame, write_session
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningConfig
from dsh_calibrate.logs import events
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.summary import summarise
from dsh_calibrate.studies.log_profile import LogProfile, Measuring, profile_log
from replay.replaying import of, plan, replayed, told

VERSIONS = (0, 1, 2, 3, 4)
CASES: dict[str, Callable[[Path], None]] = {}


def case(number: int) -> Callable[[Callable[[Path], None]], Callable[[Path], None]]:
    def add(check: Callable[[Path], None]) -> Callable[[Path], None]:
        CASES[f"C{number}"] = check
        return check

    return add


@pytest.mark.parametrize("name", [f"C{n}" for n in range(60, 79)])
def test_case(name: str, tmp_path: Path) -> None:
    CASES[name](tmp_path)


def looping(count: int = 12, name: str = "s") -> Session:
    """The same call over and over, a frame of its own each: from the twelfth on it is stopped."""
    session = Session(name).human()
    for _ in range(count):
        session.call("bash", {"command": "ls a"}, after=500).result("ok")
    return session


def stored(path: Path, data: bytes, how: Plan | None = None) -> LogOutcome:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    (log,) = discover([path]).logs
    return replay_log(log, how or plan())


def damaged(
    path: Path, session: Session, *damages: Damage, version: int = 4, how: Plan | None = None
) -> LogOutcome:
    encoding = "zstd" if path.suffix == ".zstd" else "plain"
    groups = batches(session, version, LineOptions())
    return stored(path, damaged_log(groups, encoding, damages), how)


def profiled(path: Path) -> LogProfile:
    (log,) = discover([path]).logs
    return profile_log(Measuring(plan().rtb, ReasoningConfig()), log)


def gates(outcome: LogOutcome) -> int:
    return sum(d.verdict in ("ask", "deny") for d in of(outcome, "rtb"))


@case(60)
def every_frame_comes_out(tmp_path: Path) -> None:
    data = encode(looping(), 4, "zstd")
    lines = encode(looping(), 4).splitlines(keepends=True)
    three = b"".join(map(frame, [lines[0], b"".join(lines[1:20]), b"".join(lines[20:])]))
    for name, text in (("batches", data), ("three", three)):
        outcome = stored(tmp_path / name / "session.v4.jsonl.zstd", text)
        assert (outcome.coverage.status, outcome.coverage.lines) == ("read", len(lines))
        assert (outcome.totals["calls"], gates(outcome)) == (12, 1)


@case(61)
def magic_bytes_are_no_frame_ends(tmp_path: Path) -> None:
    skipping = damaged(tmp_path / "a.jsonl.zstd", looping(), Damage("skippable-frame", frame=3))
    text = encode(looping(), 4)
    middle = len(text) // 2
    split = stored(tmp_path / "b.jsonl.zstd", frame(text[:middle]) + frame(text[middle:]))
    for outcome in (skipping, split):
        assert outcome.coverage.status == "read"
        assert gates(outcome) == 1


@case(62)
def a_torn_end_is_normal_and_told(tmp_path: Path) -> None:
    torn = damaged(tmp_path / "a.jsonl.zstd", looping(), Damage("torn", bytes=9))
    cut = encode(looping(), 4) + b'{"type":"tool/call","seq":91,"da'
    for outcome in (torn, stored(tmp_path / "b.jsonl", cut)):
        assert (outcome.coverage.status, outcome.coverage.torn_tail) == ("read", True)
        assert gates(outcome) == 1
    assert not stored(tmp_path / "c.jsonl", encode(looping(), 4)).coverage.torn_tail


@case(63)
def a_damaged_frame_ends_the_measuring(tmp_path: Path) -> None:
    hole = Damage("checksum", frame=8)
    outcome = damaged(tmp_path / "a.jsonl.zstd", looping(20), hole)
    assert outcome.coverage.status == "damaged"
    assert outcome.coverage.where == "frame 8"
    before = outcome.totals["calls"]
    assert isinstance(before, int)
    assert 0 < before < 12
    summary = summarise([outcome], ("rtb",))
    assert (summary.totals["logs"], summary.damaged_totals["logs"]) == (0, 1)
    assert summary.guards["rtb"].logs == 0
    salvaged = damaged(tmp_path / "b.jsonl.zstd", looping(20), hole, how=plan(salvage=True))
    assert salvaged.totals["calls"] > before
    # Behind the hole the window is empty again, so twelve calls there make the next stop.
    behind = int(salvaged.totals["calls"]) - before  # type: ignore[call-overload]
    assert gates(salvaged) == behind - 11 > 0


@case(64)
def nul_bytes_are_stripped_and_counted(tmp_path: Path) -> None:
    for kind in ("nul", "nul-line"):
        hit = Damage(kind, line=9, bytes=300)
        outcome = damaged(tmp_path / f"{kind}.jsonl", looping(), hit)
        assert (outcome.coverage.status, outcome.coverage.repaired) == ("read", 1)
        assert gates(outcome) == 1


@case(65)
def a_fused_line_is_damage_with_its_place(tmp_path: Path) -> None:
    session = looping()
    outcome = damaged(tmp_path / "a.jsonl", session, Damage("fused", line=12))
    assert outcome.coverage.status == "damaged"
    assert (outcome.coverage.where or "").startswith("line 12, byte ")
    torn = encode(Session("s").human("长").call("read", {}).result("x"), 4)
    at = torn.index("长".encode())
    broken = torn[: at + 1] + torn[at + 2 :]
    assert stored(tmp_path / "b.jsonl", broken).coverage.status == "damaged"


@case(66)
def bom_and_crlf_are_accepted(tmp_path: Path) -> None:
    session = looping(12).call("bash", {"command": "ls \ufeffa"}).result("ok")
    whole = stored(tmp_path / "whole.jsonl", encode(session, 0))
    for kinds in (["bom"], ["crlf"], ["bom", "crlf"]):
        hits = [Damage(kind) for kind in kinds]
        outcome = damaged(tmp_path / f"{'-'.join(kinds)}.jsonl", session, *hits, version=0)
        assert outcome.coverage.status == "read"
        assert outcome.coverage.repaired > 0
        assert outcome.totals == whole.totals
        assert told(outcome) == told(whole)


@case(67)
def nothing_to_analyse_is_not_no_fires(tmp_path: Path) -> None:
    header = b'{"type":"session","version":0,"id":"%s","createdAt":1,"delegationDepth":0}\n'
    folder = tmp_path / "s1"
    folder.mkdir()
    (folder / "session.jsonl").write_bytes(b"")
    (tmp_path / "header.jsonl").write_bytes(header % b"h")
    unknown = header % b"u" + b'{"type":"reasoning-chunks","data":{"rows":[1]}}\n' * 2200
    (tmp_path / "unknown.jsonl").write_bytes(unknown)
    write_session(tmp_path, looping(3))
    outcomes = replay_corpus(discover([tmp_path]).logs, plan())
    states = sorted(o.coverage.status for o in outcomes)
    assert states == ["empty", "no_calls", "not_understood", "read"]
    summary = summarise(outcomes, plan().guards)
    assert [summary.guards[g].logs for g in ("rtb", "tfb", "rtr", "rlg")] == [1, 1, 1, 0]


@case(68)
def generations_count_once(tmp_path: Path) -> None:
    long, short = looping(67), looping(6)
    for session, version in ((long, 0), (short, 3)):
        write_session(tmp_path, session, version, "zstd")
    folder = next(tmp_path.rglob("session.v3.jsonl.zstd")).parent
    odd = ("session.v04.jsonl.zstd", "session.V4.jsonl.zstd", "session.tmp", "session.v0.jsonl")
    for name in odd:
        (folder / name).write_bytes(encode(looping(99), 4, "zstd"))
    found = discover([tmp_path])
    (outcome,) = replay_corpus(found.logs, plan())
    assert (outcome.totals["calls"], len(found.superseded), len(found.warnings)) == (67, 1, 1)
    assert sorted(Path(name).name for name in found.ignored) == sorted(odd)
    (insisted,) = replay_corpus(discover([tmp_path], generation="highest").logs, plan())
    assert insisted.totals["calls"] == 6


@case(69)
def inherited_history_counts_for_nothing(tmp_path: Path) -> None:
    child = looping(11, "p").fork("c")
    for _ in range(5):
        child.call("bash", {"command": "ls a"}).result("ok")
    for version in VERSIONS:
        outcome = replayed(tmp_path / str(version), child, version=version)
        assert (outcome.totals["calls"], told(outcome)) == (5, []), version
        assert outcome.coverage.inherited_lines > 20
    head, _, rest = encode(child, 0).partition(b"\n")
    orphan = {k: v for k, v in json.loads(head).items() if k != "parentSession"}
    assert "seedLength" in orphan
    outcome = stored(tmp_path / "orphan.jsonl", json.dumps(orphan).encode() + b"\n" + rest)
    assert outcome.totals["calls"] == 5


@case(70)
def packed_rows_are_as_many_events_as_pieces(tmp_path: Path) -> None:
    session = Session("s").human().reasoning(("Let me", " write", "."))
    session.call("bash", {"command": "ls"}).result("ok")
    options = LineOptions(tool_call_chunks=True)
    path = tmp_path / "a.jsonl"
    data = encode(session, 0, "plain", options)
    assert b'"reasoning-chunks"' in data
    path.write_bytes(data)
    (pieces,) = [e for e in read_log(path) if isinstance(e, events.StreamPieces)]
    assert (pieces.texts, pieces.seq_stride) == (("Let me", " write", "."), 1)
    texts = encode(session, 0, "plain", options).replace(b'"args":[', b'"texts":[')
    assert stored(tmp_path / "texts.jsonl", texts).coverage.status == "read"
    wrong = data.replace(b'"texts":["Let me",', b'"texts":["x","Let me",')
    assert wrong != data
    assert stored(tmp_path / "b.jsonl", wrong).coverage.status == "damaged"


@case(71)
def attempts_are_read_like_messages(tmp_path: Path) -> None:
    thought = "Wait, let me see. " * 100
    for version in VERSIONS:
        session = Session("s").human().reasoning(thought, outcome="attempt", finish="aborted")
        session.end_turn("aborted", abort="user")
        outcome = replayed(tmp_path / str(version), session, version=version)
        assert outcome.totals["reasoning_utf16"] == len(thought)
        (fire,) = of(outcome, "rlg")
        assert (fire.verdict, fire.exact) == ("fire", True)
    whole = Session("s").human().reasoning(thought, granular=False, answer="x")
    (fire,) = of(replayed(tmp_path / "whole", whole), "rlg")
    assert not fire.exact


@case(72)
def reasoning_stored_three_times_is_fed_once(tmp_path: Path) -> None:
    words = [
        "amber",
        "basalt",
        "cedar",
        "delta",
        "ember",
        "fjord",
        "garnet",
        "harbor",
        "indigo",
        "jasper",
    ]
    lines = [
        " ".join(f"{words[(i * 3 + k) % 10]}{i}{k}" for k in range(19))[:149] for i in range(6)
    ]
    thought = "\n".join(lines)
    for version in (0, 4):
        session = Session("s").human().reasoning(thought, answer="Done.")
        text = encode(session, version).decode()
        assert text.count(json.dumps(lines[3])[1:-1]) >= 2  # block end and message
        outcome = replayed(tmp_path / str(version), session, version=version)
        assert outcome.totals["reasoning_utf16"] == len(thought)
        assert of(outcome, "rlg") == []
    fed_thrice = Session("s").human().reasoning(f"{thought}\n" * 3, answer="Done.")
    (fire,) = of(replayed(tmp_path / "thrice", fed_thrice), "rlg")
    assert fire.stage == "line-repeat"


@case(73)
def unknown_types_are_counted(tmp_path: Path) -> None:
    session = looping(6).raw("acme/fallback-switch").raw("acme/quiet", ignorable=True)
    for _ in range(6):
        session.call("bash", {"command": "ls a"}).result("ok")
    for version in VERSIONS:
        outcome = replayed(tmp_path / str(version), session, version=version)
        assert outcome.coverage.status == "read"
        assert outcome.coverage.skipped_types == {"acme/fallback-switch": 1, "acme/quiet": 1}
        (warning,) = outcome.coverage.warnings
        assert "acme/fallback-switch" in warning
        assert gates(outcome) == 1
    newer = encode(looping(), 4).replace(b'"version":4', b'"version":9', 1)
    outcome = stored(tmp_path / "newer.jsonl", newer)
    assert (outcome.coverage.status, gates(outcome)) == ("read", 1)
    assert "version 9" in outcome.coverage.warnings[0]


@case(74)
def invented_results_are_no_failures(tmp_path: Path) -> None:
    codes = {
        "TOOL_OUTCOME_UNKNOWN": ("ToolOutcomeUnknownError", 8),
        "ABORTED_BEFORE_DISPATCH": ("AbortError", 0),
    }
    for code, (name, occurrences) in codes.items():
        session = Session("s").human()
        for _ in range(8):
            session.call("bash", {"command": "make"})
            session.result("Error: tool call aborted before dispatch", name=name, code=code)
        path = write_session(tmp_path / code, session)
        found = profiled(path)
        assert (found.failures, found.peaks.streaks) == (0, {})
        assert found.peaks.occurrences.get("exact", 0) == occurrences
        assert told(replayed(tmp_path / code, session), "tfb") == []
    skipped = Session("s").human().call("bash", {"command": "make"}).result("[exit code: 1]")
    skipped.result("", call_id="gone", name="E", code="TOOL_NOT_STARTED")
    skipped.call("bash", {"command": "make"}).crash()
    found = profiled(write_session(tmp_path / "skipped", skipped))
    assert (found.peaks.occurrences["exact"], found.peaks.streaks["exact"]) == (2, 1)


@case(75)
def call_ids_that_start_again_pair_within_their_step(tmp_path: Path) -> None:
    session = Session("s")
    for command, result in (("make", "[exit code: 2]"), ("ls", "ok"), ("make", "[exit code: 2]")):
        session.steer("next") if session.turn else session.human()
        session.step().call("bash", {"command": command}, call_id="ollama_0").result(result)
    for version in VERSIONS:
        path = tmp_path / f"{version}.jsonl"
        # Without the people's messages, which would empty the streaks.
        lines = encode(session, version, "plain", LineOptions(stripped=True)).splitlines(True)
        path.write_bytes(b"".join(line for line in lines if b'"kind":"user"' not in line))
        found = profiled(path)
        assert (found.results, found.failures) == (3, 2), version
        assert found.peaks.streaks["exact"] == 2
        assert found.peaks.streaks["cmd"] == 2


@case(76)
def older_result_shapes_say_the_same(tmp_path: Path) -> None:
    session = Session("s").human().call("bash", {"command": "make"}).result("[exit code: 2]")
    session.call("read", {"file_path": "/a"}).result("Error: no such file", error=True)
    for early in (True, False):
        options = LineOptions(early=early)
        path = write_session(tmp_path / str(early), session, 0, "plain", options)
        shape = b'"callId":"call_1","content":' in path.read_bytes()
        assert shape is early
        assert b'"error":{' not in path.read_bytes()
        outcome = replay_log(discover([path]).logs[0], plan())
        failures = outcome.guards["rtb"].figures["failures"]
        assert isinstance(failures, dict)
        assert failures["calls"] == 2
        found = profiled(path)
        assert (found.failures, found.errors) == (2, 1)


@case(77)
def a_long_log_takes_little_memory(tmp_path: Path) -> None:
    """The 40 MB line and the line beyond every limit are in tests/logs/test_log_lines.py."""
    session = Session("s").human()
    for k in range(200):
        session.call("bash", {"command": f"cat {k}"}, after=500).result("long line\n" * 20_000)
    path = write_session(tmp_path, session, 4, "zstd")
    del session
    (log,) = discover([path]).logs
    tracemalloc.start()
    outcome = replay_log(log, plan())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (outcome.coverage.status, outcome.totals["results"]) == ("read", 200)
    assert peak < 24 << 20  # 40 MB of text; the same for any length


@case(78)
def a_live_file_is_read_once_and_left_alone(tmp_path: Path) -> None:
    path = write_session(tmp_path, looping(), 4, "zstd")
    size = path.stat().st_size
    reading = read_log(path)
    seen = []
    for event in reading:
        if not seen:
            with path.open("ab") as file:
                file.write(frame(b'{"type":"tool/call","seq":0,"data":{}}\n') + b"\x28\xb5\x2f")
        seen.append(event)
    assert (reading.coverage.status, reading.coverage.torn_tail) == ("read", False)
    assert sum(isinstance(e, events.Call) for e in seen) == 12
    path.write_bytes(path.read_bytes()[: size - 5])
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")}
    (outcome,) = replay_corpus(discover([tmp_path]).logs, plan())
    assert (outcome.coverage.status, outcome.coverage.torn_tail) == ("read", True)
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*")} == before
