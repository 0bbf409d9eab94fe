"""How much of a log, and of a corpus, could be read (contract.md 3 and 5, cases.md C67).

A figure measured on logs is worth what stands beside it: how many logs there were, and how
many of them said nothing. :class:`LogCoverage` is the account of one log,
:class:`Coverage` the account of a corpus in the keys of contract.md 5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

Status = Literal["read", "damaged", "empty", "no_calls", "not_understood", "unreadable"]
"""``read``: whole, with something a guard looks at. ``damaged``: a bad line, frame or a gap
in ``seq``. ``empty``: not one complete line. ``no_calls``: readable, but neither a call nor
any reasoning of its own. ``not_understood``: nothing usable was recognised.
``unreadable``: cannot be opened, or refused from some place on."""


@dataclass(frozen=True, slots=True)
class LogCoverage:
    """The account of one log.

    ``reason`` says in a few words why ``status`` is not ``read`` and ``where`` the place
    (``line 12, byte 3456`` of the uncompressed text, or ``frame 7``); both are ``None`` for
    a log that was read. ``lines`` counts complete lines that are not blank, the header
    included, up to where reading stopped. ``skipped_types`` counts the lines whose type is
    unknown (or whose shape is), ``skipped_lines`` is their sum; types that are known and do
    not matter to a guard are not among them. ``repaired`` counts lines that were mended
    (BOM, CRLF, NUL bytes). ``inherited_lines`` are copies of a parent's history.
    ``not_dispatched``, ``synthetic``, ``unpaired`` count results and calls of the log's own
    part, ``fallback`` the lines that needed the slower JSON decoder.
    """

    status: Status
    reason: str | None = None
    where: str | None = None
    lines: int = 0
    skipped_lines: int = 0
    skipped_types: Mapping[str, int] = field(default_factory=dict)
    inherited_lines: int = 0
    torn_tail: bool = False
    repaired: int = 0
    calls: int = 0
    results: int = 0
    not_dispatched: int = 0
    synthetic: int = 0
    unpaired: int = 0
    has_reasoning: bool = False
    fallback: int = 0
    gaps: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Coverage:
    """The account of a corpus: the keys of contract.md 5, all counts.

    ``found = read + damaged + empty + no_calls + not_understood + unreadable``.
    ``torn_tails`` counts logs, ``repaired`` and ``lines`` count lines. Of a shard (``1/4``)
    everything is counted that belongs to it; ``other_shards`` counts the other logs found.
    """

    found: int = 0
    read: int = 0
    damaged: int = 0
    empty: int = 0
    no_calls: int = 0
    not_understood: int = 0
    unreadable: int = 0
    superseded: int = 0
    duplicates: int = 0
    ignored: int = 0
    torn_tails: int = 0
    repaired: int = 0
    lines: int = 0
    skipped_lines: int = 0
    skipped_types: Mapping[str, int] = field(default_factory=dict)
    shard: str | None = None
    other_shards: int = 0

    def as_json(self) -> dict[str, object]:
        """Return the object that stands under ``coverage`` in every JSON output.

        ``shard`` and ``other_shards`` are there only when a shard was read.
        """
        apart = ("skipped_types", "shard", "other_shards")
        found: dict[str, object] = {
            name: getattr(self, name) for name in self.__dataclass_fields__ if name not in apart
        }
        found["skipped_types"] = dict(sorted(self.skipped_types.items()))
        if self.shard is not None:
            found |= {"shard": self.shard, "other_shards": self.other_shards}
        return found


def merge(
    logs: Iterable[LogCoverage],
    *,
    superseded: int = 0,
    duplicates: int = 0,
    ignored: int = 0,
    shard: str | None = None,
    other_shards: int = 0,
) -> Coverage:
    """Sum the accounts of all logs; the other figures come from discovery."""
    statuses: Counter[str] = Counter()
    types: Counter[str] = Counter()
    found = torn = repaired = lines = skipped = 0
    for log in logs:
        found += 1
        statuses[log.status] += 1
        types.update(log.skipped_types)
        torn += log.torn_tail
        repaired += log.repaired
        lines += log.lines
        skipped += log.skipped_lines
    return Coverage(
        found=found,
        read=statuses["read"],
        damaged=statuses["damaged"],
        empty=statuses["empty"],
        no_calls=statuses["no_calls"],
        not_understood=statuses["not_understood"],
        unreadable=statuses["unreadable"],
        superseded=superseded,
        duplicates=duplicates,
        ignored=ignored,
        torn_tails=torn,
        repaired=repaired,
        lines=lines,
        skipped_lines=skipped,
        skipped_types=dict(sorted(types.items())),
        shard=shard,
        other_shards=other_shards,
    )
