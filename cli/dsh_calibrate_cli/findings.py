"""``--fail-on``: which findings make a command exit 1 (contract.md 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import typer

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate_cli.console import warn

KNOWN = ("advise", "ask", "deny", "refuse", "fire", "damaged", "infeasible")


def wanted_findings(words: Iterable[str]) -> frozenset[str]:
    """The findings that were named; raises :class:`UsageError` for an unknown one."""
    named = [word.strip() for text in words for word in text.split(",") if word.strip()]
    for word in named:
        if word not in KNOWN:
            raise UsageError(f"--fail-on {word}: unknown; known: {', '.join(KNOWN)}")
    return frozenset(named)


def exit_on_findings(wanted: frozenset[str], outcomes: Sequence[LogOutcome]) -> None:
    """Leave with exit code 1 when something that was named was found."""
    if not wanted:
        return
    found: set[str] = {d.verdict for o in outcomes for d in o.decisions if d.verdict in wanted}
    if "damaged" in wanted and any(o.coverage.status == "damaged" for o in outcomes):
        found.add("damaged")
    if found:
        warn(f"--fail-on: found {', '.join(sorted(found))}")
        raise typer.Exit(1)
