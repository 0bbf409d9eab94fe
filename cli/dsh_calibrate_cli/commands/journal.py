"""``journal``: what the live reasoning guard wrote down, and whether a replay agrees."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.place_arguments import place_argument
from dsh_calibrate_cli.settings_options import SettingsOptions
from dsh_calibrate_cli.worker_options import (
    Executor,
    ExecutorOption,
    JobsOption,
    SchedulerOption,
    jobs_of,
)


class _ListByDefault(TyperGroup):
    """``journal FILE…`` is ``journal list FILE…``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] != "--help"):
            args = ["list", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    name="journal",
    cls=_ListByDefault,
    help="The live reasoning guard's fire journal: list (the default), stats, agree.",
)


def register(app_: typer.Typer) -> None:
    """Add ``journal`` to the app."""
    app_.add_typer(app)


@dataclass(frozen=True, slots=True)
class JournalOptions:
    """Which journals, which of their fires, which clock."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="Journals; the rotated .1 beside each is read too. None: the DSH home's "
            "(journalPath of its settings, else dsh-reasoning-loop-guard/fires.jsonl).",
            show_default=False,
        ),
    ] = field(default_factory=list)
    rule: Annotated[
        list[str],
        typer.Option("--rule", metavar="RULE", help="Fires of a rule. Repeatable: any of them."),
    ] = field(default_factory=list)
    session: Annotated[
        list[str],
        typer.Option("--session", metavar="GLOB", help="Sessions by id. Repeatable: any of them."),
    ] = field(default_factory=list)
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="TIME",
            help="Fires at TIME or later: 2026-11-20, 2026-11-20T08:30 (local time; with Z: "
            "UTC), or how long ago: 12h, 7d, 2w.",
        ),
    ] = None
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="The N newest of them.")
    ] = None
    utc: Annotated[
        bool, typer.Option("--utc", help="Times and days in UTC instead of local time.")
    ] = False
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No summary on stderr.")] = False


@app.command("list")
@takes(journal=JournalOptions, content=ContentOptions, output=OutputOptions)
@offers("text", "json", "csv", "parquet")
def list_(*, journal: JournalOptions, content: ContentOptions, output: OutputOptions) -> None:
    """List the fires, newest first. Formats: text (for people, masked), json, csv, parquet."""
    from dsh_calibrate_cli.journal_run import run_list

    run_list(journal, content, output)


@app.command("stats")
@takes(journal=JournalOptions, output=OutputOptions)
@offers("text", "json", "csv", "parquet")
def stats(*, journal: JournalOptions, output: OutputOptions) -> None:
    """Count the fires by rule, model, day and version. Formats: text, json, csv, parquet."""
    from dsh_calibrate_cli.journal_run import run_stats

    run_stats(journal, output)


@app.command("agree")
@takes(
    journal=JournalOptions, settings=SettingsOptions, content=ContentOptions, output=OutputOptions
)
@offers("text", "json", "csv", "parquet")
def agree(
    *,
    journal: JournalOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    sessions: Annotated[
        list[Path] | None,
        typer.Option(
            "--sessions",
            parser=place_argument,
            metavar="PATH",
            help="Logs, session folders or roots to replay. Repeatable. None: $DSH_HOME/sessions.",
        ),
    ] = None,
    jobs: JobsOption = None,
    executor: ExecutorOption = Executor.local,
    scheduler: SchedulerOption = None,
) -> None:
    """Match each journal line with a replay of the same sessions, and explain what differs.

    Lines are matched by session, turn and step. Formats: text (for people, masked), json,
    csv, parquet.
    """
    from dsh_calibrate_cli.journal_run import run_agree

    run_agree(
        journal, settings, content, output, sessions or [], jobs_of(jobs, executor, scheduler)
    )
