"""How often each guard would have spoken or stopped, on what, and how sure that is."""

from __future__ import annotations

from collections import Counter

from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.rates import rate
from dsh_calibrate.reports.charts.overlaps import overlap_spec
from dsh_calibrate.reports.charts.timelines import timeline_spec
from dsh_calibrate.reports.model import Block, Chart, Column, Paragraph, Section, Table
from dsh_calibrate.reports.sections.material import Material

RATE = (
    Column("count", "sessions", "count"),
    Column("of", "of", "count"),
    Column("share", "share", "share"),
    Column("low", "at least", "share"),
    Column("high", "at most", "share"),
)
"""Columns of a rate with the bounds of its exact 95% interval."""

_MOST = 30


def counts(plan: Plan, decision: Decision) -> bool:
    """Whether a guard spoke or stopped (what the block would only refuse does not count)."""
    return decision.verdict != "refuse" or plan.shell_http == "enforce"


def measure_of(decision: Decision) -> str:
    """The measure that is credited: kind of the first hit, or the rule."""
    return decision.hits[0].measure if decision.hits else decision.stage


def rates(m: Material) -> Section:
    """Fire rates per guard, exact part and upper bound, and by measure."""
    rows = []
    for guard, found in m.summary.guards.items():
        for part, those in (("upper bound", found.rates), ("exact", found.exact_rates)):
            for name, r in those.items():
                rows.append((guard, name, part, r.count, r.of, r.value, r.low, r.high))
    measures: dict[tuple[str, str, str], set[str]] = {}
    times: Counter[tuple[str, str, str]] = Counter()
    for o in _read(m):
        for d in o.decisions:
            if counts(m.plan, d):
                key = (d.guard, measure_of(d), str(d.verdict))
                measures.setdefault(key, set()).add(o.log)
                times[key] += 1
    by_measure = []
    for guard, measure, verdict in sorted(measures):
        of = m.summary.guards[guard].logs
        key = (guard, measure, verdict)
        r = rate(len(measures[key]), of)
        by_measure.append(
            (guard, measure, verdict, times[key], r.count, of, r.value, r.low, r.high)
        )
    return Section(
        "rates",
        "Fire rates",
        (
            Paragraph(
                "Per guard, over the logs read whole in which it had something to look at. "
                "Bounds are exact binomial ones (Clopper and Pearson) at 95%. Exact counts only "
                "what the live guard would have done precisely; the upper bound counts the whole "
                "recording, also behind the first intervention that it lacks."
            ),
            Table(
                "rates",
                "Sessions in which a guard speaks or stops",
                (Column("guard", "guard"), Column("what", "what"), Column("part", "part"), *RATE),
                tuple(rows),
            ),
            Table(
                "rates-by-measure",
                "By measure (upper bound)",
                (
                    Column("guard", "guard"),
                    Column("measure", "measure or rule"),
                    Column("verdict", "verdict"),
                    Column("times", "times", "count"),
                    *RATE,
                ),
                tuple(by_measure),
                empty="No guard spoke or stopped.",
            ),
        ),
    )


def attribution(m: Material) -> Section:
    """On what the guards fired, the most frequent first, and one session in pictures."""
    times: Counter[tuple[str, str, str]] = Counter()
    logs: dict[tuple[str, str, str], set[str]] = {}
    for o in _read(m):
        for d in o.decisions:
            if not counts(m.plan, d):
                continue
            if d.hits:
                text = d.hits[0].fingerprint
            else:
                text = f"rule {d.stage}" if d.reasoning is not None else d.tool or d.stage
            key = (d.guard, measure_of(d), m.shown.fingerprint(text) if d.hits else text)
            times[key] += 1
            logs.setdefault(key, set()).add(o.log)
    ordered = sorted(times, key=lambda k: (-len(logs[k]), -times[k], k))
    blocks: list[Block] = [
        Paragraph(
            "What each advisory, gate or fire is credited to: the first measure that reached its "
            "threshold. Alike texts may stand for several while content is masked."
        ),
        Table(
            "attribution",
            f"On what the guards fired (the first {_MOST} of {len(ordered)})"
            if len(ordered) > _MOST
            else "On what the guards fired",
            (
                Column("guard", "guard"),
                Column("measure", "measure or rule"),
                Column("fingerprint", "fingerprint", "code"),
                Column("times", "times", "count"),
                Column("logs", "logs", "count"),
            ),
            tuple((*k, times[k], len(logs[k])) for k in ordered[:_MOST]),
            empty="No guard spoke or stopped.",
        ),
    ]
    if m.timeline is not None:
        blocks.append(_timeline(m))
    return Section("attribution", "Attribution", tuple(blocks))


