"""One call or one stream explained for people."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.studies.explaining import CallExplanation, Explanation, StreamExplanation
from dsh_calibrate.studies.explaining_breaker import BreakerTrace, Measure
from dsh_calibrate.studies.explaining_reasoning import segments
from dsh_calibrate.studies.explaining_words import (
    number,
    outline,
    reached,
    said,
    why_no_breaker,
    why_no_count,
)
from dsh_calibrate.studies.timeline import Timeline
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import cell, printable, shortened
from dsh_calibrate_cli.content_view import ContentView
from dsh_calibrate_cli.replay_text import NAMES, explain_command
from dsh_calibrate_cli.tables import plain_table
from dsh_calibrate_cli.timeline_text import STYLES

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_LAST_POINTS = 10
_LAST_TEXT = 900
"""Code points of reasoning shown around its end."""


def print_explanation(
    console: Console,
    found: Timeline,
    explained: Explanation,
    plan: Plan,
    view: ContentView,
    options: str = "",
) -> None:
    """Print what is known about one place, guard by guard; ``options`` follow ``explain``."""
    if isinstance(explained, StreamExplanation):
        _print_stream(console, found, explained, plan, view)
        decisions: Sequence[Decision] = (explained.fire,) if explained.fire else ()
    else:
        _print_call(console, found, explained, plan, view)
        decisions = explained.decisions
    console.print()
    console.print(cell("The session around it:", "dim"))
    path = str(found.log.path)
    turn = explained.trace.opened.turn if isinstance(explained, StreamExplanation) else None
    if isinstance(explained, CallExplanation):
        turn = explained.call.turn
    narrowed = f" --turn {turn}" if turn is not None else ""
    console.print(
        cell(f"  dsh-calibrate explain {shlex.quote(path)}{narrowed}{options}"), soft_wrap=True
    )
    for decision in decisions[:1]:
        console.print(cell("This again:", "dim"))
        console.print(cell(f"  {explain_command(path, decision)}{options}"), soft_wrap=True)


def _print_call(
    console: Console, found: Timeline, e: CallExplanation, plan: Plan, view: ContentView
) -> None:
    call, result = e.call, e.result
    console.print(
        cell(
            f"{view.log(found.log.key)}: call {call.index} of lifecycle {e.lifecycle}, "
            f"seq {call.seq}, line {call.line}, turn {call.turn}, step {call.step}",
            "bold",
        )
    )
    console.print(cell(f"{view.tool(call.tool)} {view.arguments(call.arguments)}"))
    if not call.dispatched:
        console.print(
            cell("It never reached a guard: it was cut off before it could run, so nothing counts.")
        )
        return
    if result is None:
        console.print(cell("It has no result in this lifecycle."))
    else:
        kind = "made-up result" if result.synthetic else "error" if result.is_error else "result"
        shown = shortened(view.text(result.text), 240)
        console.print(cell(f"{kind} (seq {result.seq}): {shown}"))
    by_guard = {g: [d for d in e.decisions if d.guard == g] for g in ("rtb", "tfb", "rtr")}
    if e.rtb is not None and plan.rtb is not None:
        _heading(console, "rtb")
        if e.rtb.tracked:
            _print_breaker(console, e.rtb, plan, view)
        _print_decisions(
            console, by_guard["rtb"], plan, why_no_breaker(e.rtb, plan.rtb, len(by_guard["rtb"]))
        )
    for guard, trace in (("tfb", e.tfb), ("rtr", e.rtr)):
        if trace is None:
            continue
        _heading(console, guard)
        if by_guard[guard] and trace.count is not None:
            what = (
                f"failures of this very call in a row before it: {trace.count}; maxFailures"
                if guard == "tfb"
                else f"length of the run of equal calls with it: {trace.count}; thresholds"
            )
            console.print(cell(f"{what} {', '.join(map(str, trace.thresholds))}"))
        silent = why_no_count(guard, trace, len(by_guard[guard]))
        _print_decisions(console, by_guard[guard], plan, silent)


def _heading(console: Console, guard: str) -> None:
    console.print()
    console.print(cell(f"{guard}  {NAMES[guard]}", "bold"))


def _print_decisions(
    console: Console, decisions: Sequence[Decision], plan: Plan, silent: str
) -> None:
    if silent:
        console.print(cell(f"Says nothing: {silent}."))
    for decision in decisions:
        sure = (
            "exactly what the live guard would have done"
            if decision.exact
            else f"an upper bound: an earlier {decision.divergence} had already changed the course"
        )
        console.print(
            cell(f"▲ {said(decision)}: {reached(decision)} ({sure})", STYLES[decision.verdict])
        )
        others = [f"{h.measure}: {h.count} of {number(h.threshold)}" for h in decision.hits[1:]]
        if others:
            console.print(cell(f"  hit as well: {', '.join(others)}"))
        if decision.matched:
            console.print(cell("  The recording holds the same intervention."))
        console.print(
            cell(f"  The model would have been given, in outline: {outline(decision, plan)}")
        )


def _print_breaker(console: Console, trace: BreakerTrace, plan: Plan, view: ContentView) -> None:
    config = plan.rtb
    assert config is not None
    table = plain_table(
        "", "measure", "in window, with it", "limit", "failed in a row", "after", "operator"
    )
    for m in trace.measures:
        table.add_row(
            cell(f"{m.measure}:"),
            cell(m.count),
            cell("no limit" if m.cap is None else number(m.cap)),
            cell(m.streak),
            cell("" if m.streak_after is None or m.cap is None else m.streak_after),
            cell("approved" if m.exempt else "declined" if m.refused else ""),
        )
    console.print(table)
    for m in trace.measures:
        console.print(cell("  " + view.fingerprint(m.fingerprint)), soft_wrap=True)
    console.print(
        cell(
            f"thresholds: warnAt {number(config.warn_at)}, summarizeAt "
            f"{number(config.summarize_at)}, failWarnAt {number(config.fail_warn_at)}, "
            f"failLimit {number(config.fail_limit)}, onLimit {config.on_limit}"
        )
    )
    _print_window(console, trace)
    if trace.failure is not None:
        reason, detail = trace.failure
        console.print(cell(f"its result counts as failed: {reason} {view.text(detail)}".rstrip()))
    console.print(cell(_committed(trace)))


def _print_window(console: Console, trace: BreakerTrace) -> None:
    """Which records of the window hold which measure, oldest on the left."""
    records = trace.window
    if not records:
        console.print(cell(f"window before it: empty (holds {trace.window_size} records)"))
        return
    console.print(
        cell(
            f"window before it: {len(records)} of {trace.window_size} records, oldest on the "
            f"left, calls {_ranges([r.call for r in records])}"
        )
    )
    name = max(len(m.measure) for m in trace.measures) + 1
    wide = max(20, console.width - name - 6)
    for first in range(0, len(records), wide):
        part = records[first : first + wide]
        for m in trace.measures:
            marks = "".join("●" if m.fingerprint in r.fingerprints else "·" for r in part)
            console.print(cell(f"  {_label(m, trace.measures):<{name}} {marks}"), soft_wrap=True)


def _label(measure: Measure, among: Sequence[Measure]) -> str:
    alike = [m for m in among if m.measure == measure.measure]
    return measure.measure + (str(alike.index(measure) + 1) if len(alike) > 1 else "")


def _ranges(numbers: Sequence[int]) -> str:
    """``0–5, 7``: consecutive numbers joined."""
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    shown = [str(a) if a == b else f"{a}–{b}" for a, b in parts]
    return ", ".join(shown if len(shown) <= 12 else [*shown[:6], "…", *shown[-5:]])


def _committed(trace: BreakerTrace) -> str:
    if trace.committed is None:
        return "committed to the window: nothing"
    kinds = ", ".join(f.partition(":")[0] for f in trace.committed)
    line = "its result line" if trace.at_result else "its call line"
    return f"committed to the window at {line}: {kinds}"


def _print_stream(
    console: Console, found: Timeline, e: StreamExplanation, plan: Plan, view: ContentView
) -> None:
    trace, opened, closed = e.trace, e.trace.opened, e.trace.closed
    config = plan.rlg
    assert config is not None
    ends = (closed.failure_code or closed.finish or closed.outcome) if closed else "cut off"
    console.print(
        cell(
            f"{view.log(found.log.key)}: stream {trace.stream} of lifecycle {e.lifecycle}, seq "
            f"{opened.seq}, turn {opened.turn}, step {opened.step}, attempt {opened.attempt}",
            "bold",
        )
    )
    console.print(cell(f"model {printable(opened.model or 'not known')}, recorded end: {ends}"))
    _heading(console, "rlg")
    if not trace.points:
        console.print(cell(f"Never judged: it stays below minChars {config.min_chars}."))
        return
    table = plain_table(
        f"judge points up to the {'fire' if trace.fired else 'end'} (each figure against its "
        "threshold)",
        "at UTF-16",
        f"units /{config.min_units}",
        f"block /{config.block_count}",
        f"line /{config.line_count}",
        f"share /{config.line_share:g}",
        f"k-gram /{config.kgram_threshold}",
        f"filler /{config.filler_run}",
    )
    shown = trace.points[-_LAST_POINTS:]
    for p in shown:
        table.add_row(
            cell(p.at_utf16),
            _figure(p.units, config.min_units),
            _figure(p.block_count, config.block_count),
            _figure(p.line_count, config.line_count),
            _figure(round(p.line_share, 4), config.line_share),
            _figure(p.kgram_count, config.kgram_threshold),
            _figure(p.filler_run, config.filler_run),
        )
    console.print(table)
    if len(trace.points) > len(shown):
        console.print(cell(f"({len(trace.points) - len(shown)} earlier judge points not shown)"))
    silent = "" if e.fire else "no rule held at any of its judge points"
    _print_decisions(console, [e.fire] if e.fire else [], plan, silent)
    if trace.spans:
        console.print(
            cell(f"What repeats ({counted(len(trace.spans), 'time')} in the buffer of the rule):")
        )
        _print_text(console, e, view)


def _figure(value: float, threshold: float) -> Text:
    return cell(f"{value:g}", "bold red" if value >= threshold else "")


def _print_text(console: Console, e: StreamExplanation, view: ContentView) -> None:
    """The end of the buffer, repeats between ⟦ and ⟧."""
    from rich.text import Text

    parts: list[tuple[str, bool]] = []
    left = _LAST_TEXT
    for part, repeats in reversed(list(segments(e.trace))):
        if left <= 0:
            break
        parts.append((part[-left:] if not repeats else part[:left], repeats))
        left -= len(part)
    text = Text("… " if left <= 0 else "")
    for part, repeats in reversed(parts):
        shown = printable(view.text(part))
        text.append(f"⟦{shown}⟧" if repeats else shown, style="reverse" if repeats else "")
    console.print(text, soft_wrap=True)
