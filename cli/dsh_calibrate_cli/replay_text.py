"""``replay`` for people: what was read, what each guard did, on what, and where most."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.outcome import Figures
from dsh_calibrate.replay.rates import Rate
from dsh_calibrate.replay.summary import GuardSummary, Summary
from dsh_calibrate_cli.console import cell
from dsh_calibrate_cli.tables import plain_table

if TYPE_CHECKING:
    from rich.console import Console

    from dsh_calibrate_cli.tables import FittedTable

NAMES = {
    "rtb": "repeat-tool-breaker",
    "tfb": "tool-failure-circuit-breaker",
    "rtr": "repeat-tool-reminder",
    "rlg": "reasoning-loop-guard",
}
_ROWS: dict[str, tuple[tuple[str, tuple[str, ...], str | None], ...]] = {
    "rtb": (
        ("warned (warnAt)", ("advisories", "warn"), None),
        ("asked to sum up (summarizeAt)", ("advisories", "summarize"), None),
        ("told of failures (failWarnAt)", ("advisories", "failure"), None),
        ("any advice", (), "advised"),
        ("stopped: repeats (limits)", ("gates", "repeat"), None),
        ("stopped: failures (failLimit)", ("gates", "failure"), None),
        ("any stop", (), "gated"),
        ("operator asked", ("asks",), None),
    ),
    "tfb": (("calls stopped", ("denied",), "stopped"),),
    "rtr": (("reminders", ("reminders",), "reminded"),),
    "rlg": (("streams cut", ("fires",), "fired"),),
}


_LEGEND = (
    "exact: the live guard would have done precisely this. up to: an upper bound. After a "
    "guard's first intervention the model would have gone another way than the recording, so "
    "whatever the replay counts behind it might never have come about. sessions: the logs in "
    "which it happened at least once, of those in which the guard had anything to look at, "
    "with the exact 95% interval."
)


def print_replay(
    console: Console,
    summary: Summary,
    noisiest: int,
    name: Callable[[str], str],
    options: str = "",
) -> None:
    """Print the tables of one replay, widest story first.

    ``name`` shows the key of a log; ``options`` follow ``explain`` in the command at the end.
    """
    console.print(_guard_table(summary.guards))
    console.print(cell(_LEGEND, "dim"))
    breaker = summary.guards.get("rtb")
    if breaker is not None:
        _print_breaker(console, breaker)
    reasoning = summary.guards.get("rlg")
    if reasoning is not None and _leaf(reasoning.figures, ("fires",)):
        _print_reasoning(console, reasoning)
    _print_counterfactual(console, summary.guards)
    if len(summary.guards) > 1:
        _print_overlap(console, summary.overlap, tuple(summary.guards))
    _print_noisiest(console, summary, noisiest, name, options)
    if _leaf(summary.damaged_totals, ("logs",)):
        console.print()
        console.print(_guard_table(summary.damaged_guards, damaged=True))


def _leaf(figures: Figures, path: tuple[str, ...]) -> int:
    value: int | Figures = figures
    for name in path:
        assert isinstance(value, dict)
        value = value.get(name, 0)
    if isinstance(value, dict):
        return sum(v for v in value.values() if isinstance(v, int))
    return value


def _guard_table(guards: Mapping[str, GuardSummary], *, damaged: bool = False) -> FittedTable:
    title = "What each guard would have done"
    if damaged:
        title = "The same in damaged logs, up to the damage (in no rate above)"
    table = plain_table(title, "guard", "exact", "up to", "sessions: exact (95% interval)", "up to")
    for guard, summary in guards.items():
        table.add_row(
            cell(f"{guard}  {NAMES[guard]}", "bold"), "", "", cell(f"of {summary.logs}"), ""
        )
        for label, path, rate in _ROWS[guard]:
            found = summary.exact_rates[rate] if rate is not None else None
            bound = summary.rates[rate] if rate is not None else None
            table.add_row(
                cell(f"   {label}"),
                cell(_leaf(summary.exact, path)) if path else "",
                cell(_leaf(summary.figures, path)) if path else "",
                cell(_share(found)) if found is not None else "",
                cell(bound.count) if bound is not None else "",
            )
    return table


def _share(found: Rate) -> str:
    value = found.value
    if value is None:
        return "no session to count"
    return f"{found.count}: {value:.1%} ({found.low:.1%} to {found.high:.1%})"


def _print_breaker(console: Console, breaker: GuardSummary) -> None:
    measures = breaker.figures["by_measure"]
    exact = breaker.exact["by_measure"]
    assert isinstance(measures, dict)
    assert isinstance(exact, dict)
    if measures:
        table = plain_table(
            "rtb by measure (the first that hit is credited)",
            "measure",
            "advice exact",
            "advice up to",
            "stops exact",
            "stops up to",
            "sessions",
        )
        for kind, counts in measures.items():
            assert isinstance(counts, dict)
            part = exact.get(kind, {})
            assert isinstance(part, dict)
            table.add_row(
                cell(f"{kind}:"),
                cell(_leaf(part, ("advisories",))),
                cell(_leaf(counts, ("advisories",))),
                cell(_leaf(part, ("gates",))),
                cell(_leaf(counts, ("gates",))),
                cell(_leaf(counts, ("sessions",))),
            )
        console.print(table)
    failures = breaker.figures["failures"]
    assert isinstance(failures, dict)
    reasons = failures["by_reason"]
    assert isinstance(reasons, dict)
    named = ", ".join(f"{reason} {n}" for reason, n in reasons.items() if n)
    console.print(
        cell(
            f"Failed calls (read off the text a log keeps): {failures['calls']}"
            + (f" ({named})" if named else "")
        )
    )
    block = breaker.figures["shell_http"]
    assert isinstance(block, dict)
    console.print(
        cell(
            f"Shell-HTTP block: would refuse {block['refused']} calls in {block['sessions']} "
            f"sessions (names a downloader {block['target']}, only carries an address "
            f"{block['incidental']}, no address that parses {block['url_less']})"
        )
    )
    undelivered = _leaf(breaker.figures, ("undelivered",))
    if undelivered:
        console.print(
            cell(
                f"Advice that nobody would have seen (call without a result, or inside "
                f"run_code): {undelivered}"
            )
        )
    recorded = _leaf(breaker.figures, ("recorded_denials",))
    if recorded:
        console.print(
            cell(
                f"Calls this guard had already stopped while recording: {recorded}. "
                "What the model did next was shaped by that."
            )
        )


def _print_reasoning(console: Console, reasoning: GuardSummary) -> None:
    table = plain_table("rlg by rule", "rule", "exact", "up to")
    rules = reasoning.figures["by_rule"]
    assert isinstance(rules, dict)
    for rule in rules:
        table.add_row(
            cell(rule),
            cell(_leaf(reasoning.exact, ("by_rule", rule))),
            cell(_leaf(reasoning.figures, ("by_rule", rule))),
        )
    console.print(table)
    saved = _leaf(reasoning.figures, ("saved_utf16",))
    seconds = _leaf(reasoning.figures, ("saved_ms",)) / 1000
    console.print(
        cell(f"Reasoning after the cuts: {saved:,} characters (UTF-16), {seconds:,.1f} s")
    )


def _print_counterfactual(console: Console, guards: Mapping[str, GuardSummary]) -> None:
    table = plain_table(
        "Behind the first intervention of each lifecycle: what it could have saved, at most",
        "guard",
        "lifecycles",
        "calls",
        "seconds",
        "output tokens",
        "calls behind a divergence",
    )
    for guard, summary in guards.items():
        found = summary.counterfactual
        if found.intervened:
            share = found.behind.calls / found.whole.calls if found.whole.calls else 0.0
            table.add_row(
                cell(guard),
                cell(f"{found.intervened} of {found.lifecycles}"),
                cell(found.after.calls),
                cell(f"{found.after.ms / 1000:,.0f}"),
                cell(found.after.output_tokens if found.whole.counted else "–"),
                cell(f"{share:.0%} of {found.whole.calls}"),
            )
    if table.rows:
        console.print(table)


def _print_overlap(console: Console, overlap: Figures, guards: tuple[str, ...]) -> None:
    sessions = overlap["sessions"]
    assert isinstance(sessions, dict)
    if not _leaf(sessions, ("any",)):
        return
    table = plain_table(
        "Sessions caught (the guard spoke or stopped at least once)",
        "guard",
        "caught",
        "by no other",
        *(f"also {g}" for g in guards),
    )
    for guard in guards:
        row = [
            "–"
            if guard == other
            else str(_leaf(sessions, ("pairs", "+".join(sorted((guard, other), key=guards.index)))))
            for other in guards
        ]
        table.add_row(
            cell(guard),
            cell(_leaf(sessions, ("caught", guard))),
            cell(_leaf(sessions, ("only", guard))),
            *map(cell, row),
        )
    console.print(table)
    first = sessions["first"]
    assert isinstance(first, dict)
    console.print(cell("First to speak: " + ", ".join(f"{g} {n}" for g, n in first.items())))


def _spoken(decision: Decision) -> bool:
    """Whether the guard acted; what the block would refuse in mode ``measure`` is told apart."""
    return decision.verdict != "refuse" or not decision.ran


def _print_noisiest(
    console: Console, summary: Summary, most: int, name: Callable[[str], str], options: str
) -> None:
    noise = {o.log: sum(map(_spoken, o.decisions)) for o in summary.outcomes}
    loud = sorted(
        (o for o in summary.outcomes if noise[o.log]), key=lambda o: (-noise[o.log], o.log)
    )
    if not loud or most <= 0:
        return
    table = plain_table(
        "Noisiest logs: how often each guard acted", "log", "calls", *summary.guards
    )
    for outcome in loud[:most]:
        table.add_row(
            cell(name(outcome.log)),
            cell(_leaf(outcome.totals, ("calls",))),
            *(cell(sum(map(_spoken, part.decisions))) for part in outcome.guards.values()),
        )
    console.print(table)
    if len(loud) > most:
        console.print(cell(f"and {len(loud) - most} more logs (--noisiest N shows more)"))
    first = next(d for d in loud[0].decisions if _spoken(d))
    console.print(cell("See why, for example:", "dim"))
    loudest = loud[0]
    path = loudest.path if name(loudest.log) == loudest.log else "LOG"  # masked: not here either
    console.print(cell(f"  {explain_command(path, first)}{options}"), soft_wrap=True)


def explain_command(path: str, decision: Decision) -> str:
    """The command that shows why a decision came about."""
    import shlex

    return (
        f"dsh-calibrate explain {shlex.quote(path)} --guard {decision.guard} --seq {decision.seq}"
    )