def _timeline(m: Material) -> Chart:
    assert m.timeline is not None
    marks: list[tuple[int, str, str]] = []
    rows: list[tuple[str | int | float | None, ...]] = []
    place = 0
    for entry in m.timeline.entries:
        d = entry.decision
        if d is not None:
            if counts(m.plan, d):
                what = "advises" if d.verdict == "advise" else "stops"
                marks.append((place, d.guard, what))
                hit = d.hits[0] if d.hits else None
                rows.append(
                    (
                        place,
                        d.guard,
                        d.verdict,
                        d.stage,
                        measure_of(d),
                        hit.count if hit else None,
                        "exact" if d.exact else "upper bound",
                    )
                )
            continue
        if entry.kind in ("human", "call", "result", "stream"):
            place += 1
        if entry.kind == "human":
            marks.append((place, "human message", ""))
        elif entry.kind == "call":
            marks.append((place, "call", ""))
        elif entry.kind == "stream":
            marks.append((place, "reasoning", ""))
        elif entry.kind == "result" and entry.is_error:
            marks.append((place, "failed result", ""))
    log = m.shown.log(m.timeline.log.key)
    return Chart(
        "timeline",
        "The session with the most interventions",
        f"Timeline of {log}: {place} happenings, {len(rows)} of which guards answered. Ticks "
        "are human messages, calls, failed results, reasoning, and what each guard does.",
        timeline_spec(marks),
        Table(
            "timeline",
            "What the guards did in it",
            (
                Column("at", "happening", "count"),
                Column("guard", "guard"),
                Column("verdict", "verdict"),
                Column("stage", "stage"),
                Column("measure", "measure or rule"),
                Column("count", "count", "count"),
                Column("part", "part"),
            ),
            tuple(rows),
        ),
    )


def overlap(m: Material) -> Section:
    """Which guards speak in the same sessions."""
    combos: Counter[tuple[str, ...]] = Counter()
    for o in _read(m):
        spoke = {d.guard for d in o.decisions if counts(m.plan, d)}
        if spoke:
            combos[tuple(g for g in m.plan.guards if g in spoke)] += 1
    ordered = sorted(combos.items(), key=lambda item: (-item[1], item[0]))
    table = Table(
        "overlap",
        "Sessions by the guards that spoke in them",
        (Column("guards", "exactly these guards"), Column("sessions", "sessions", "count")),
        tuple((" + ".join(combo), n) for combo, n in ordered),
        empty="No guard spoke or stopped in any session.",
    )
    sessions = m.summary.overlap["sessions"]
    assert isinstance(sessions, dict)
    leads, only, caught = (_counts(sessions[k]) for k in ("first", "only", "caught"))
    firsts = Table(
        "overlap-first",
        "Who spoke, who alone, who first",
        (
            Column("guard", "guard"),
            Column("caught", "sessions", "count"),
            Column("only", "no other guard", "count"),
            Column("first", "first or level", "count"),
        ),
        tuple(
            (g, caught[g], only[g], sum(n for k, n in leads.items() if g in k.split("+")))
            for g in m.plan.guards
        ),
    )
    words = Paragraph(
        "Each guard is replayed as if it ran alone. A guard that is never alone and never first "
        "adds nothing on these sessions that another does not."
    )
    if not ordered:
        return Section("overlap", "Overlap of guards", (words, table, firsts))
    chart = Chart(
        "overlap",
        "Which guards speak together",
        "Bars: sessions in which exactly the guards marked below spoke. "
        + "; ".join(f"{' with '.join(c)}: {n}" for c, n in ordered[:4])
        + ".",
        overlap_spec(ordered[:12], m.plan.guards),
        table,
    )
    return Section("overlap", "Overlap of guards", (words, chart, firsts))


def exactness(m: Material) -> Section:
    """How much of what is counted is exact."""
    rows = []
    for guard in m.plan.guards:
        found = [d for o in _read(m) for d in o.decisions if d.guard == guard and counts(m.plan, d)]
        exact = sum(d.exact for d in found)
        matched = sum(d.matched for d in found)
        share = exact / len(found) if found else None
        rows.append((guard, len(found), exact, len(found) - exact, share, matched))
    return Section(
        "exact",
        "Exact against upper bound",
        (
            Paragraph(
                "A replay is exact until the first intervention that the recording did not have: "
                "behind it the model would have gone another way. Everything after it is an upper "
                "bound. Recommendations rest on the exact part alone."
            ),
            Table(
                "exact",
                "Interventions by how exact they are",
                (
                    Column("guard", "guard"),
                    Column("all", "all", "count"),
                    Column("exact", "exact", "count"),
                    Column("bound", "upper bound only", "count"),
                    Column("share", "exact share", "share"),
                    Column("matched", "also in the recording", "count"),
                ),
                tuple(rows),
            ),
            Paragraph(
                "What the recordings hold behind the first intervention of each lifecycle is what "
                "the guard could have saved at most; what lies behind an intervention that the "
                "recording lacks might never have come about."
            ),
            _counterfactual(m),
        ),
    )


def _counts(found: object) -> dict[str, int]:
    assert isinstance(found, dict)
    return {str(name): int(count) for name, count in found.items()}


def _read(m: Material) -> list[LogOutcome]:
    return [o for o in m.summary.outcomes if o.coverage.status == "read"]


def _counterfactual(m: Material) -> Table:
    """Calls, time and tokens behind first interventions."""
    rows = []
    for guard, summary in m.summary.guards.items():
        found = summary.counterfactual
        share = found.behind.calls / found.whole.calls if found.whole.calls else None
        rows.append(
            (
                guard,
                found.lifecycles,
                found.intervened,
                found.after.calls,
                found.after.ms // 1000,
                found.after.output_tokens if found.whole.counted else None,
                share,
            )
        )
    return Table(
        "counterfactual",
        "Behind the first intervention of each lifecycle",
        (
            Column("guard", "guard"),
            Column("lifecycles", "lifecycles", "count"),
            Column("intervened", "with an intervention", "count"),
            Column("calls", "calls after it", "count"),
            Column("seconds", "seconds after it", "count"),
            Column("tokens", "output tokens after it", "count"),
            Column("share", "calls behind a divergence", "share"),
        ),
        tuple(rows),
    )
