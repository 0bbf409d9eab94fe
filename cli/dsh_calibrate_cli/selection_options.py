"""``--since --until --last --project --session --format-version --generation``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from dsh_calibrate.errors import UsageError

if TYPE_CHECKING:
    from dsh_calibrate.logs.selection import Criteria


class Generation(StrEnum):
    """Which of several generations of one session is read (contract.md 3)."""

    newest = "newest"
    highest = "highest"


@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Which of the logs found are meant; every command that takes PATH… has these."""

    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="TIME",
            help="Sessions created at TIME or later: 2026-11-20, 2026-11-20T08:30 (local time; "
            "with Z: UTC), or how long ago: 12h, 7d, 2w.",
        ),
    ] = None
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="TIME",
            help="Sessions created at TIME or before; a date alone is that whole day.",
        ),
    ] = None
    last: Annotated[
        int | None,
        typer.Option("--last", metavar="N", min=1, help="The N newest of what else is selected."),
    ] = None
    project: Annotated[
        list[str],
        typer.Option(
            "--project",
            metavar="GLOB",
            help="Sessions of a project: its folder, the folder's last part or its name under "
            "sessions/. Repeatable: any of them.",
        ),
    ] = field(default_factory=list)
    session: Annotated[
        list[str],
        typer.Option("--session", metavar="GLOB", help="Sessions by id. Repeatable: any of them."),
    ] = field(default_factory=list)
    format_version: Annotated[
        list[int],
        typer.Option(
            "--format-version", metavar="N", min=0, help="Logs of this format version. Repeatable."
        ),
    ] = field(default_factory=list)
    generation: Annotated[
        Generation,
        typer.Option(
            "--generation",
            help="Of several generations of a session: newest, the one whose last event is "
            "latest; highest, what the harness would open.",
        ),
    ] = Generation.newest


def criteria_of(options: SelectionOptions) -> Criteria:
    """What the options ask for; raises :class:`UsageError` for a time that is none."""
    from dsh_calibrate.logs.selection import Criteria

    now = datetime.now().astimezone()
    since = _time("--since", options.since, now, end=False)
    until = _time("--until", options.until, now, end=True)
    if since is not None and until is not None and since > until:
        raise UsageError(
            f"--since {options.since} lies after --until {options.until}: no session can be both"
        )
    return Criteria(
        since=since,
        until=until,
        last=options.last,
        projects=tuple(options.project),
        sessions=tuple(options.session),
        versions=tuple(options.format_version),
    )


def _time(option: str, text: str | None, now: datetime, *, end: bool) -> int | None:
    if text is None:
        return None
    from dsh_calibrate.logs.selection import moment

    try:
        return moment(text, now, end=end)
    except UsageError as wrong:
        raise UsageError(f"{option} {wrong}") from None
