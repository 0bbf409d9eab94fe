"""Several generations of one session in one folder: which is read (cases.md C68).

A migration leaves the older file behind and writes a full copy under a higher version. The
highest wins, as in the harness, unless an older build went on writing to a lower one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsh_calibrate.logs.decode import ROWS, NotJson, load
from dsh_calibrate.logs.frames import Hole
from dsh_calibrate.logs.lines import LineReader
from dsh_calibrate.logs.opening import open_source

if TYPE_CHECKING:
    from pathlib import Path

    from dsh_calibrate.logs.discovery import Log


def choose(logs: list[Log], *, insist: bool) -> tuple[list[Log], list[str], list[str]]:
    """Keep one generation per session and folder.

    Return the logs kept, in their order, the keys of the superseded ones and warnings.
    Only canonical names are grouped, and never two sessions that name different ids.
    """
    groups: dict[tuple[Path, str], list[Log]] = {}
    for log in logs:
        if log.generation is not None:
            session = log.header.session if log.header else _only_id(log, logs)
            groups.setdefault((log.path.parent, session), []).append(log)
    losers: set[Path] = set()
    warnings = []
    for group in groups.values():
        if len(group) == 1:
            continue
        ranked = sorted(group, key=lambda log: (log.generation or 0, log.path.suffix == ".zstd"))
        best = ranked[-1]
        if not insist:
            best = _latest(ranked)
            if best is not ranked[-1]:
                warnings.append(
                    f"{best.key}: its last event is later than that of {ranked[-1].key}; "
                    "the older format is read (--generation highest insists)"
                )
        losers.update(log.path for log in group if log is not best)
    kept = [log for log in logs if log.path not in losers]
    return kept, [log.key for log in logs if log.path in losers], warnings


def _only_id(log: Log, logs: list[Log]) -> str:
    """The id of the folder's other generations, for one whose header cannot be read."""
    ids = {
        other.header.session
        for other in logs
        if other.generation is not None and other.header and other.path.parent == log.path.parent
    }
    return ids.pop() if len(ids) == 1 else ""


def _latest(ranked: list[Log]) -> Log:
    """The highest generation, or a lower one whose last event is later."""
    best = ranked[-1]
    latest = last_event_time(best.path)
    for log in reversed(ranked[:-1]):
        time = last_event_time(log.path)
        if time is not None and (latest is None or time > latest) and log.header:
            best, latest = log, time
    return best


def last_event_time(path: Path) -> float | None:
    """Return the time of a log's last event (epoch milliseconds) where it carries times."""
    last: float | None = None
    try:
        with open_source(path) as source:
            for block in LineReader(source.pieces()):
                if isinstance(block, Hole):
                    return last
                for line in reversed(block.lines):
                    time = _time(line) if line.strip() else None
                    if time is not None:
                        last = time
                        break
    except OSError:
        return last
    return last


def _time(line: bytes) -> float | None:
    try:
        value = load(line)
    except NotJson:
        return None
    if not isinstance(value, dict):
        return None
    if value.get("type") in ROWS:
        data = value.get("data")
        gaps = data.get("dt") if isinstance(data, dict) else None
        first = value.get("time0")
        if isinstance(first, int | float) and isinstance(gaps, list):
            try:
                return first + sum(gap for gap in gaps if isinstance(gap, int | float))
            except OverflowError:  # a whole number too large to add a fraction to
                return None
        return None
    time = value.get("time")
    return time if isinstance(time, int | float) and not isinstance(time, bool) else None
