"""``conformance recorded``: options to a matching, its outcome to text or JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import typer
from rich.console import Console

from dsh_calibrate.conformance.recorded_matching import REASONS, Mismatch
from dsh_calibrate.conformance.recorded_run import Matching, RecordedOutcome, match_corpus
from dsh_calibrate.conformance.recorded_settings import Inferred
from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.plan import Operator, Plan
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.console import cell, rendered, shortened
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings
from dsh_calibrate_cli.tables import Column, FittedTable

NOTHING = "no guard shows itself in these logs: there is nothing to match"
"""Said where agreement would be agreement about nothing."""


def run_conformance_recorded(
    corpus: CorpusOptions,
    settings_options: SettingsOptions,
    output: OutputOptions,
    operator: Operator,
    first: int,
) -> None:
    """Match, report on stderr what could be read, deliver, exit 1 on a mismatch.

    Raises :class:`UsageError` after that when the logs hold nothing to match.
    """
    settings = resolve_settings(settings_options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    rtb, rlg = settings.rtb, settings.rlg
    plan = Plan(
        rtb=rtb,
        tfb=settings.tfb,
        rtr=settings.rtr,
        rlg=rlg if rlg is not None and rlg.enabled else None,
        operator=operator,
        shell_http="measure" if rtb is not None and rtb.block_shell_http else "off",
        salvage=corpus.salvage,
    )
    found = find_logs(corpus)
    with progress(found, corpus) as on_done:
        outcome = match_corpus(found.logs, plan, jobs=corpus.workers, on_done=on_done)
    coverage = corpus_coverage(found, [log for _, log in outcome.coverage])
    report_coverage(coverage, outcome.coverage, corpus)
    deliver(
        output,
        {
            "text": lambda: rendered(lambda console: print_text(console, outcome, first)),
            "json": lambda: json_bytes(as_json(outcome, settings.plugin_versions)),
        },
    )
    require_coverage(coverage, corpus)
    if not outcome.best.all_agree:
        raise typer.Exit(1)
    if not outcome.interventions:
        raise UsageError(f"{NOTHING}; name sessions that were recorded under a guard")


def as_json(outcome: RecordedOutcome, versions: dict[str, str]) -> dict[str, Any]:
    """The outcome as one JSON document."""
    other = outcome.as_inferred
    return {
        "schema_version": 1,
        "plugin_versions": versions,
        "logs": outcome.logs,
        "interventions": outcome.interventions,
        "inferred": [
            {
                "guard": one.guard,
                "key": one.key,
                "value": one.value,
                "given": one.given,
                "evidence": one.evidence,
                "others": list(one.others),
            }
            for one in outcome.inferred
        ],
        "as_given": _matching(outcome.as_given),
        "as_inferred": None if other is None else _matching(other),
    }


def _matching(matching: Matching) -> dict[str, Any]:
    return {
        "parts": {
            part: {
                "logs": record.logs,
                "agreed": record.agreed,
                "missed": record.missed,
                "extra": record.extra,
                "silent": record.silent,
                "other_figures": record.other_figures,
                "reasons": dict(sorted(record.reasons.items())),
            }
            for part, record in matching.parts.items()
        },
        "mismatches": [msgspec.to_builtins(one) for one in matching.mismatches],
    }


def print_text(console: Console, outcome: RecordedOutcome, first: int) -> None:
    """Print the settings that the recording shows, a table, and the first mismatches."""
    console.print(
        cell(f"{outcome.interventions:,} recorded interventions in {outcome.logs:,} logs")
    )
    if not outcome.interventions:
        console.print(cell(NOTHING))
    _print_inferred(console, outcome.inferred)
    _print_matching(console, outcome.as_given, "under the settings given")
    if outcome.as_inferred is not None:
        _print_matching(console, outcome.as_inferred, "under the settings that the logs show")
    shown = outcome.best.mismatches
    for one in shown[:first]:
        console.print(cell(_line(one)), soft_wrap=True)
    if len(shown) > first:
        console.print(cell(f"and {len(shown) - first:,} more (--first N shows more)"))
    if not outcome.best.all_agree:
        console.print(cell("the engine and the recording DIFFER"))
    elif outcome.interventions:
        console.print(cell("all agree"))


def _print_inferred(console: Console, inferred: Iterable[Inferred]) -> None:
    for one in inferred:
        others = f" (also {', '.join(map(str, one.others))})" if one.others else ""
        given = "as given" if not one.differs else f"given {one.given}"
        told = f"told by {one.evidence:,}"
        console.print(cell(f"  {one.guard}.{one.key} = {one.value}{others}: {told}, {given}"))


def _print_matching(console: Console, matching: Matching, title: str) -> None:
    console.print()
    console.print(cell(title))
    counted = ("logs", "agreed", "other count", "missed", "extra", "in silent logs")
    table = FittedTable([Column("  part"), *(Column(head, "right") for head in counted)])
    for part, record in matching.parts.items():
        counts = (
            record.logs,
            record.agreed,
            record.other_figures,
            record.missed,
            record.extra,
            record.silent,
        )
        table.add_row(cell(f"  {part}"), *(cell(f"{count:,}") for count in counts))
    console.print(table)


def _line(one: Mismatch) -> str:
    named = ""
    if one.fingerprint is not None:
        named = f" {shortened(one.fingerprint, 60)} × {one.count}"
    place = f"{one.log}:{one.line}"
    return f"{place}: {one.side} {one.part} {one.kind}{named}: {REASONS[one.reason]}"
