"""``cache``: where measured logs are kept, and how to be rid of them."""

from __future__ import annotations

import typer

from dsh_calibrate_cli.option_groups import takes

app = typer.Typer(
    name="cache",
    no_args_is_help=True,
    help="What was measured before is kept, so that a second run takes no time.",
)


@app.command("path")
@takes()
def path() -> None:
    """Print the cache folder."""
    from dsh_calibrate.facts.cache import default_folder

    typer.echo(default_folder())


@app.command("clear")
@takes()
def clear() -> None:
    """Remove everything from the cache folder that this tool put there."""
    from dsh_calibrate.facts.cache import Cache, default_folder
    from dsh_calibrate_cli.console import note

    count, size = Cache(default_folder()).clear()
    note(f"{count} entries removed, {size} bytes")


def register(app_: typer.Typer) -> None:
    """Add ``cache`` to the command line."""
    app_.add_typer(app)
