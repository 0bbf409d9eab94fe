"""Choosing and counting fires of a journal."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dsh_calibrate.studies.journal import Fire

UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which fires are meant: rules and session globs (any of them), a time (epoch ms), how many."""

    rules: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    since: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Stats:
    """Fires counted. ``first`` and ``last`` are epoch milliseconds; days are ``YYYY-MM-DD``.

    ``by_day`` is in the order of the days, the others most frequent first; what a line does
    not tell counts as ``unknown``.
    """

    fires: int
    sessions: int
    first: int | None
    last: int | None
    by_rule: dict[str, int]
    by_model: dict[str, int]
    by_day: dict[str, int]
    by_version: dict[str, int]


def chosen(fires: Iterable[Fire], wanted: Filter) -> list[Fire]:
    """The fires that pass, newest first; those without a time come last, later lines first."""
    passing = [
        fire
        for fire in fires
        if (not wanted.rules or fire.rule in wanted.rules)
        and (not wanted.sessions or _is_of(fire.session, wanted.sessions))
        and (wanted.since is None or (fire.at is not None and fire.at >= wanted.since))
    ]
    passing.reverse()
    passing.sort(key=lambda fire: (fire.at is None, -(fire.at or 0)))
    return passing if wanted.limit is None else passing[: wanted.limit]


def _is_of(session: str | None, globs: Sequence[str]) -> bool:
    if session is None:
        return False
    return any(
        session == glob or fnmatch.fnmatchcase(session, glob.replace("…", "*")) for glob in globs
    )


def stats(fires: Sequence[Fire], *, utc: bool) -> Stats:
    """Count fires; days are local ones unless ``utc``."""
    times = [fire.at for fire in fires if fire.at is not None]
    days = Counter(moment(fire.at, utc=utc)[:10] or UNKNOWN for fire in fires)
    return Stats(
        fires=len(fires),
        sessions=len({fire.session for fire in fires if fire.session is not None}),
        first=min(times, default=None),
        last=max(times, default=None),
        by_rule=_most(fire.rule for fire in fires),
        by_model=_most(fire.model or UNKNOWN for fire in fires),
        by_day=dict(sorted(days.items())),
        by_version=_most(fire.version or UNKNOWN for fire in fires),
    )


def _most(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items(), key=lambda item: (-item[1], item[0])))


def moment(at: int | None, *, utc: bool) -> str:
    """A time as it is shown, to the second with its offset; empty when it is not known."""
    if at is None:
        return ""
    when = datetime.fromtimestamp(at // 1000, UTC)
    if not utc:
        when = when.astimezone()
    return when.isoformat(sep=" ", timespec="seconds")
