"""How much work a replay does, counted: what must not grow unnoticed (issue 10, point 8).

Seconds depend on the machine; how often a frame is walked, a line is decoded by itself, a
command is split or a window is judged does not. Each bound is what the design promises for
a healthy log, so a change that loses a shortcut fails here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from session_log_builder import LogText, frames

from dsh_calibrate.guards.circuit_breaker import config as tfb
from dsh_calibrate.guards.reasoning_loop import blocks, detector, kgram, lines, periodic
from dsh_calibrate.guards.reasoning_loop import config as rlg
from dsh_calibrate.guards.repeat_reminder import config as rtr
from dsh_calibrate.guards.repeat_tool_breaker import config as rtb
from dsh_calibrate.guards.repeat_tool_breaker import memo, tokens
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES
from dsh_calibrate.logs import bulk
from dsh_calibrate.logs.discovery import Log, discover
from dsh_calibrate.logs.frames import ZstdSource
from dsh_calibrate.logs.reading import LogReading
from dsh_calibrate.replay.log import replay_log
from dsh_calibrate.replay.plan import Plan

PLAN = Plan(
    rtb=rtb.configure({}, PROFILES[DEFAULT]),
    tfb=tfb.configure({}),
    rtr=rtr.configure({}),
    rlg=rlg.configure({}),
)
WATCHED: tuple[tuple[Any, str], ...] = (
    (ZstdSource, "_measure"),
    (ZstdSource, "_frame"),
    (LogReading, "_take"),
    (bulk, "decode"),
    (memo, "fingerprint"),
    (tokens, "tokens"),
    (detector.Detector, "_judge_point"),
    (periodic, "measure"),
    (blocks, "measure"),
    (lines, "measure"),
    (kgram, "measure"),
)
CALLS, DISTINCT, STEPS, PIECES = 600, 20, 100, 200


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count the calls of everything in ``WATCHED``."""
    seen: Counter[str] = Counter()

    def watch(patch: pytest.MonkeyPatch, owner: Any, name: str) -> None:
        original = getattr(owner, name)

        def counting(*a: Any, **k: Any) -> Any:
            seen[f"{owner.__name__.rsplit('.', 1)[-1]}.{name}"] += 1
            return original(*a, **k)

        patch.setattr(owner, name, counting)

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in WATCHED:
            watch(patch, owner, name)
        yield seen


def healthy(version: int = 1) -> LogText:
    """Many calls of few commands, and streams of prose that never repeats itself."""
    log = LogText(version)
    word = 0
    for step in range(1, STEPS + 1):
        log.step(1, step)
        texts = []
        for _ in range(PIECES):
            texts.append(f" {word * 2654435761 % 2**32:x} {word * 40503 % 65521:o}")
            word += 1
        log.row(texts, step=step)
        for part in range(CALLS // STEPS):
            call = f"c{step}-{part}"
            command = f'{{"command":"make part{(step + part) % DISTINCT} && echo done"}}'
            log.call(call, "bash", command, step=step)
            log.result(call, "built", step=step)
        log.message({"type": "text", "text": "next"})
        log.user()
    return log


def stored(folder: Path, log: LogText, batch: int) -> Log:
    path = folder / "session.jsonl.zstd"
    path.write_bytes(b"".join(frames(log.lines, batch)))
    (found,) = discover([path]).logs
    return found


def test_a_healthy_log_costs_no_more_than_promised(tmp_path: Path) -> None:
    log = healthy()
    where = stored(tmp_path, log, batch=2)
    with counted() as seen:
        outcome = replay_log(where, PLAN)
    assert outcome.totals["calls"] == CALLS
    assert outcome.coverage.lines == len(log.lines)
    size = where.size
    text = len(log.text())
    assert seen["ZstdSource._frame"] == 0  # tiny frames are unpacked in batches
    assert seen["ZstdSource._measure"] <= 2 + size // 50_000  # one for each buffer of the file
    assert seen["LogReading._take"] == 1  # the header; all other lines come in blocks
    assert seen["bulk.decode"] <= 4 + text // 60_000
    assert seen["memo.fingerprint"] == DISTINCT
    assert seen["tokens.tokens"] <= 3 * DISTINCT  # the whole, and its two parts
    config = PLAN.rlg
    assert config is not None
    text_per_stream = outcome.totals["reasoning_utf16"] // STEPS  # type: ignore[operator]
    most = 2 + (text_per_stream - config.min_chars) // config.every
    assert 5 * STEPS < seen["Detector._judge_point"] <= STEPS * most
    for rule in ("periodic", "blocks", "lines", "kgram"):
        assert seen[f"{rule}.measure"] == 0, rule  # the cheap tests rule them all out


def test_without_the_reasoning_guard_nothing_is_judged(tmp_path: Path) -> None:
    where = stored(tmp_path, healthy(), batch=5)
    plan = Plan(rtb=PLAN.rtb)
    with counted() as seen:
        outcome = replay_log(where, plan)
    assert outcome.totals["calls"] == CALLS
    assert seen["Detector._judge_point"] == 0
    assert seen["LogReading._take"] == 1


def test_one_odd_line_costs_one_line(tmp_path: Path) -> None:
    log = healthy()
    log.lines[40:40] = [b'{"type":"some-plugin/line","seq":0}']
    plain = [b'{"type":"some-plugin/line"}' if b"some-plugin" in one else one for one in log.lines]
    path = tmp_path / "session.jsonl"
    path.write_bytes(b"".join(one + b"\n" for one in plain))
    (where,) = discover([path]).logs
    with counted() as seen:
        outcome = replay_log(where, Plan(rtb=PLAN.rtb))
    assert outcome.coverage.skipped_lines == 1
    assert seen["LogReading._take"] == 2  # the header and the odd one


def test_a_looping_stream_is_judged_until_it_fires_and_no_longer(tmp_path: Path) -> None:
    log = LogText(1)
    log.step()
    for _ in range(200):
        log.row(["the same words once more. "] * 8)
    path = log.write(tmp_path / "session.jsonl")
    (where,) = discover([path]).logs
    with counted() as seen:
        outcome = replay_log(where, Plan(rlg=PLAN.rlg))
    assert len(outcome.guards["rlg"].decisions) == 1
    assert seen["Detector._judge_point"] == 1
    assert seen["periodic.measure"] == 1
