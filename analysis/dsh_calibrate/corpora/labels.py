"""Labels: what people say about recorded sessions, and what the guards ought to do there.

A labels file (contract.md 6) holds entries that name logs or sessions by glob. Applied to the
logs of a corpus they become one :class:`Label` a log. Reading and writing the file:
:mod:`~dsh_calibrate.corpora.label_reading`, :mod:`~dsh_calibrate.corpora.label_writing`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dsh_calibrate.corpora.globs import is_plain, matches
from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.wording import counted

Outcome = Literal["stuck", "healthy", "undecided"]
Split = Literal["train", "test"]
Expectation = Literal["expect", "quiet", "known-miss", "known-false"]
PointKind = Literal["call", "stream"]

OUTCOMES: tuple[Outcome, ...] = ("stuck", "healthy", "undecided")
SPLITS: tuple[Split, ...] = ("train", "test")
EXPECTATIONS: tuple[Expectation, ...] = ("expect", "quiet", "known-miss", "known-false")
POINT_KINDS: dict[str, PointKind] = {"rtb": "call", "tfb": "call", "rtr": "call", "rlg": "stream"}
"""What each guard decides about."""


class LabelError(CalibrateError):
    """A label is wrong; the line says in which file, entry and key, and what is accepted."""


@dataclass(frozen=True, slots=True, order=True)
class Point:
    """What is expected of ``guard`` at one call or stream of a log.

    ``ordinal`` counts calls or streams within ``lifecycle``, both from 0 (contract.md 1).
    ``expect`` and ``known-false``: the guard speaks there (rightly, wrongly); ``quiet`` and
    ``known-miss``: it does not.
    """

    guard: str
    lifecycle: int
    kind: PointKind
    ordinal: int
    expect: Expectation


@dataclass(frozen=True, slots=True)
class Entry:
    """One ``[[label]]``: exactly one of the globs ``log`` and ``session`` is given.

    ``place`` says where it was read, for messages (``labels.toml: entry 2 (line 7)``).
    """

    outcome: Outcome
    log: str | None = None
    session: str | None = None
    split: Split | None = None
    note: str = ""
    points: tuple[Point, ...] = ()
    place: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Label:
    """What is said of one log; ``points`` are sorted, ``notes`` in the order of the file."""

    outcome: Outcome
    split: Split | None = None
    notes: tuple[str, ...] = ()
    points: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class Labels:
    """The labels of a corpus by log key; logs nobody speaks of are absent."""

    by_log: dict[str, Label]

    def get(self, log: str) -> Label | None:
        """The label of a log."""
        return self.by_log.get(log)

    def logs(self, outcome: Outcome, split: Split | None = None) -> tuple[str, ...]:
        """The keys of logs with this outcome (and split), sorted."""
        return tuple(
            sorted(
                log
                for log, label in self.by_log.items()
                if label.outcome == outcome and split in (None, label.split)
            )
        )


def apply_labels(
    entries: Sequence[Entry],
    logs: Iterable[tuple[str, str | None]],
    known: Iterable[tuple[str, str | None]] | None = None,
) -> Labels:
    """Give each of ``logs`` (log key, session id) what the entries say of it.

    ``known`` are the logs an entry must match at least one of: the whole corpus when ``logs``
    is a selection of it. Raises :class:`LabelError` for an entry that matches none of them,
    and for two entries that say different things of one log.
    """
    chosen = list(logs)
    speaking = _covered(entries, chosen)
    everything = chosen if known is None else list(known)
    matched = speaking if known is None else _covered(entries, everything)
    vain = set(range(len(entries))).difference(*matched.values())
    if vain:
        entry = entries[min(vain)]
        key, glob = ("log", entry.log) if entry.log is not None else ("session", entry.session)
        raise LabelError(
            f"{entry.place}: {key}: {glob!r} matches none of the "
            f"{counted(len(everything), 'log')}: "
            "correct the glob, or name the folder the labels belong to"
        )
    return Labels(
        {
            log: _joined(log, [entries[number] for number in numbers])
            for log, numbers in speaking.items()
        }
    )


def _covered(
    entries: Sequence[Entry], logs: Sequence[tuple[str, str | None]]
) -> dict[str, list[int]]:
    """The positions of the entries that speak of each log; names spelled out are looked up."""
    keys: dict[str, list[str]] = {}
    ids: dict[str, list[str]] = {}
    for log, session in logs:
        keys.setdefault(log, []).append(log)
        if session is not None:
            ids.setdefault(session, []).append(log)
    found: dict[str, list[int]] = {}
    for number, entry in enumerate(entries):
        glob, names = (entry.log, keys) if entry.log is not None else (entry.session, ids)
        if glob is None:
            continue
        hits = [glob] if is_plain(glob) else [name for name in names if matches(glob, name)]
        for log in dict.fromkeys(log for name in hits for log in names.get(name, ())):
            found.setdefault(log, []).append(number)
    return found


def _joined(log: str, entries: Sequence[Entry]) -> Label:
    first = entries[0]
    split: Entry | None = None
    points: dict[tuple[str, int, str, int], tuple[Point, Entry]] = {}
    for entry in entries:
        if entry.outcome != first.outcome:
            raise _clash(log, "outcome", first, first.outcome, entry, entry.outcome)
        if entry.split is not None:
            if split is not None and split.split != entry.split:
                raise _clash(log, "split", split, split.split, entry, entry.split)
            split = entry
        for point in entry.points:
            where = (point.guard, point.lifecycle, point.kind, point.ordinal)
            other, source = points.setdefault(where, (point, entry))
            if other.expect != point.expect:
                key = f"expect of {point.guard} at {point.kind} {point.ordinal}"
                raise _clash(log, key, source, other.expect, entry, point.expect)
    return Label(
        outcome=first.outcome,
        split=None if split is None else split.split,
        notes=tuple(entry.note for entry in entries if entry.note),
        points=tuple(sorted(point for point, _ in points.values())),
    )


def _clash(
    log: str, key: str, first: Entry, said: str | None, second: Entry, says: str | None
) -> LabelError:
    return LabelError(
        f"{second.place}: {key}: {says} contradicts {said} of {first.place} for log {log!r}: "
        "keep one of the two"
    )
