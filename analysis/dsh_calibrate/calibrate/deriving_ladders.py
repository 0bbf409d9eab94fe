"""The settings that are tried when none are named: ladders from quiet to loud.

A ladder moves thresholds that belong together; a rung is one combination of them, quieter
ones first. What a ladder does not name stays as it is in force, and the thresholds in force
are always one of its rungs. docs/derive.md holds the same as a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
    return tuple(ladder for ladder in found if ladder.rungs[0])


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
    if not axes:
        return in_force(rows, profile)
    return replace(grid(axes, rows, profile)[0], name=", ".join(_parts(all_ladders, state)))


def steps(all_ladders: Sequence[Ladder], states: Sequence[State]) -> list[str]:
    """What each state changes in the one before it, in words; the first in full."""
    named: list[str] = []
    for place, state in enumerate(states):
        before = states[place - 1] if place else None
        moved = [
            f"{_full_name(ladder)} {_short(ladder.rungs[rung])}"
            for k, (ladder, rung) in enumerate(zip(all_ladders, state, strict=True))
            if before is None or before[k] != rung
        ]
        named.append(", ".join(moved))
    return named


def _parts(all_ladders: Sequence[Ladder], state: State) -> list[str]:
    return [
        f"{_full_name(ladder)} {_short(ladder.rungs[rung])}"
        for ladder, rung in zip(all_ladders, state, strict=True)
        if rung != ladder.at
    ]


def _full_name(ladder: Ladder) -> str:
    return f"{ladder.guard} {ladder.name}"


def _short(rung: Rung) -> str:
    """The values in order, each once where they follow each other: ``7/11/12/16``."""
    shown: list[str] = []
    for value in rung.values():
        numbers = value if isinstance(value, list) else [value]
        for number in numbers:
            text = "off" if number is None else f"{number:g}"
            if not shown or shown[-1] != text:
                shown.append(text)
    return "/".join(shown)


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
    """``warnAt < summarizeAt < lowest cap ≤ window``, at the distances now in force.

    What is off stays off: the ladder moves what is left.
    """
    config = now.rtb
    warn, summarize = config.warn_at, config.summarize_at
    caps = {kind: cap for kind in TIED_CAPS if (cap := config.limits.get(kind)) is not None}
    host = config.limits.get("host")
    lowest = min(caps.values(), default=12)
    gaps = [
        (summarize - warn if summarize > warn else 4) if warn and summarize else 0,
        max(1, int(lowest - (summarize or warn or lowest))) if summarize or warn else 0,
    ]
    rungs: list[Rung] = []
    for first in range(config.window - sum(gap > 0 for gap in gaps), 1, -1):
        second = min(first + gaps[0], config.window - (gaps[1] > 0))
        cap = min(second + gaps[1], config.window)
        room = None if host is None else host if host >= cap else config.window
        rungs.append(
            _set(
                {
                    ("warnAt",): warn and first,
                    ("summarizeAt",): summarize and second,
                    **{("limits", kind): cap for kind in caps},
                    ("limits", "host"): room,
                }
            )
        )
    in_use = _set(
        {
            ("warnAt",): warn,
            ("summarizeAt",): summarize,
            **{("limits", kind): cap for kind, cap in caps.items()},
            ("limits", "host"): host,
        }
    )
    return _ladder("rtb", "repeats", rungs, in_use)


def _failures(now: CandidateSet) -> Ladder:
    """``failWarnAt < failLimit``, at the distance now in force; what is off stays off."""
    warn, limit = now.rtb.fail_warn_at, now.rtb.fail_limit
    gap = limit - warn if warn and limit and limit > warn else 2
    rungs = [
        _set({("failWarnAt",): warn and value, ("failLimit",): limit and value + gap})
        for value in _FAIL_WARNS
    ]
    in_use = _set({("failWarnAt",): warn, ("failLimit",): limit})
    return _ladder("rtb", "failures", rungs, in_use)


def _set(values: Mapping[Any, object]) -> Rung:
    """Leave out what is off."""
    return {key: value for key, value in values.items() if value is not None}


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
