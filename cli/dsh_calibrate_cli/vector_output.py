"""How the outcome of ``conformance vectors`` is shown: a table with differences, or JSON.

Vectors are somebody's file: whatever they hold is escaped before it reaches a terminal.
"""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console

from dsh_calibrate.conformance.comparison import ABSENT
from dsh_calibrate.conformance.outcome import Difference, FileOutcome, VectorOutcome
from dsh_calibrate_cli.console import cell, shortened
from dsh_calibrate_cli.tables import Column, FittedTable, bare_table

_PLACES = 6
"""Differing places named in the text output; JSON has them all."""
_VALUE_WIDTH = 300
"""Characters of an input or a value shown in the text output; JSON has them whole."""


def as_json(outcome: VectorOutcome) -> str:
    """The outcome as one JSON document (ASCII, so lone surrogates stay what they are)."""
    document = {
        "vectors": outcome.vectors,
        "agreed": outcome.agreed,
        "files": [_file(file) for file in outcome.files],
        "not_checked": [
            {"path": str(entry.path), "reason": entry.reason} for entry in outcome.not_checked
        ],
    }
    return json.dumps(document, indent=2)


def _file(file: FileOutcome) -> dict[str, Any]:
    return {
        "path": str(file.path),
        "kind": file.kind,
        "vectors": file.vectors,
        "agreed": file.agreed,
        "differences": [
            {
                "line": difference.line,
                "note": difference.note,
                "keys": [place.key for place in difference.places],
                "in": difference.given,
                "expected": difference.expected,
                "got": difference.got,
            }
            for difference in file.differences
        ],
    }


def print_text(console: Console, outcome: VectorOutcome) -> None:
    """Print a line per file, the differences kept, and the total."""
    counted = ("agree", "of", "differ")
    table = FittedTable([*(Column(head, "right") for head in counted), Column("file")])
    for file in outcome.files:
        counts = (file.agreed, file.vectors, file.differing)
        table.add_row(*(cell(f"{count:,}") for count in counts), cell(file.path))
    console.print(table)
    for entry in outcome.not_checked:
        console.print(cell(f"{entry.path}: not checked: {entry.reason}"), soft_wrap=True)
    for file in outcome.files:
        for difference in file.differences:
            _print_difference(console, file, difference)
        hidden = file.differing - len(file.differences)
        if hidden:
            console.print(cell(f"\n{file.path}: {hidden:,} more differ (--first N shows more)"))
    verdict = "all agree" if outcome.all_agree else "the engine DIFFERS"
    if outcome.not_checked:
        verdict += f"; files not checked: {len(outcome.not_checked)}"
    console.print(cell(f"{outcome.agreed:,} of {outcome.vectors:,} vectors agree: {verdict}"))


def _print_difference(console: Console, file: FileOutcome, difference: Difference) -> None:
    title = f"{file.path}:{difference.line}"
    if difference.note:
        title += f" ({shortened(difference.note, 80)})"
    console.print()
    console.print(cell(title))
    console.print(cell(f"  in: {_value(difference.given)}"))
    sides = bare_table("  where", "expected", "got")
    for place in difference.places[:_PLACES]:
        key = shortened(place.key, 60) or "(all)"
        sides.add_row(cell(f"  {key}"), cell(_value(place.expected)), cell(_value(place.got)))
    console.print(sides)
    unnamed = len(difference.places) - _PLACES
    if unnamed > 0:
        console.print(cell(f"  and {unnamed} more places"))


def _value(value: object) -> str:
    if value is ABSENT:
        return "(absent)"
    return shortened(json.dumps(value, ensure_ascii=False), _VALUE_WIDTH)
