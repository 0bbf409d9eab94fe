"""``--fail-on``: which findings make a command exit 1 (contract.md 2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import typer

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate_cli.console import warn

FOUND_BY = {
    "replay": ("advise", "ask", "deny", "refuse", "fire", "damaged"),
    "derive": ("infeasible", "damaged"),
}
"""What each command can find: a finding that never comes would be a check that never fails."""


def wanted_findings(words: Iterable[str], command: str) -> frozenset[str]:
    """The findings that were named.

    Raises :class:`UsageError` for one that is unknown or that ``command`` never has.
    """
    own = FOUND_BY[command]
    named = [word.strip() for text in words for word in text.split(",") if word.strip()]
    for word in named:
        if word in own:
            continue
        others = [other for other, findings in FOUND_BY.items() if word in findings]
        if others:
            raise UsageError(
                f"--fail-on {word}: {command} never finds that, {' and '.join(others)} does; "
                f"{command} finds {', '.join(own)}"
            )
        raise UsageError(f"--fail-on {word}: unknown; {command} finds {', '.join(own)}")
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
