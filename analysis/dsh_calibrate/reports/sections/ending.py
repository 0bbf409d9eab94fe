"""The recommendation, what would change it, and how everything was made."""

from __future__ import annotations

from dsh_calibrate import __version__
from dsh_calibrate.replay.rates import CONFIDENCE
from dsh_calibrate.replay.settings.nodes import json_value
from dsh_calibrate.reports.masking import mask_path
from dsh_calibrate.reports.model import (
    Block,
    Bullets,
    Code,
    Column,
    Finding,
    Paragraph,
    Section,
    Table,
)
from dsh_calibrate.reports.sections.material import Material
from dsh_calibrate.reports.sections.wording import compact
from dsh_calibrate.wording import counted

_SOURCES = ("default", "--set", "run time")


def recommendation(m: Material) -> Section:
    """The settings to ship as a difference and as a patch row, or why there are none."""
    title = "Recommended settings"
    if m.answer is None:
        return Section(
            "recommendation",
            title,
            (Finding("warning", f"No settings are recommended: {m.no_answer}"),),
        )
    d = m.answer.derivation
    blocks: list[Block] = [Finding("note" if d.feasible else "warning", m.answer.line)]
    if d.chosen is None:
        text = "The settings in force stay as they are; there is no patch."
        return Section("recommendation", title, (*blocks, Paragraph(text)))
    rows = []
    for guard, changed in d.chosen.candidate.settings.items():
        for key, value in _flat(changed):
            before = m.settings.guards[guard].keys.get(key)
            now = compact(json_value(before.value)) if before is not None else "not set"
            rows.append((f"{guard}.{key}", now, compact(json_value(value))))
    blocks += [
        Table(
            "recommendation",
            "Difference from the settings in force",
            (
                Column("key", "key", "code"),
                Column("now", "in force", "code"),
                Column("recommended", "recommended", "code"),
            ),
            tuple(rows),
            empty="None: the settings in force are the recommendation.",
        ),
        Paragraph(
            "The row for cordis.patch.yml. It restates what your own settings say, because the "
            "harness replaces a row as a whole, and it is not masked."
        ),
        Code(m.answer.patch, "yaml"),
    ]
    if d.held_out is not None:
        h = d.held_out
        blocks.append(
            Paragraph(
                f"On sessions that took no part in the choice ({h.how}, "
                f"{counted(h.parts, 'time')}, an "
                f"answer {counted(h.chosen, 'time')}): {h.disturbed} of {h.healthy} healthy "
                "ones disturbed, "
                f"{h.caught} of {h.stuck} stuck ones caught."
            )
        )
    else:
        blocks.append(
            Paragraph("Too few labelled sessions to repeat the choice without some of them.")
        )
    return Section("recommendation", title, tuple(blocks))


def change(m: Material) -> Section:
    """What would change the answer."""
    items = list(m.answer.changing) if m.answer is not None else [m.no_answer]
    items += [f"{s.words}" for s in m.spots] if m.labels is not None else []
    bad = m.coverage.damaged + m.coverage.unreadable + m.coverage.not_understood
    if bad:
        items.append(
            f"{counted(bad, 'log')} that could not be read whole, if they turn out otherwise"
        )
    items.append("settings, plugin versions or models other than those of these recordings")
    return Section("change", "What would change the answer", (Bullets(tuple(items)),))


def method(m: Material) -> Section:
    """Method, versions, digests, and every setting in force."""
    rows = []
    for guard in m.settings.selected:
        for key, value in m.settings.guards[guard].keys.items():
            source = value.source if value.source in _SOURCES else _place(m, value.source)
            rows.append((f"{guard}.{key}", compact(json_value(value.value)), source))
    privacy = (
        "Commands, addresses, paths, names of logs and texts from logs are masked; "
        "--show-content shows them."
        if m.shown.masked
        else "Content of logs is shown as it is, because --show-content asked for it: look "
        "before you pass this report on."
    )
    items: tuple[str, ...] = (
        f"Tool: dsh-calibrate {__version__}; guards replayed: {', '.join(m.plan.guards)}"
        f" (rtb as of {m.settings.profile}).",
        f"Corpus digest: {m.corpus_digest} (BLAKE2b over log keys and stored bytes).",
        f"Operator: {m.plan.operator}; shell-HTTP block: {m.plan.shell_http}; "
        f"behind damage: {'read on' if m.plan.salvage else 'not read'}.",
        f"Intervals: exact binomial (Clopper and Pearson), {CONFIDENCE:.0%}, per session.",
        "Each guard is replayed by the rules of its plugin, as if it ran alone. Rates are over "
        "logs read whole; damaged ones are in none.",
        privacy,
        "No clock and no machine is in this report: the same logs, labels, settings and "
        "versions give the same bytes.",
    )
    if m.answer is not None:
        b = m.answer.derivation.bound
        items += (
            f"Recommendation: at most {b.alpha:.0%} of healthy sessions disturbed with "
            f"confidence {1 - b.delta:.0%} (method {b.method}); then the most stuck ones caught; "
            "then the least said.",
        )
    blocks: tuple[Block, ...] = (
        Bullets(items),
        Table(
            "settings",
            "Settings in force",
            (
                Column("key", "key", "code"),
                Column("value", "value", "code"),
                Column("source", "source"),
            ),
            tuple(rows),
        ),
        Table(
            "digests",
            "Logs and their digests",
            (
                Column("log", "log", "code"),
                Column("outcome", "outcome"),
                Column("digest", "digest", "code"),
            ),
            tuple((m.shown.log(o.log), m.outcome(o.log), o.digest) for o in m.summary.outcomes),
        ),
    )
    return Section("method", "Method, versions, digests", blocks)


def _flat(changed: object) -> list[tuple[str, object]]:
    """Changed keys by dotted name; maps are taken apart one level."""
    from dsh_calibrate.replay.settings.assignments import dotted

    found: list[tuple[str, object]] = []
    assert hasattr(changed, "items")
    for key, value in changed.items():
        if hasattr(value, "items"):
            found += [(dotted((key, part)), one) for part, one in value.items()]
        else:
            found.append((dotted((key,)), value))
    return found


def _place(m: Material, source: str) -> str:
    return mask_path(source) if m.shown.masked else source
