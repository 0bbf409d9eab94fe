"""The fire journal for people."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dsh_calibrate.studies.journal import Fire
from dsh_calibrate.studies.journal_agreement import VERDICTS, Agreement
from dsh_calibrate.studies.journal_stats import Stats, moment
from dsh_calibrate_cli.console import cell, shortened
from dsh_calibrate_cli.content_view import ContentView
from dsh_calibrate_cli.replay_text import explain_command
from dsh_calibrate_cli.tables import plain_table

if TYPE_CHECKING:
    from rich.console import Console

_WORDS = {
    "agrees": "agree: the replay fires there too, by the same rule at the same length",
    "other_place": "same rule, at another length",
    "other_rule": "another rule",
    "not_replayed": "the replay does not fire there",
    "not_in_journal": "the replay alone fires",
}
_REASONS = {
    "other_thresholds": "other thresholds: with those of the line the replay fires alike",
    "other_version": "written by a version of which no line agrees",
    "session_not_found": "no log of that session among those given",
    "place_not_told": "the line lacks session, turn or step",
    "stream_not_in_log": "the log holds no reasoning at that turn and step",
    "log_incomplete": "the log is damaged or cannot be read up to there",
    "no_pieces": "the log kept no pieces, so where the guard judged is not known",
    "before_journal": "the session began before the journal's first line",
    "unexplained": "no reason found",
}


def print_fires(
    console: Console, fires: Sequence[Fire], view: ContentView, root: str, *, utc: bool
) -> None:
    """Print one block a fire: what, where, a preview, how to see it.

    ``root`` follows ``explain`` in printed commands: where the session is looked up.
    """
    if not fires:
        console.print(cell("No fire in there."))
    for fire in fires:
        console.print(cell(_line(fire, view, utc=utc)), soft_wrap=True)
        if fire.preview:
            console.print(cell("   " + shortened(view.text(fire.preview), 94), "dim"))
        if fire.session is not None:
            console.print(cell(f"   {_explain(fire)}{root}", "dim"), soft_wrap=True)


def _line(fire: Fire, view: ContentView, *, utc: bool) -> str:
    figures = [
        f"{fire.units} units of {fire.period}" if fire.units is not None else "",
        f"{fire.count} times" if fire.count is not None else "",
        f"at {fire.at_utf16:,} UTF-16 units" if fire.at_utf16 is not None else "",
        f"turn {fire.turn}, step {fire.step}" if fire.turn is not None else "",
        view.tool(fire.model) if fire.model else "",
    ]
    told = ", ".join(part for part in figures if part)
    rule = view.tool(fire.rule)
    return f"{moment(fire.at, utc=utc) or 'time not known'}  {rule}: {told}"


def _explain(fire: Fire) -> str:
    turn = f" --turn {fire.turn}" if fire.turn is not None else ""
    return f"dsh-calibrate explain {shlex.quote(fire.session or '')} --guard rlg{turn}"


def print_stats(
    console: Console, found: Stats, newest: Fire | None, root: str, *, utc: bool
) -> None:
    """Print the span, one table a grouping, and how to see the newest fire (``root`` as above)."""
    span = ""
    if found.first is not None:
        span = f", from {moment(found.first, utc=utc)} to {moment(found.last, utc=utc)}"
    console.print(cell(f"{found.fires} fires in {found.sessions} sessions{span}", "bold"))
    if not found.fires:
        return
    zone = "UTC" if utc else "local time"
    for title, counts in (
        ("by rule", found.by_rule),
        ("by model", found.by_model),
        (f"by day ({zone})", found.by_day),
        ("by version", found.by_version),
    ):
        _print_counts(console, title, counts)
    if newest is not None and newest.session is not None:
        console.print(cell("The newest one:", "dim"))
        console.print(cell(f"  {_explain(newest)}{root}"), soft_wrap=True)


def _print_counts(console: Console, title: str, counts: Mapping[str, int]) -> None:
    table = plain_table(title, "", "fires")
    for name, count in counts.items():
        table.add_row(cell(name), cell(count))
    console.print(table)


def print_agreement(
    console: Console,
    rows: Sequence[Agreement],
    view: ContentView,
    settings: Sequence[str],
    *,
    utc: bool,
) -> None:
    """Print how many lines agree, then every one that does not, with the reason.

    ``settings`` are the options that give ``explain`` the settings of this replay.
    """
    more = f" {shlex.join(settings)}" if settings else ""
    counts = Counter(row.verdict for row in rows)
    lines = sum(row.fire is not None for row in rows)
    console.print(cell(f"{lines} journal lines, {counts['agrees']} agree", "bold"))
    table = plain_table("", "journal line and replay", "count")
    for verdict in VERDICTS:
        if counts[verdict]:
            table.add_row(cell(_WORDS[verdict]), cell(counts[verdict]))
    console.print(table)
    for row in rows:
        if row.verdict != "agrees":
            _print_row(console, row, view, more, utc=utc)
    first = next((row for row in rows if row.verdict == "agrees"), None)
    if first is not None and first.decision is not None and first.path is not None:
        console.print(cell("One that agrees:", "dim"))
        command = explain_command(first.path, first.decision)
        console.print(cell(f"  {command}{more}"), soft_wrap=True)


def _print_row(
    console: Console, row: Agreement, view: ContentView, settings: str, *, utc: bool
) -> None:
    fire, decision = row.fire, row.decision
    if fire is not None:
        console.print(cell(_line(fire, view, utc=utc)), soft_wrap=True)
    if decision is not None and decision.reasoning is not None:
        at = decision.reasoning
        console.print(
            cell(
                f"   replay: {decision.stage} at {at.at_utf16:,} UTF-16 units, turn {at.turn}, "
                f"step {at.step} ({view.log(decision.log)})"
            )
        )
    console.print(cell(f"   {_WORDS[row.verdict]}: {_REASONS.get(row.reason, '')}"))
    if row.differing and fire is not None and fire.thresholds is not None:
        named = ", ".join(f"{key} {fire.thresholds[key]:g}" for key in row.differing)
        console.print(cell(f"   the line's thresholds that the replay did not use: {named}"))
    if decision is not None and row.path is not None:
        command = explain_command(row.path, decision)
        console.print(cell(f"   {command}{settings}", "dim"), soft_wrap=True)
    elif fire is not None and fire.session is not None and row.path is not None:
        turn = f" --turn {fire.turn}" if fire.turn is not None else ""
        command = f"dsh-calibrate explain {shlex.quote(row.path)} --guard rlg{turn}{settings}"
        console.print(cell(f"   {command}", "dim"), soft_wrap=True)
