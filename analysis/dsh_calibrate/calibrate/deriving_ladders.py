"""The settings that are tried when none are named: ladders from quiet to loud.

A ladder moves thresholds that belong together; a rung is one combination of them, quieter
ones first. What a ladder does not name stays as it is in force, and the thresholds in force
are always one of its rungs. docs/derive.md holds the same as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from dsh_calibrate.calibrate.candidates import CandidateSet, Rows, grid, in_force
from dsh_calibrate.calibrate.ranges import Axis, Key
from dsh_calibrate.calibrate.strictness import DisturbedBy

Rung: TypeAlias = Mapping[Any, object]
"""Path of the key (a tuple of names) → value."""

TIED_CAPS = ("exact", "cmd", "net", "sink")
"""Caps that move together; those that are off stay off."""

_FAIL_WARNS = (8, 7, 6, 5, 4, 3, 2)
_MAX_FAILURES = (8, 7, 6, 5, 4, 3, 2, 1)
_FIRST_REMINDERS = (10, 9, 8, 7, 6, 5, 4, 3, 2)
_MIN_UNITS = (16, 12, 10, 8, 6, 5, 4, 3)
_BLOCK_COUNTS = (12, 10, 8, 6, 5, 4, 3)
_LINES = ((12, 0.5), (8, 0.4), (6, 0.3), (5, 0.2), (4, 0.15), (3, 0.1), (2, 0.05))
_KGRAMS = (40, 32, 24, 20, 16, 12, 10, 8, 6)
_FILLER_RUNS = (1600, 1200, 800, 600, 400, 300, 200)


@dataclass(frozen=True, slots=True)
class Ladder:
    """``rungs`` from quiet to loud; ``at`` is the rung in force."""

    guard: str
    name: str
    rungs: tuple[Rung, ...]
    at: int


State = tuple[int, ...]
"""One rung of every ladder."""


def ladders(
    rows: Rows, profile: str, guards: Sequence[str], disturbed_by: DisturbedBy = "any"
) -> tuple[Ladder, ...]:
    """The ladders of the guards, around the settings in force (``rows``).

    With ``disturbed_by="gate"`` guards that only speak have none.
    """
    now = in_force(rows, profile)
    found: list[Ladder] = []
    if "rtb" in guards:
        found += [_repeats(now), _failures(now)]
    if "tfb" in guards:
        found.append(_simple("tfb", "failures", "maxFailures", _MAX_FAILURES, now.tfb.max_failures))
    if "rtr" in guards and disturbed_by == "any":
        found.append(_reminders(now))
    if "rlg" in guards and now.rlg.enabled:
        found += _reasoning(now)
    return tuple(found)


def at_state(all_ladders: Sequence[Ladder], state: State, rows: Rows, profile: str) -> CandidateSet:
    """The settings in which every ladder stands on its rung of ``state``.

    Only what differs from the settings in force is changed and named.
    """
    axes: list[Axis] = []
    for ladder, rung in zip(all_ladders, state, strict=True):
        before = ladder.rungs[ladder.at]
        for path, value in ladder.rungs[rung].items():
            if value == before[path]:
                continue
            key = Key(ladder.guard, path)
            last = axes[-1] if axes else None
            if last and path[0] == last.keys[0].path[0] == "limits" and last.values == (value,):
                axes[-1] = Axis((*last.keys, key), last.values)  # one name for tied caps
            else:
                axes.append(Axis((key,), (value,)))
    return grid(axes, rows, profile)[0] if axes else in_force(rows, profile)


def _ladder(guard: str, name: str, rungs: Sequence[Rung], now: Rung) -> Ladder:
    """Put the rung in force into its place: behind all that are not louder."""
    kept = [rung for rung in rungs if rung != now]
    before = sum(_standing(rung) >= _standing(now) for rung in kept)
    kept.insert(before, now)
    return Ladder(guard, name, tuple(kept), before)


def _standing(rung: Rung) -> tuple[float, ...]:
    """Thresholds in the order in which they rank a rung; off is highest."""
    values: list[Any] = [v[0] if isinstance(v, list) else v for v in rung.values()]
    return tuple(float("inf") if value is None else float(value) for value in values)


def _simple(guard: str, name: str, key: str, values: Sequence[float], now: object) -> Ladder:
    return _ladder(guard, name, [{(key,): value} for value in values], {(key,): now})


def _repeats(now: CandidateSet) -> Ladder:
    """``warnAt < summarizeAt < lowest cap ≤ window``, at the distances now in force."""
    config = now.rtb
    caps = {kind: config.limits.get(kind) for kind in TIED_CAPS}
    in_use = [cap for cap in caps.values() if cap is not None]
    warn, summarize = config.warn_at, config.summarize_at
    first_gap = summarize - warn if warn and summarize and summarize > warn else 4
    gated = min(in_use, default=12)
    second_gap = int(gated - summarize) if summarize and gated >= summarize + 1 else 1
    rungs: list[Rung] = []
    for start in range(config.window - 2, 1, -1):
        middle = min(start + first_gap, config.window - 1)
        cap = min(middle + second_gap, config.window)
        rungs.append(_repeat_rung(config.limits, caps, start, middle, cap, config.window))
    rung_now: dict[Any, object] = {("warnAt",): warn, ("summarizeAt",): summarize}
    rung_now |= {("limits", kind): cap for kind, cap in caps.items() if cap is not None}
    if config.limits.get("host") is not None:
        rung_now["limits", "host"] = config.limits["host"]
    return _ladder("rtb", "repeats", rungs, rung_now)


def _repeat_rung(
    limits: Mapping[str, float | None],
    caps: Mapping[str, float | None],
    start: int,
    middle: int,
    cap: int,
    window: int,
) -> Rung:
    rung: dict[tuple[str, ...], object] = {("warnAt",): start, ("summarizeAt",): middle}
    rung |= {("limits", kind): cap for kind, value in caps.items() if value is not None}
    host = limits.get("host")
    if host is not None:
        rung["limits", "host"] = host if host >= cap else window
    return rung


def _failures(now: CandidateSet) -> Ladder:
    """``failWarnAt < failLimit``, at the distance now in force."""
    warn, limit = now.rtb.fail_warn_at, now.rtb.fail_limit
    gap = limit - warn if warn and limit and limit > warn else 2
    rungs = [{("failWarnAt",): value, ("failLimit",): value + gap} for value in _FAIL_WARNS]
    return _ladder("rtb", "failures", rungs, {("failWarnAt",): warn, ("failLimit",): limit})


def _reminders(now: CandidateSet) -> Ladder:
    """All reminders moved together, at the distances now in force."""
    thresholds = now.rtr.thresholds
    rungs = [
        {("thresholds",): [value - thresholds[0] + first for value in thresholds]}
        for first in _FIRST_REMINDERS
    ]
    return _ladder("rtr", "reminders", rungs, {("thresholds",): list(thresholds)})


def _reasoning(now: CandidateSet) -> list[Ladder]:
    config = now.rlg
    most_blocks = config.window // config.block_min
    blocks = [count for count in _BLOCK_COUNTS if count <= most_blocks]
    lines = [{("lineCount",): count, ("lineShare",): share} for count, share in _LINES]
    lines_now = {("lineCount",): config.line_count, ("lineShare",): config.line_share}
    return [
        _simple("rlg", "units", "minUnits", _MIN_UNITS, config.min_units),
        _simple("rlg", "blocks", "blockCount", blocks, config.block_count),
        _ladder("rlg", "lines", lines, lines_now),
        _simple("rlg", "kgrams", "kgramThreshold", _KGRAMS, config.kgram_threshold),
        _simple("rlg", "filler", "fillerRun", _FILLER_RUNS, config.filler_run),
    ]
