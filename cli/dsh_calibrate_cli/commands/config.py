"""``config show`` and ``config validate``: which settings are in force, and are they sound."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions, offers
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.settings_options import SettingsOptions

app = typer.Typer(
    name="config",
    no_args_is_help=True,
    help="Show which settings are in force and where they come from, or check them.",
)


def register(app_: typer.Typer) -> None:
    """Add ``config`` to the command line."""
    app_.add_typer(app)


FilesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", help="Settings files, as with --config.", show_default=False),
]


def _with_files(settings: SettingsOptions, files: list[str] | None) -> SettingsOptions:
    return replace(settings, config=[*settings.config, *(files or ())])


@app.command("show")
@takes(settings=SettingsOptions, output=OutputOptions)
@offers("text", "json")
def show(*, settings: SettingsOptions, output: OutputOptions, files: FilesArgument = None) -> None:
    """Show every key with its value and where it comes from.

    Sources: default, a file, --set, or run time (an expression that only the live host
    evaluates). Without FILE and --config: what the DSH home says. Formats: text, json.
    """
    from dsh_calibrate.replay.settings import config_document, survey
    from dsh_calibrate_cli.artefact import deliver, json_bytes
    from dsh_calibrate_cli.console import rendered, warn
    from dsh_calibrate_cli.settings_options import inputs_of
    from dsh_calibrate_cli.settings_text import print_settings, warnings_of

    found = survey(inputs_of(_with_files(settings, files), has_paths=False))
    if found.refusals:
        raise found.refusals[0]
    deliver(
        output,
        {
            "text": lambda: rendered(lambda console: print_settings(console, found)),
            "json": lambda: json_bytes(config_document(found)),
        },
    )
    for text in warnings_of(found):
        warn(text)


@app.command("validate")
@takes(settings=SettingsOptions, output=OutputOptions)
@offers("text", "json")
def validate(
    *,
    settings: SettingsOptions,
    output: OutputOptions,
    files: FilesArgument = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 when there are warnings.")
    ] = False,
) -> None:
    """Check settings as the plugins do at load, and warn about what is legal but dead or risky.

    Exit code 0: accepted; 1: warnings under --strict; 2: refused. Formats: text, json.
    """
    from dsh_calibrate.replay.settings import survey
    from dsh_calibrate_cli.artefact import deliver, json_bytes
    from dsh_calibrate_cli.settings_options import inputs_of
    from dsh_calibrate_cli.settings_text import findings_document, findings_text, warnings_of

    found = survey(inputs_of(_with_files(settings, files), has_paths=False))
    deliver(
        output,
        {
            "text": lambda: findings_text(found),
            "json": lambda: json_bytes(findings_document(found)),
        },
    )
    if found.refusals:
        raise typer.Exit(2)
    if strict and warnings_of(found):
        raise typer.Exit(1)
