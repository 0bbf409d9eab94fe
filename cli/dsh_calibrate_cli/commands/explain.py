"""``explain``: why a guard decided as it did at one call or stream, or why it kept silent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.place_arguments import place_argument
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``explain`` to the app."""
    app.command("explain")(explain)


@takes(settings=SettingsOptions, how=ReplayOptions, content=ContentOptions, output=OutputOptions)
@offers("text", "json", "csv", "parquet")
def explain(
    *,
    session: Annotated[
        str,
        typer.Argument(
            metavar="SESSION",
            help="A log or its folder; or a session id, a log key or a glob of either, "
            "below --root.",
            show_default=False,
        ),
    ],
    settings: SettingsOptions,
    how: ReplayOptions,
    content: ContentOptions,
    output: OutputOptions,
    seq: Annotated[
        int | None,
        typer.Option("--seq", metavar="N", help="The log's number of a call, result or piece."),
    ] = None,
    call: Annotated[
        str | None,
        typer.Option("--call", metavar="ID", help="A recorded call id, or a call's ordinal."),
    ] = None,
    stream: Annotated[
        int | None, typer.Option("--stream", metavar="N", min=0, help="A stream's ordinal.")
    ] = None,
    lifecycle: Annotated[
        int | None,
        typer.Option("--lifecycle", metavar="L", min=0, help="Narrows --call and --stream."),
    ] = None,
    turn: Annotated[
        list[int] | None,
        typer.Option("--turn", metavar="N", help="Turns of the timeline. Repeatable."),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="DIR",
            parser=place_argument,
            help="Where ids are looked up; $DSH_HOME/sessions.",
        ),
    ] = None,
    salvage: Annotated[
        bool, typer.Option("--salvage", help="Go on behind damage, with emptied state.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="Nothing else on stderr.")] = False,
) -> None:
    """Show why a call or a stream of reasoning made a guard speak, or why it did not.

    Without --seq, --call or --stream: a timeline of the session, with the decisions of the
    guards that --guard names. Formats: text (for people, masked), json, csv, parquet.
    """
    from dsh_calibrate.studies.explaining import Selector
    from dsh_calibrate_cli.explain_run import Asked, run_explain

    asked = Asked(session, root, Selector(seq, call, stream, lifecycle), tuple(turn or ()))
    run_explain(asked, settings, how, content, output, salvage=salvage, quiet=quiet)
