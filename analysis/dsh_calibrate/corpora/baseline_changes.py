"""What changed between a baseline and a replay, decision by decision, and why it may have."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from dsh_calibrate.corpora.baseline import Baseline, PlaceKey, Row, short_digest, sorted_rows
from dsh_calibrate.corpora.baseline_file import row_json
from dsh_calibrate.errors import UsageError

ChangeKind = Literal["new", "vanished", "changed"]

_COMPARED = ("verdict", "stage", "measure", "count", "threshold")


@dataclass(frozen=True, slots=True)
class Change:
    """One decision that is new, vanished or changed.

    ``id`` (8 hex digits) is the same wherever the same change shows. ``before`` is the row
    of the baseline, ``after`` what the replay gives; ``reasons`` say what differs.
    """

    id: str
    kind: ChangeKind
    before: Row | None
    after: Row | None
    reasons: tuple[str, ...]

    @property
    def row(self) -> Row:
        """The row that says where it is."""
        row = self.after if self.after is not None else self.before
        assert row is not None
        return row


def compare(before: Sequence[Row], after: Sequence[Row]) -> list[Change]:
    """The changes from ``before`` to ``after``, sorted by place.

    Rows at the same place (log, lifecycle, call or stream, guard) that differ are one
    changed decision, the same stage first; the rest is new or vanished.
    """
    gone = Counter(before) - Counter(after)
    come = Counter(after) - Counter(before)
    olds, news = _by_place(gone.elements()), _by_place(come.elements())
    spoken = _Spoken(before), _Spoken(after)
    changes: list[Change] = []
    for place in sorted({*olds, *news}):
        old, new = olds[place], news[place]
        for first, second in _paired(old, new):
            changes.append(_change("changed", first, second, _differences(first, second)))
        changes += [_change("vanished", r, None, _absent(r, spoken[1])) for r in old]
        changes += [_change("new", None, r, _fresh(r, spoken[0])) for r in new]
    return changes


def accept(baseline: Baseline, changes: Sequence[Change], ids: Iterable[str]) -> tuple[Row, ...]:
    """The rows of ``baseline`` with the changes named by ``ids`` taken over.

    Raises :class:`UsageError` for an id that no change has.
    """
    known = {change.id for change in changes}
    wanted = set(ids)
    for name in sorted(wanted - known):
        some = sorted(known)[:8]
        shown = ", ".join(some) + (", …" if len(known) > len(some) else "")
        raise UsageError(f"--accept {name}: no such change (there are: {shown or 'none'})")
    rows = Counter(baseline.rows)
    for change in changes:
        if change.id in wanted:
            rows.subtract([row for row in (change.before,) if row is not None])
            rows.update([row for row in (change.after,) if row is not None])
    return sorted_rows(rows.elements())


class _Spoken:
    """Where each guard speaks, for reasons."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self.logs: set[str] = set()
        self.first: dict[tuple[str, int, str], int] = {}
        for row in rows:
            self.logs.add(row.log)
            key = (row.log, row.lifecycle, row.guard)
            self.first[key] = min(self.first.get(key, row.ordinal), row.ordinal)


def _by_place(rows: Iterable[Row]) -> defaultdict[PlaceKey, list[Row]]:
    found: defaultdict[PlaceKey, list[Row]] = defaultdict(list)
    for row in sorted_rows(rows):
        found[row.place].append(row)
    return found


def _paired(old: list[Row], new: list[Row]) -> list[tuple[Row, Row]]:
    """Take pairs out of both lists: of one stage where there are, else in their order."""
    pairs: list[tuple[Row, Row]] = []
    for same in (True, False):
        for first in list(old):
            for second in new:
                if not same or (first.verdict, first.stage) == (second.verdict, second.stage):
                    pairs.append((first, second))
                    old.remove(first)
                    new.remove(second)
                    break
    return pairs


def _change(
    kind: ChangeKind, before: Row | None, after: Row | None, reasons: Sequence[str]
) -> Change:
    rows = [None if row is None else row_json(row) for row in (before, after)]
    return Change(short_digest(json.dumps(rows))[:8], kind, before, after, tuple(reasons))


def _differences(before: Row, after: Row) -> list[str]:
    reasons = [
        f"{key} {_shown(getattr(before, key))} is now {_shown(getattr(after, key))}"
        for key in _COMPARED
        if getattr(before, key) != getattr(after, key)
    ]
    if before.fp != after.fp:
        what = "the figures" if after.guard == "rlg" else "the fingerprint"
        reasons.append(f"{what} differ" if after.guard == "rlg" else f"{what} differs")
    return reasons


def _absent(row: Row, now: _Spoken) -> list[str]:
    return [f"the baseline has {_said(row)}", _elsewhere(row, now, "now")]


def _fresh(row: Row, then: _Spoken) -> list[str]:
    reasons = [_said(row)]
    if row.log not in then.logs:
        return [*reasons, "the baseline has no decision in this log"]
    return [*reasons, _elsewhere(row, then, "in the baseline")]


def _elsewhere(row: Row, spoken: _Spoken, when: str) -> str:
    first = spoken.first.get((row.log, row.lifecycle, row.guard))
    if first is None:
        return f"{row.guard} says nothing in this lifecycle {when}"
    return f"{row.guard} first speaks at {row.kind} {first} of this lifecycle {when}"


def _said(row: Row) -> str:
    """A decision in a few words: ``advise warn, host 6 of 6``."""
    words = f"{row.verdict} {row.stage}"
    if row.measure is not None:
        words += f", {row.measure}"
    if row.count is not None:
        words += f" {row.count}" if row.measure is not None else f", {row.count}"
    if row.threshold is not None:
        words += f" of {row.threshold}"
    return words


def _shown(value: object) -> str:
    return "none" if value is None else str(value)
