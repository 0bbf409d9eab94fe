"""Settings and what is wrong with them, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable

from rich.console import Console

from dsh_calibrate import __version__
from dsh_calibrate.replay.envelope import SCHEMA_VERSION
from dsh_calibrate.replay.settings import KeyValue, Settings
from dsh_calibrate_cli.console import cell, printable
from dsh_calibrate_cli.tables import FittedTable, bare_table

_NAMES = {
    "rtb": "repeat-tool-breaker",
    "tfb": "tool-failure-circuit-breaker",
    "rtr": "repeat-tool-reminder",
    "rlg": "reasoning-loop-guard",
}


def print_settings(console: Console, settings: Settings) -> None:
    """Print one table a guard: key, value, source."""
    for guard in settings.selected:
        known = settings.guards[guard]
        version = f" {settings.profile}" if guard == "rtb" else ""
        title = f"{guard} ({_NAMES[guard]}{version})"
        if not known.mounted:
            title += ": not mounted, so not in force; replays measure it all the same"
        console.print(cell(title, "bold"))
        console.print(_table(known.keys.items()))


def _table(keys: Iterable[tuple[str, KeyValue]]) -> FittedTable:
    table = bare_table("key", "value", "from")
    for key, entry in keys:
        at_run_time = entry.source == "run time"
        shown = "?" if at_run_time else json.dumps(entry.value, ensure_ascii=False)
        source = entry.source
        if at_run_time:
            source += f" ({entry.file}{f', line {entry.line}' if entry.line else ''})"
        elif entry.line and entry.source not in ("default", "--set"):
            source += f", line {entry.line}"
        style = "dim" if entry.source == "default" else ""
        table.add_row(cell(key, style), cell(shown, style), cell(source, style))
    return table


def warnings_of(settings: Settings) -> list[str]:
    """One line a warning about the selected guards: expressions first, then remarks."""
    return [
        *(str(error) for error in settings.undecided),
        *(
            remark.text
            for remark in settings.remarks
            if remark.guard is None or remark.guard in settings.selected
        ),
    ]


def findings_document(settings: Settings) -> dict[str, object]:
    """The JSON of ``config validate``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": f"dsh-calibrate {__version__}",
        "plugin_versions": settings.plugin_versions,
        "accepted": not settings.refusals,
        "refusals": [str(error) for error in settings.refusals],
        "warnings": warnings_of(settings),
    }


def findings_text(settings: Settings) -> bytes:
    """Refusals and warnings, one line each, and a last line that sums up."""
    warnings = warnings_of(settings)
    lines = [f"refused: {error}" for error in settings.refusals]
    lines += [f"warning: {text}" for text in warnings]
    verdict = f"{len(settings.refusals)} refused" if settings.refusals else "accepted"
    lines.append(f"{verdict}, {len(warnings)} warning{'s' * (len(warnings) != 1)}")
    return "".join(f"{printable(line)}\n" for line in lines).encode("utf-8", "backslashreplace")
