"""Peaks against thresholds, the sweep surface, the Pareto front, candidates."""

from __future__ import annotations

from collections import Counter

import polars as pl

from dsh_calibrate.calibrate.pareto import frontier
from dsh_calibrate.calibrate.sweeping_figures import SetFigures, figures
from dsh_calibrate.replay.settings.nodes import json_value
from dsh_calibrate.reports.charts.grids import heat_spec
from dsh_calibrate.reports.charts.spread import OUTCOMES, peaks_spec
from dsh_calibrate.reports.model import Block, Chart, Column, Paragraph, Section, Table
from dsh_calibrate.reports.sections.material import Material
from dsh_calibrate.reports.sections.wording import compact

TIED = "rtb.limits.{exact,cmd,net,sink}"
"""The caps that the surface moves together."""


def peaks(m: Material) -> Section:
    """The highest count of each log, per capped measure and outcome."""
    config = m.settings.rtb
    if config is None:
        return _without("peaks", "Peaks by outcome")
    read = {o.log for o in m.summary.outcomes if o.coverage.status == "read"}
    frame = m.peaks.filter(pl.col("log").is_in(sorted(read)))
    found: dict[tuple[str, str], list[int]] = {}
    for log, measure, peak in frame.select("log", "measure", "next").iter_rows():
        found.setdefault((measure, m.outcome(log)), []).append(peak)
    present = sorted({measure for measure, _ in found})
    capped = [k for k in present if config.limits.get(k) is not None]
    rows, points = [], []
    for measure in [*capped, *(k for k in present if k not in capped)]:
        cap = config.limits.get(measure)
        for outcome in OUTCOMES:
            values = sorted(found.get((measure, outcome), ()))
            if not values:
                continue
            over = sum(v >= cap for v in values) if cap is not None else None
            middle = values[(len(values) - 1) // 2]
            rows.append(
                (
                    measure,
                    outcome,
                    len(values),
                    middle,
                    values[-1],
                    None if cap is None else float(cap),
                    over,
                )
            )
            if measure in capped:
                points += [(measure, outcome, p, n) for p, n in sorted(Counter(values).items())]
    table = Table(
        "peaks",
        "Highest counts of logs by measure and outcome",
        (
            Column("measure", "measure"),
            Column("outcome", "outcome"),
            Column("logs", "logs", "count"),
            Column("median", "median", "count"),
            Column("highest", "highest", "count"),
            Column("cap", "cap", "number"),
            Column("at_cap", "logs at or above it", "count"),
        ),
        tuple(rows),
        note="Counted without any gate; the median is the lower one. A measure without a cap "
        "decides nothing.",
        empty="No tracked call.",
    )
    words = Paragraph(
        "How often one and the same thing came back within the window, at its highest, in each "
        "log. A threshold divides well where healthy logs end before it and stuck ones go past."
    )
    if not points:
        return Section("peaks", "Peaks by outcome", (words, table))
    lines = []
    for measure in capped:
        stages = (
            (f"warnAt {config.warn_at}", config.warn_at),
            (f"summarizeAt {config.summarize_at}", config.summarize_at),
            (f"cap {config.limits[measure]:g}", config.limits[measure]),
        )
        at: dict[float, list[str]] = {}
        for name, value in stages:
            if value is not None:
                at.setdefault(float(value), []).append(name.partition(" ")[0])
        lines += [(measure, f"{', '.join(n)} {v:g}", v) for v, n in sorted(at.items())]
    chart = Chart(
        "peaks",
        "Peaks by outcome, with the thresholds in force",
        "Circles: how many logs have their highest count there, by measure and outcome. Dashed "
        "lines: the thresholds in force. "
        + " ".join(f"{r[0]}, {r[1]}: highest {r[4]}." for r in rows if r[0] in capped[:3]),
        peaks_spec(points, lines),
        table,
    )
    return Section("peaks", "Peaks by outcome", (words, chart))


def surface(m: Material) -> Section:
    """Every pair of warnAt and the tied caps; which of them no other beats."""
    if m.grid is None:
        return _without("sweep", "Sweep and Pareto front")
    sessions = m.grid.counted()
    exact = [figures(m.grid, n, sessions, m.labels, exact=True) for n in range(len(m.grid.sets))]
    best = frontier([_cost(m, f) for f in exact[1:]])
    rows, cells = [], []
    has_labels = m.labels is not None
    for k, (warn, cap) in enumerate(m.pairs):
        f = exact[k + 1]
        rows.append(
            (
                warn,
                cap,
                f.advised.count,
                f.gated.count,
                f.stuck.count,
                f.stuck.of,
                f.healthy.count,
                f.healthy.of,
                "yes" if k in best else "",
            )
        )
        if has_labels:
            cells.append((float(warn), cap, "stuck sessions caught", f.stuck.count))
            cells.append((float(warn), cap, "healthy sessions disturbed", f.healthy.count))
        else:
            cells.append((float(warn), cap, "sessions advised", f.advised.count))
            cells.append((float(warn), cap, "sessions gated", f.gated.count))
    table = Table(
        "sweep",
        "The surface in figures (exact parts)",
        (
            Column("warn_at", "warnAt", "count"),
            Column("cap", "tied caps", "number"),
            Column("advised", "advised", "count"),
            Column("gated", "gated", "count"),
            Column("caught", "stuck caught", "count"),
            Column("stuck", "of", "count"),
            Column("disturbed", "healthy disturbed", "count"),
            Column("healthy", "of", "count"),
            Column("front", "on the front"),
        ),
        tuple(rows),
    )
    f = exact[0]
    words = (
        f"The breaker alone, all its other settings as in force; {TIED} move together. Sessions: "
        f"{len(sessions)}. In force: {f.advised.count} advised, {f.gated.count} gated"
    )
    if has_labels:
        words += (
            f", {f.stuck.count} of {f.stuck.of} stuck ones caught, {f.healthy.count} of "
            f"{f.healthy.of} healthy ones disturbed"
        )
    chart = Chart(
        "sweep",
        "What other thresholds would have done",
        "Heat maps over warnAt (across) and the tied caps (down): "
        + (
            "stuck sessions caught and healthy sessions disturbed."
            if has_labels
            else "sessions advised and sessions gated."
        ),
        heat_spec(cells, "warnAt", "tied caps", "healthy"),
        table,
    )
    front = Table(
        "pareto",
        "Pareto front",
        table.columns[:-1],
        tuple(row[:-1] for k, row in enumerate(rows) if k in best),
        note="No other pair is at least as good in everything and better in something: "
        + (
            "healthy sessions disturbed, stuck ones caught, advisories and gates."
            if has_labels
            else "advisories and gates. Without labels nothing tells what was "
            "worth catching, so the quietest pairs stand here."
        ),
    )
    return Section("sweep", "Sweep and Pareto front", (Paragraph(words + "."), chart, front))


def candidates(m: Material) -> Section:
    """Whole configurations that were judged, with stages that can never speak."""
    dead = Table(
        "dead-stages",
        "Stages that can never be reached, in force",
        (
            Column("key", "key", "code"),
            Column("value", "value", "number"),
            Column("reason", "reason"),
        ),
        tuple((d.key, float(d.value), d.reason) for d in m.dead.get(0, ())),
        empty="None: every stage and threshold in force can be reached.",
    )
    periods = Table(
        "periods",
        "Loops that come back at a steady distance",
        (
            Column("period", "period (calls)", "count"),
            Column("sessions", "sessions", "count"),
            Column("measures", "measures"),
        ),
        tuple((p.period, p.sessions, ", ".join(p.measures)) for p in m.periods),
        empty="No loop with a period of two or more calls was seen.",
    )
    blocks: list[Block] = []
    if m.answer is None:
        blocks.append(Paragraph(f"No candidates were tested: {m.no_answer}"))
    else:
        d = m.answer.derivation
        rows: list[tuple[str | int | float | None, ...]] = []
        for one, step in zip(d.tested, m.answer.steps, strict=True):
            rows.append(
                (
                    step,
                    compact(json_value(one.candidate.settings)),
                    len(one.disturbed),
                    len(d.healthy),
                    len(one.caught),
                    len(d.stuck),
                    one.healthy.advised,
                    one.healthy.gates,
                    one.verdict.p_value,
                    "yes" if one.certified else ("no" if one.verdict.tested else "not tested"),
                    "; ".join(map(str, m.dead.get(one.number, ()))) or "none",
                )
            )
        blocks += [
            Paragraph(
                "Each candidate is a whole configuration: what it changes, all else as in force. "
                "They are tested in this order, which did not look at healthy sessions. Figures "
                "are exact parts."
            ),
            Table(
                "candidates",
                "Candidates",
                (
                    Column("step", "step"),
                    Column("settings", "changes", "code"),
                    Column("disturbed", "healthy disturbed", "count"),
                    Column("healthy", "of", "count"),
                    Column("caught", "stuck caught", "count"),
                    Column("stuck", "of", "count"),
                    Column("advisories", "advisories", "count"),
                    Column("gates", "gates", "count"),
                    Column("p_value", "p", "number"),
                    Column("certified", "bound kept"),
                    Column("dead", "dead stages"),
                ),
                tuple(rows),
            ),
        ]
    return Section("candidates", "Candidates and dead stages", (*blocks, dead, periods))


def _cost(m: Material, f: SetFigures) -> tuple[float, ...]:
    loud = f.tally.advised + f.tally.gates
    if m.labels is None:
        return (f.tally.advised, f.tally.gates)
    return (f.healthy.count, -f.stuck.count, loud)


def _without(name: str, title: str) -> Section:
    return Section(name, title, (Paragraph("rtb is not selected (--guard): nothing to show."),))
