"""``compare`` for people: totals and tests per guard, then the changes one by one."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dsh_calibrate.calibrate.paired import PairedTest
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.studies.comparing import Change, Side
from dsh_calibrate.studies.comparing_specs import Spec
from dsh_calibrate.studies.comparing_standing import Standing
from dsh_calibrate.studies.comparing_totals import GuardTotals, Paired
from dsh_calibrate.studies.explaining_words import number, said
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import cell
from dsh_calibrate_cli.content_view import ContentView
from dsh_calibrate_cli.tables import plain_table

if TYPE_CHECKING:
    from rich.console import Console

_LEGEND = (
    "exact: before either replay leaves the recording; up to: an upper bound. p: two-sided exact "
    "tests on the same sessions (McNemar for sessions, sign test for counts per session); 1 "
    "where the sides do not differ."
)
_KINDS = {
    "only_a": "a alone",
    "only_b": "b alone",
    "verdict": "another decision",
    "measure": "another measure",
    "figures": "another count or threshold",
}
_ROWS = (
    ("sessions advised", "sessions_advised", ("sessions_advised",)),
    ("sessions stopped", "sessions_gated", ("sessions_gated",)),
    ("advice", "advice", ("advise",)),
    ("stops", "stops", ("ask", "deny", "fire")),
)


def print_comparison(
    console: Console,
    sides: Sequence[Side],
    totals: Mapping[str, GuardTotals],
    changes: Sequence[Change],
    specs: Sequence[Spec],
    view: ContentView,
    top: int,
) -> None:
    """Print the totals of every guard, then at most ``top`` changes."""
    for letter, side in zip("ab", sides, strict=True):
        console.print(cell(f"{letter}: {side.label}", "bold"))
    table = plain_table(
        "", "guard", "a exact", "b exact", "p", "a up to", "b up to", "p", "of sessions"
    )
    for guard, found in totals.items():
        table.add_row(cell(guard, "bold"), *[""] * 6, cell(found.logs))
        for label, test, verdicts in _ROWS:
            if not any(side[v] for side in (found.whole.a, found.whole.b) for v in verdicts):
                continue
            table.add_row(
                cell(f"   {label}"),
                *map(cell, _pair(found.exact, test, verdicts)),
                *map(cell, _pair(found.whole, test, verdicts)),
                "",
            )
    console.print(table)
    console.print(cell(_LEGEND, "dim"))
    for guard, found in totals.items():
        _print_changed(console, guard, found)
    if not changes:
        console.print(cell("No decision differs."))
        return
    console.print()
    if top:
        console.print(cell("Changes, in the order of the logs", "bold"))
    for change in changes[:top]:
        _print_change(console, change, sides, specs, view)
    if len(changes) > top:
        console.print(
            cell(f"and {len(changes) - top} more (--top N shows more; csv and json hold all)")
        )


def _pair(found: Paired, test: str, verdicts: Sequence[str]) -> tuple[str, str, str]:
    a, b = (sum(side[v] for v in verdicts) for side in (found.a, found.b))
    return str(a), str(b), _p(found.tests[test])


def _p(test: PairedTest) -> str:
    return "<0.001" if test.p_value < 0.001 else f"{test.p_value:.3g}"


def _print_changed(console: Console, guard: str, found: GuardTotals) -> None:
    parts = [f"{_KINDS[kind]} {count}" for kind, count in found.changed.items() if count]
    if parts:
        console.print(
            cell(
                f"{guard} differs at {counted(sum(found.changed.values()), 'place')}: "
                f"{', '.join(parts)}"
            )
        )
    r = found.refusals
    if r["only_a"] or r["only_b"]:
        console.print(
            cell(
                f"Shell-HTTP block: a alone refuses {counted(r['only_a'], 'call')} (of these "
                f"{r['only_a_naming_mechanism']} name a downloader or an interpreter fetch), b "
                f"alone {r['only_b']} ({r['only_b_naming_mechanism']})"
            )
        )


def _print_change(
    console: Console,
    change: Change,
    sides: Sequence[Side],
    specs: Sequence[Spec],
    view: ContentView,
) -> None:
    ordinal = f"stream {change.stream}" if change.stream is not None else f"call {change.call}"
    where = f"lifecycle {change.lifecycle}, " if change.lifecycle else ""
    tool = f" ({view.tool(change.tool)})" if change.tool else ""
    console.print(
        cell(
            f"{change.guard}  {view.log(change.log)}, {where}{ordinal}{tool}: {_KINDS[change.kind]}"
        )
    )
    for letter, decisions, standing in (
        ("a", change.a, change.standing_a),
        ("b", change.b, change.standing_b),
    ):
        console.print(cell(f"   {letter}: {_did(decisions)}{_stands(standing)}"))
    if change.names_mechanism:
        console.print(cell("   the command names a downloader or an interpreter fetch"))
    console.print(cell(f"   {_explain(change, sides, specs)}", "dim"), soft_wrap=True)


def _did(decisions: Sequence[Decision]) -> str:
    return " and ".join(said(d) for d in decisions) if decisions else "nothing"


def _stands(standing: Standing) -> str:
    parts = []
    if standing.measure is not None and standing.count is not None:
        parts.append(f"{standing.measure}: {number(standing.count)}")
    elif standing.measure is not None:
        parts.append(f"{standing.measure}:")
    if standing.setting is not None and (standing.threshold is not None or parts):
        parts.append(f"{standing.setting} {number(standing.threshold)}")
    if standing.note:
        parts.append(standing.note)
    return f" ({', '.join(parts)})" if parts else ""


def _explain(change: Change, sides: Sequence[Side], specs: Sequence[Spec]) -> str:
    """The command that shows the place under the settings of a side that acts there."""
    which = 0 if change.a else 1
    spec, plan, guard = specs[which], sides[which].plan, change.guard
    words = ["dsh-calibrate", "explain", change.path, "--guard", guard, "--seq", str(change.seq)]
    for value in spec.inputs.config:
        words += ["--config", value]
    for value in spec.inputs.assignments:
        words += ["--set", value] if value.startswith(f"{guard}.") else []
    if guard == "rtb":
        for value in spec.inputs.plugin_versions:
            words += ["--plugin-version", value]
        words += ["--operator", plan.operator] if plan.operator != "decline" else []
        words += ["--shell-http", plan.shell_http] if plan.shell_http == "enforce" else []
    return shlex.join(words)
