"""Which of the logs that were found are meant (contract.md 2, "Selection").

Dates are held against the session's creation time, the ``createdAt`` of its header: it is
in every log, never moves while a session goes on, and needs no second read. A log whose
header cannot be read has none of the properties asked for, except the folder it lies in.
"""

from __future__ import annotations

import fnmatch
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Log

_RELATIVE = re.compile(r"([0-9]{1,9})([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a log must be to be selected; empty and ``None`` ask for nothing.

    ``since`` and ``until`` are epoch milliseconds, both inclusive. ``projects`` and
    ``sessions`` are globs of which one must match, ``versions`` format versions of which
    the header must name one. ``last`` keeps that many of the newest logs that pass the rest.
    """

    since: int | None = None
    until: int | None = None
    last: int | None = None
    projects: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    versions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Selected:
    """The logs selected, in their order; the others, and how many failed on which option."""

    logs: tuple[Log, ...]
    left_out: tuple[Log, ...]
    reasons: Mapping[str, int]


def moment(text: str, now: datetime, *, end: bool = False) -> int:
    """A date or time as typed, in epoch milliseconds.

    ISO dates and times (``2026-11-20``, ``2026-11-20T08:30``) are local time unless they
    carry an offset (``…T08:30Z``, ``+02:00``); a date alone is the start of that day, with
    ``end`` its last millisecond. ``90s``, ``30m``, ``12h``, ``7d``, ``2w`` are so long
    before ``now``. Raises :class:`UsageError` for anything else.
    """
    given = text.strip()
    relative = _RELATIVE.fullmatch(given)
    try:
        if relative:
            back = timedelta(seconds=int(relative[1]) * _SECONDS[relative[2]])
            return _milliseconds(now - back)
        day = _day(given)
        if day is None:
            return _milliseconds(datetime.fromisoformat(given))
        start = datetime(day.year, day.month, day.day)
        if not end:
            return _milliseconds(start)
        return _milliseconds(start + timedelta(days=1)) - 1
    except (ValueError, OverflowError, OSError):
        raise UsageError(
            f"{text}: no date or time that can be used; write 2026-11-20, 2026-11-20T08:30, "
            "2026-11-20T08:30Z, or how long ago: 30m, 12h, 7d, 2w"
        ) from None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _milliseconds(when: datetime) -> int:
    """A naive time is local; Python's own reading of the time zone is used."""
    return round(when.astimezone().timestamp() * 1000)


def select(logs: Sequence[Log], criteria: Criteria) -> Selected:
    """Keep the logs that pass all criteria, in their order."""
    reasons: Counter[str] = Counter()
    passing = []
    for log in logs:
        reason = _fails(log, criteria)
        if reason is None:
            passing.append(log)
        else:
            reasons[reason] += 1
    if criteria.last is not None and criteria.last < len(passing):
        reasons["--last"] += len(passing) - criteria.last
        newest = sorted(passing, key=_age)[: criteria.last]
        chosen = {log.key for log in newest}
        passing = [log for log in passing if log.key in chosen]
    kept = {log.key for log in passing}
    return Selected(
        logs=tuple(passing),
        left_out=tuple(log for log in logs if log.key not in kept),
        reasons=dict(reasons),
    )


def _age(log: Log) -> tuple[bool, int, str]:
    """Newest first; logs without a readable header last; ties by key."""
    created = log.header.created_at if log.header is not None else 0
    return log.header is None, -created, log.key


def _fails(log: Log, criteria: Criteria) -> str | None:
    """The option that the log does not pass, or ``None``."""
    header = log.header
    if criteria.projects and not any(_matches(g, _projects(log)) for g in criteria.projects):
        return "--project"
    ids = (header.session,) if header is not None else ()
    if criteria.sessions and not any(_matches(g, ids) for g in criteria.sessions):
        return "--session"
    if criteria.versions and (header is None or header.version not in criteria.versions):
        return "--format-version"
    if criteria.since is not None and (header is None or header.created_at < criteria.since):
        return "--since"
    if criteria.until is not None and (header is None or header.created_at > criteria.until):
        return "--until"
    return None


def _projects(log: Log) -> tuple[str, ...]:
    """The names a project goes by: its folder, that folder's last part, its slug."""
    names = []
    cwd = log.header.cwd if log.header is not None else None
    if cwd is not None:
        names += [cwd, re.split(r"[/\\]", cwd.rstrip("/\\"))[-1]]
    if log.generation is not None:
        parts = log.path.absolute().parts
        names += parts[-3:-2]
    return tuple(names)


def _matches(glob: str, names: tuple[str, ...]) -> bool:
    """Whether a glob matches one of the names; its ``*`` crosses slashes, and case matters."""
    return any(glob == name or fnmatch.fnmatchcase(name, glob) for name in names)
