"""What was read, and what it cannot speak about."""

from __future__ import annotations

from collections import Counter

from dsh_calibrate.logs.coverage import Coverage
from dsh_calibrate.reports.model import Bullets, Column, Finding, Paragraph, Section, Table
from dsh_calibrate.reports.sections.material import Material

_STATUSES = (
    ("read", "read whole: they make every rate"),
    ("damaged", "measured up to the damage, in no rate"),
    ("empty", "not one complete line"),
    ("no_calls", "nothing in them for a guard to look at"),
    ("not_understood", "nothing usable was recognised"),
    ("unreadable", "cannot be opened or refused from some place on"),
    ("superseded", "older generations of a log that was read, not counted as found"),
    ("duplicates", "copies of a log that was read, not counted as found"),
    ("ignored", "files that are no log, not counted as found"),
)


def coverage(m: Material) -> Section:
    """How much of what was found says anything."""
    found = m.coverage
    rows = tuple((name.replace("_", " "), getattr(found, name), why) for name, why in _STATUSES)
    bad = tuple(
        (
            m.shown.log(o.log),
            o.coverage.status.replace("_", " "),
            o.coverage.where or "",
            m.shown.text(o.coverage.reason or ""),
        )
        for o in m.summary.outcomes
        if o.coverage.status != "read"
    )
    skipped = tuple((m.shown.text(t), n) for t, n in sorted(found.skipped_types.items()))
    return Section(
        "coverage",
        "Coverage",
        (
            Paragraph(
                f"{found.found} logs were found and {found.read} of them read whole. "
                f"{found.lines:,} lines were read, {found.skipped_lines:,} of unknown type or "
                f"shape passed over, {found.repaired:,} repaired; {found.torn_tails} logs end "
                "in the middle of a line, which is normal. A log that was not read is in no "
                "denominator below."
            ),
            *_shard(found),
            Table(
                "coverage",
                "Logs by how far they were read",
                (
                    Column("status", "logs"),
                    Column("count", "count", "count"),
                    Column("meaning", "meaning"),
                ),
                rows,
            ),
            Table(
                "coverage-unread",
                "Logs that were not read whole",
                (
                    Column("log", "log", "code"),
                    Column("status", "status"),
                    Column("where", "where"),
                    Column("reason", "reason"),
                ),
                bad,
                empty="Every log that was found was read whole.",
            ),
            Table(
                "coverage-skipped",
                "Lines passed over, by type",
                (Column("type", "type", "code"), Column("lines", "lines", "count")),
                skipped,
                empty="No line was passed over.",
            ),
        ),
    )


def _shard(found: Coverage) -> tuple[Finding, ...]:
    """That the report speaks about a part of the logs alone."""
    if found.shard is None:
        return ()
    return (
        Finding(
            "warning",
            f"This is shard {found.shard} of the logs: {found.other_shards} others were found "
            "and belong to the other shards. No rate below speaks about them.",
        ),
    )


def corpus(m: Material) -> Section:
    """What the corpus is made of, and its blind spots."""
    totals = m.summary.totals
    outcomes = Counter(m.outcome(o.log) for o in m.summary.outcomes)
    labelled = tuple((name, outcomes[name]) for name in sorted(outcomes))
    spots = tuple(
        (s.rule.kind, s.found, s.of, s.minimum, f"at least {s.rule.least:,} {s.rule.words}")
        for s in m.spots
    )
    blocks: list[Bullets | Finding | Paragraph | Table] = [
        Table(
            "corpus-totals",
            "What the logs read whole hold",
            (Column("what", "what"), Column("count", "count", "count")),
            tuple(
                (name.replace("_", " "), value)
                for name, value in totals.items()
                if isinstance(value, int)
            ),
        ),
        Table(
            "corpus-labels",
            "Logs by label",
            (Column("outcome", "outcome"), Column("logs", "logs", "count")),
            labelled,
        ),
    ]
    if m.labels is None:
        blocks.append(
            Finding(
                "warning",
                "No labels were given (--labels). What caught a stuck session and what disturbed "
                "a healthy one cannot be told apart, and no settings are recommended.",
            )
        )
    blocks += [
        Paragraph(
            "Blind spots are kinds of work that too few sessions show: no rate in this report "
            f"speaks about them. They were looked for in {m.spots_of}."
        ),
        Table(
            "blind-spots",
            "Blind spots",
            (
                Column("kind", "kind of work"),
                Column("found", "sessions", "count"),
                Column("of", "of", "count"),
                Column("minimum", "minimum", "count"),
                Column("rule", "a session shows it with"),
            ),
            spots,
            empty="None: every kind of work is shown by enough sessions.",
        ),
    ]
    return Section("corpus", "Corpus and blind spots", tuple(blocks))
