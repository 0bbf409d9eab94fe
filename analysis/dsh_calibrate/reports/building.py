"""From what was measured to a report: summary in five lines, then the sections in order."""

from __future__ import annotations

from dsh_calibrate.reports.model import Report
from dsh_calibrate.reports.sections import corpus, ending, fires, thresholds, tracks
from dsh_calibrate.reports.sections.material import Material
from dsh_calibrate.reports.sections.wording import plural

SECTIONS = (
    corpus.coverage,
    corpus.corpus,
    fires.rates,
    thresholds.peaks,
    thresholds.surface,
    thresholds.candidates,
    fires.attribution,
    tracks.failures,
    tracks.allowlist,
    tracks.reasoning,
    fires.overlap,
    fires.exactness,
    ending.recommendation,
    ending.change,
    ending.method,
)
"""Each makes one section of the measured material."""


def build(m: Material) -> Report:
    """The whole report."""
    return Report(
        title=m.title,
        summary=summary(m),
        sections=tuple(section(m) for section in SECTIONS),
        masked=m.shown.masked,
        head=m.head,
    )


def summary(m: Material) -> tuple[str, ...]:
    """Five lines: corpus, fires, stuck and healthy, sureness, recommendation."""
    found = m.coverage
    totals = m.summary.totals
    parts = []
    for guard, one in m.summary.guards.items():
        spoken = " and ".join(f"{name} {r.count}" for name, r in one.rates.items())
        parts.append(f"{guard} {spoken} of {one.logs}")
    decisions = [
        d
        for o in m.summary.outcomes
        if o.coverage.status == "read"
        for d in o.decisions
        if fires.counts(m.plan, d)
    ]
    exact = sum(d.exact for d in decisions)
    return (
        f"Corpus: {found.read} of {plural(found.found, 'log')} read whole, "
        f"{plural(int(str(totals['calls'])), 'call')}; {plural(len(m.spots), 'blind spot')}.",
        f"Fires, in sessions: {'; '.join(parts)}.",
        _labelled(m),
        f"Of {plural(len(decisions), 'intervention')}, {exact} are exact; the rest is an upper "
        "bound.",
        f"Recommendation: {m.answer.line}." if m.answer else f"No recommendation: {m.no_answer}",
    )


def _labelled(m: Material) -> str:
    if m.labels is None:
        return "No labels: what is worth catching and what is a disturbance was not told."
    spoke = {
        o.log
        for o in m.summary.outcomes
        if o.coverage.status == "read"
        and any(fires.counts(m.plan, d) and d.exact for d in o.decisions)
    }
    read = [o.log for o in m.summary.outcomes if o.coverage.status == "read"]
    stuck = [log for log in read if m.outcome(log) == "stuck"]
    healthy = [log for log in read if m.outcome(log) == "healthy"]
    return (
        f"In force, all guards, exact: {len(spoke.intersection(stuck))} of {len(stuck)} stuck "
        f"logs caught, {len(spoke.intersection(healthy))} of {len(healthy)} healthy ones "
        "disturbed."
    )
