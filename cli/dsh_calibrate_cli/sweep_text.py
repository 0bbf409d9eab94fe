"""``sweep`` for people: one row a set, then what no threshold can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dsh_calibrate.calibrate.sweeping_figures import SetFigures, first_caught
from dsh_calibrate.replay.rates import Rate
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import cell
from dsh_calibrate_cli.sweep_document import SetReport, SweepReport, best_of
from dsh_calibrate_cli.tables import plain_table

if TYPE_CHECKING:
    from rich.console import Console

_LEGEND = (
    "a/b: a exactly as the live guard would have done it, b an upper bound (what comes after a "
    "guard's first intervention might never have come about). Sessions with the exact 95% "
    "interval: counted are logs, so a session that lies in several logs counts once for each "
    "(derive counts it once). asks: questions to the operator; p95 and max are per session."
)
_MOST_DEAD = 12


def print_sweep(console: Console, report: SweepReport) -> None:
    """Print the tables of one sweep."""
    guards = ", ".join(report.sweep.guards)
    title = (
        f"{counted(len(report.sets), 'set')} over {counted(len(report.sessions), 'log')} ({guards})"
    )
    _print_costs(console, report, title, None)
    console.print(cell(_LEGEND, "dim"))
    if report.labels is not None:
        _print_labelled(console, report)
    _print_compared(console, report)
    if report.by is not None:
        for value in report.in_force.slices:
            _print_costs(console, report, f"{report.by}: {value or '(unknown)'}", value)
    _print_measures(console, report)
    _print_dead(console, report)
    _print_reasoning(console, report)


def _all(report: SweepReport) -> tuple[SetReport, ...]:
    return (report.in_force, *report.sets)


def _print_costs(console: Console, report: SweepReport, title: str, value: str | None) -> None:
    table = plain_table(
        title, "set", "advice", "sessions advised", "gates", "sessions gated", "asks"
    )
    for one in _all(report):
        whole, exact = (one.whole, one.exact) if value is None else one.slices[value]
        table.add_row(
            cell(one.candidate.name),
            cell(_both(exact.tally.advised, whole.tally.advised)),
            cell(_share(exact.advised)),
            cell(_both(exact.tally.gates, whole.tally.gates)),
            cell(_share(exact.gated)),
            cell(_asks(exact, whole)),
        )
    console.print(table)


def _asks(exact: SetFigures, whole: SetFigures) -> str:
    asks = _both(exact.tally.asks, whole.tally.asks)
    if not whole.tally.asks:
        return asks
    return f"{asks} (mean {whole.asks_mean:.2f}, p95 {whole.asks_p95}, max {whole.asks_max})"


def _both(exact: int, whole: int) -> str:
    return str(exact) if exact == whole else f"{exact}/{whole}"


def _labelled(exact: Rate, whole: Rate) -> str:
    return f"{_both(exact.count, whole.count)} of {whole.of}"


def _share(found: Rate) -> str:
    if found.value is None:
        return "no session"
    return f"{found.count} ({found.low:.1%} to {found.high:.1%})"


def _print_labelled(console: Console, report: SweepReport) -> None:
    best = best_of(report)
    table = plain_table(
        "Labelled logs", "set", "stuck caught", "healthy disturbed", "first at call"
    )
    for one in _all(report):
        caught = first_caught(report.sweep, one.number, report.sessions, report.labels)
        calls = sorted(c.call for c in caught)
        name = f"{one.candidate.name} *" if one.number in best else one.candidate.name
        table.add_row(
            cell(name),
            cell(_labelled(one.exact.stuck, one.whole.stuck)),
            cell(_labelled(one.exact.healthy, one.whole.healthy)),
            cell(f"{calls[0]} to {calls[-1]}" if calls else "–"),
        )
    console.print(table)
    console.print(
        cell("* no other set disturbs fewer, catches more and is quieter at once.", "dim")
    )


def _print_compared(console: Console, report: SweepReport) -> None:
    table = plain_table(
        "Against what is in force, same sessions (exact part; other piece sizes: upper bound)",
        "set",
        "newly disturbed",
        "no longer",
        "p",
        "advice per session",
    )
    rows = 0
    for one in report.sets:
        found = one.compared
        if found is None or (found.disturbed.a == found.disturbed.b == 0):
            continue
        rows += 1
        mean = found.advisories
        table.add_row(
            cell(one.candidate.name),
            cell(found.disturbed.b),
            cell(found.disturbed.a),
            cell(_p_value(found.disturbed.p_value)),
            cell(
                "–"
                if mean.value is None
                else f"{mean.value:+.2f} ({mean.low:+.2f} to {mean.high:+.2f})"
            ),
        )
    if rows:
        console.print(table)


def _print_measures(console: Console, report: SweepReport) -> None:
    kinds = sorted({kind for one in _all(report) for kind in one.whole.tally.by_measure})
    if len(kinds) < 2:
        return
    table = plain_table("By measure: advice+gates (upper bound)", "set", *kinds)
    for one in _all(report):
        found = one.whole.tally.by_measure
        parts = [found.get(kind, (0, 0)) for kind in kinds]
        table.add_row(cell(one.candidate.name), *(cell(f"{a}+{g}") for a, g in parts))
    console.print(table)


def _print_dead(console: Console, report: SweepReport) -> None:
    lines: dict[str, list[str]] = {}
    for one in _all(report):
        for dead in one.dead:
            lines.setdefault(str(dead), []).append(one.candidate.name)
    if not lines:
        return
    console.print(cell("Out of reach", "bold"))
    for place, (text, names) in enumerate(lines.items()):
        if place == _MOST_DEAD:
            console.print(cell(f"  and {len(lines) - _MOST_DEAD} more (all in --format json)"))
            break
        where = names[0] if len(names) == 1 else counted(len(names), "set")
        console.print(cell(f"  {text}  [{where}]"))


def _print_reasoning(console: Console, report: SweepReport) -> None:
    if not report.closeness:
        return
    table = plain_table(
        "Reasoning: how close to each threshold in force (1 and more: it holds)",
        "threshold",
        "in force",
        "highest",
        "lowest stuck ÷",
        "highest healthy ÷",
        "streams that hold",
    )
    for found in report.closeness:
        at = next(p for p in found.curve if p.value == found.threshold)
        table.add_row(
            cell(f"{found.key} ({found.rule})"),
            cell(f"{found.threshold:g}"),
            cell(f"{found.peak:.3g}"),
            cell(_ratio(found.lowest_positive)),
            cell(_ratio(found.highest_negative)),
            cell(at.streams),
        )
    console.print(table)


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _p_value(value: float) -> str:
    """Three digits; what is smaller is not nought."""
    return f"{value:.3f}" if value >= 0.0005 else "<0.001"
