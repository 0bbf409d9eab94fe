"""The replay of a corpus as one document: the JSON of ``replay`` (contract.md 5).

Logs that were read whole make the figures; damaged ones are measured up to the damage and
stand under ``damaged``, with the same shapes, so that they are in no rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dsh_calibrate.replay.counterfactuals import Counterfactual
from dsh_calibrate.replay.figures import nothing
from dsh_calibrate.replay.outcome import Figures, GuardOutcome, LogOutcome, add_figures
from dsh_calibrate.replay.overlap import overlap
from dsh_calibrate.replay.rates import Rate, rate

SESSION_LEAVES: dict[str, tuple[tuple[str, str], ...]] = {
    "rtb": (("advised", "sessions_advised"), ("gated", "sessions_gated")),
    "tfb": (("stopped", "sessions"),),
    "rtr": (("reminded", "sessions"),),
    "rlg": (("fired", "sessions"),),
}
"""Which figures count sessions, under the name that their rate has."""


@dataclass(frozen=True, slots=True)
class GuardSummary:
    """One guard over the corpus: counts, their exact part, and rates per session.

    ``logs`` is the denominator: logs read whole in which the guard had something to look at.
    """

    guard: str
    logs: int
    figures: Figures
    exact: Figures
    rates: dict[str, Rate]
    exact_rates: dict[str, Rate]
    counterfactual: Counterfactual


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole corpus. ``logs`` is one entry a log that was measured, in corpus order."""

    totals: Figures
    guards: dict[str, GuardSummary]
    overlap: Figures
    damaged_totals: Figures
    damaged_guards: dict[str, GuardSummary]
    outcomes: tuple[LogOutcome, ...]


def summarise(outcomes: Sequence[LogOutcome], guards: tuple[str, ...]) -> Summary:
    """Add up the outcomes of all logs, read ones and damaged ones apart."""
    read = [o for o in outcomes if o.coverage.status == "read"]
    damaged = [o for o in outcomes if o.coverage.status == "damaged"]
    return Summary(
        totals=_totals(read),
        guards={g: _guard(g, read) for g in guards},
        overlap=overlap(read, guards),
        damaged_totals=_totals(damaged),
        damaged_guards={g: _guard(g, damaged) for g in guards},
        outcomes=tuple(outcomes),
    )


def _totals(outcomes: Sequence[LogOutcome]) -> Figures:
    totals: Figures = {
        "logs": 0,
        "lifecycles": 0,
        "calls": 0,
        "not_dispatched": 0,
        "results": 0,
        "synthetic_results": 0,
        "human_turns": 0,
        "resets": 0,
        "resets_after_abort": 0,
        "streams": 0,
        "reasoning_utf16": 0,
    }
    for outcome in outcomes:
        add_figures(totals, outcome.totals)
    return totals


def _guard(guard: str, outcomes: Sequence[LogOutcome]) -> GuardSummary:
    figures, exact = nothing(guard), nothing(guard)
    counterfactual = Counterfactual()
    logs = 0
    for outcome in outcomes:
        part: GuardOutcome = outcome.guards[guard]
        add_figures(figures, part.figures)
        add_figures(exact, part.exact)
        counterfactual.add(part.counterfactual)
        logs += part.tracked > 0
    return GuardSummary(
        guard,
        logs,
        figures,
        exact,
        _rates(guard, figures, logs),
        _rates(guard, exact, logs),
        counterfactual,
    )


def _rates(guard: str, figures: Figures, logs: int) -> dict[str, Rate]:
    found = {}
    for name, leaf in SESSION_LEAVES[guard]:
        count = figures[leaf]
        assert isinstance(count, int)
        found[name] = rate(count, logs)
    return found


def summary_json(summary: Summary) -> dict[str, object]:
    """The subtrees of contract.md 5 that belong to ``replay`` alone."""
    return {
        "totals": _with_unread(summary.totals, summary),
        "guards": {g: _guard_json(s) for g, s in summary.guards.items()},
        "rates": {
            g: {
                **{name: rate_json(r) for name, r in s.rates.items()},
                "exact": {name: rate_json(r) for name, r in s.exact_rates.items()},
            }
            for g, s in summary.guards.items()
        },
        "counterfactual": {g: s.counterfactual.as_json() for g, s in summary.guards.items()},
        "overlap": summary.overlap,
        "damaged": {
            "totals": _with_unread(summary.damaged_totals, summary),
            "guards": {g: _guard_json(s) for g, s in summary.damaged_guards.items()},
        },
        "logs": [
            {**_log_json(o), "totals": _with_unread(o.totals, summary)} for o in summary.outcomes
        ],
    }


def _with_unread(totals: Figures, summary: Summary) -> dict[str, object]:
    """Totals in which reasoning that nobody asked to read is ``null``, not nothing."""
    unread = () if "rlg" in summary.guards else ("streams", "reasoning_utf16")
    return {name: None if name in unread else value for name, value in totals.items()}


def rate_json(found: Rate) -> dict[str, object]:
    """A rate with its bounds, rounded to six decimals so that platforms agree."""
    value = found.value
    return {
        "count": found.count,
        "of": found.of,
        "rate": None if value is None else round(value, 6),
        "low": round(found.low, 6),
        "high": round(found.high, 6),
    }


def _guard_json(summary: GuardSummary) -> dict[str, object]:
    return {"logs": summary.logs, **summary.figures, "exact": dict(summary.exact)}


def _log_json(outcome: LogOutcome) -> dict[str, object]:
    header = outcome.header
    return {
        "log": outcome.log,
        "session": header.session if header is not None else None,
        "format_version": header.version if header is not None else None,
        "status": outcome.coverage.status,
        "guards": {
            g: {"tracked": part.tracked, **part.figures, "exact": dict(part.exact)}
            for g, part in outcome.guards.items()
        },
    }
