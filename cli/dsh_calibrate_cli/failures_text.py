"""The failures study for people; every run shown ends in the line that explains it."""

from __future__ import annotations

import shlex

from rich.console import Console

from dsh_calibrate.replay.figures import FAILURE_REASONS
from dsh_calibrate.replay.rates import Rate
from dsh_calibrate.studies.failure_runs import DEFINITIONS, Definition
from dsh_calibrate.studies.failure_study import FailureStudy
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import cell, shortened
from dsh_calibrate_cli.tables import plain_table

_WORDS: dict[Definition, str] = {
    "global": "any calls",
    "per_fingerprint": "one fingerprint",
    "per_target": "one target",
}
_WIDTH = 80
_MOST_CODES = 12


def print_failures(console: Console, study: FailureStudy, examples: int, options: str = "") -> None:
    """Rates, runs, exit codes, markers, the longest runs; the study is masked already."""
    head = f"{study.failures} of {counted(study.calls, 'call')} failed"
    if study.calls:
        head += f": {_share(study.rate)}"
    console.print(cell(head, "bold"))
    _print_tools(console, study)
    _print_runs(console, study)
    _print_exits(console, study)
    _print_markers(console, study)
    for name in DEFINITIONS:
        _print_longest(console, study, name, examples, options)


def _print_tools(console: Console, study: FailureStudy) -> None:
    reasons = [reason for reason in FAILURE_REASONS if study.by_reason.get(reason)]
    table = plain_table("By tool and reason", "tool", "calls", "failed", "share", *reasons)
    for tool, found in study.by_tool.items():
        counts = (found.by_reason.get(reason, 0) for reason in reasons)
        table.add_row(
            cell(tool),
            cell(found.rate.of),
            cell(found.rate.count),
            cell(_share(found.rate)),
            *map(cell, counts),
        )
    if len(study.by_tool) > 1:
        sums = (study.by_reason[reason] for reason in reasons)
        table.add_row(
            cell("all", "bold"),
            cell(study.calls),
            cell(study.failures),
            cell(_share(study.rate)),
            *map(cell, sums),
        )
    console.print(table)


def _print_runs(console: Console, study: FailureStudy) -> None:
    healthy = study.healthy or {}
    of = f"of {len(study.logs)} with calls"
    if study.healthy is not None:
        of += f", {study.healthy_logs} of them labelled healthy"
    table = plain_table(
        f"Logs whose longest run of failures is that long ({of})",
        "failures of",
        *(f"≥ {n} in a row" for n in study.reaching),
        *(f"healthy ≥ {n}" for n in healthy),
    )
    for name in DEFINITIONS:
        table.add_row(
            cell(_WORDS[name]),
            *(cell(counts[name]) for counts in study.reaching.values()),
            *(cell(counts[name]) for counts in healthy.values()),
        )
    console.print(table)


def _print_exits(console: Console, study: FailureStudy) -> None:
    if not study.exits:
        return
    table = plain_table(
        "Exit codes, and logs in which one fingerprint fails with that very code in a row",
        "exit code",
        "failures",
        *(f"≥ {n} in a row" for n in study.reaching),
    )
    ordered = sorted(study.exits.items(), key=lambda item: (-item[1], item[0]))
    for code, count in ordered[:_MOST_CODES]:
        reaching = study.exit_reaching[code].values()
        table.add_row(
            cell(code), cell(count), *(cell(counts["per_fingerprint"]) for counts in reaching)
        )
    console.print(table)
    if len(ordered) > _MOST_CODES:
        console.print(cell(f"and {len(ordered) - _MOST_CODES} more exit codes", "dim"))


def _print_markers(console: Console, study: FailureStudy) -> None:
    moving = {
        name: found
        for name, found in study.markers.items()
        if found.lost or found.gained or found.renamed
    }
    if not moving:
        return
    table = plain_table(
        "What each marker contributes: without it…",
        "marker",
        "failures are successes",
        "successes are failures",
        "get another reason",
        *(f"logs ≥ {n} less" for n in study.reaching),
    )
    for name, found in moving.items():
        table.add_row(
            cell(name),
            cell(found.lost),
            cell(found.gained),
            cell(sum(found.renamed.values())),
            *(
                cell(counts["per_fingerprint"] - found.reaching[n]["per_fingerprint"])
                for n, counts in study.reaching.items()
            ),
        )
    console.print(table)


def _print_longest(
    console: Console, study: FailureStudy, name: Definition, most: int, options: str
) -> None:
    ordered = sorted(study.logs, key=lambda log: (-log.runs[name].length, log.log))
    shown = [log for log in ordered if log.runs[name].length > 1][:most]
    if shown:
        console.print(cell(f"Longest runs of {_WORDS[name]}", "bold"))
    for log in shown:
        run = log.runs[name]
        whose = run.fingerprint if run.fingerprint is not None else f"any call of {log.log}"
        console.print(cell(f"  {run.length} × {shortened(whose, _WIDTH)}"), soft_wrap=True)
        explained = f"dsh-calibrate explain {shlex.quote(log.path)} --seq {run.seq}{options}"
        console.print(cell(f"      {explained}", "dim"), soft_wrap=True)


def _share(found: Rate) -> str:
    if found.value is None:
        return "–"
    return f"{found.value:.1%} ({found.low:.1%} to {found.high:.1%})"
