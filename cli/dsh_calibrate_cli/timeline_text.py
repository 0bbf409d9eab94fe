"""A timeline for people: one line a happening, what guards did set apart."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.studies.explaining_words import reached, said
from dsh_calibrate.studies.timeline import Entry, Timeline
from dsh_calibrate_cli.console import cell, shortened
from dsh_calibrate_cli.content_view import ContentView

if TYPE_CHECKING:
    from rich.console import Console

STYLES = {"advise": "yellow", "ask": "red", "deny": "red", "refuse": "magenta", "fire": "red"}
_LEGEND = (
    "Left: the log's number, seconds since the session began. ▲ a guard; exact: the live guard "
    "would have done precisely this, after it the model would have gone another way (~)."
)


def print_timeline(
    console: Console,
    found: Timeline,
    entries: Sequence[Entry],
    view: ContentView,
    options: str = "",
) -> None:
    """Print the entries, and how to see more of one."""
    session = found.header.session if found.header is not None else "no header"
    console.print(cell(f"{view.log(found.log.key)}  session {view.log(session)}", "bold"))
    start = next((e.time for e in entries if e.time is not None), None)
    width = max(60, console.width)
    for entry in entries:
        lead = f"{entry.seq:>7} {_since(start, entry.time):>9}  "
        if entry.decision is not None:
            style = STYLES[entry.decision.verdict]
            console.print(
                cell(" " * len(lead) + "  ▲ " + decision_words(entry.decision), style),
                soft_wrap=True,
            )
            continue
        text = shortened(_words(entry, view), width - len(lead) - 6)
        console.print(cell(lead + _INDENT.get(entry.kind, "    ") + text), soft_wrap=True)
    console.print()
    console.print(cell(_LEGEND, "dim"))
    first = next((e.decision for e in entries if e.decision is not None), None)
    if first is None:
        console.print(cell("No guard speaks here. Why not, for any call N of the left column:"))
        line = f"dsh-calibrate explain {shlex.quote(str(found.log.path))} --seq N"
    else:
        from dsh_calibrate_cli.replay_text import explain_command

        console.print(cell("Why a guard spoke: --seq and --guard of its line, for example:", "dim"))
        line = explain_command(str(found.log.path), first)
    console.print(cell(f"  {line}{options}"), soft_wrap=True)


_INDENT = {"lifecycle": "", "gap": "", "turn": "", "turn-end": "", "step": "  "}


def decision_words(decision: Decision) -> str:
    """One line for a decision: guard, what it does, figure and setting, how sure."""
    sure = "exact" if decision.exact else "~"
    recorded = ", recorded too" if decision.matched else ""
    return (
        f"{decision.guard} {said(decision)}: {reached(decision)} ({sure}{recorded})"
        f"  --seq {decision.seq} --guard {decision.guard}"
    )


def _since(start: int | None, time: int | None) -> str:
    if start is None or time is None:
        return ""
    return f"+{(time - start) / 1000:.1f}s"


def _words(e: Entry, view: ContentView) -> str:
    if e.kind == "call":
        away = "" if e.reaches_guards else " (never reached a guard)"
        return f"call {e.call}  {view.tool(e.name)} {view.arguments(e.text)}{away}"
    if e.kind == "result":
        state = "error" if e.is_error else "result"
        made = "" if e.reaches_guards else " (made up after a cut)"
        which = f" of call {e.call}" if e.call is not None else " of no call here"
        return f"{state}{which}{made}  {view.text(e.text)}"
    if e.kind == "stream":
        return f"stream {e.stream}  {e.utf16:,} UTF-16 units of reasoning, ends: {e.name or '?'}"
    return {
        "lifecycle": f"agent begins (lifecycle {e.lifecycle}): every guard starts empty",
        "gap": "damage skipped: every guard starts empty",
        "turn": f"turn {e.turn}",
        "turn-end": f"turn {e.turn} ends: {e.name}",
        "step": f"step {e.step}",
        "human": "human message: every tool guard starts afresh",
        "notice": f"notice of {view.tool(e.name)}  {view.text(e.text)}",
        "retry": f"retry after {e.name or 'a failure'}",
    }[e.kind]
