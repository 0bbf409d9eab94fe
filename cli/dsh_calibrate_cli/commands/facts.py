"""``facts``: the measurements themselves, as Parquet tables for any other tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.cache_options import CacheOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions

app = typer.Typer(
    name="facts",
    no_args_is_help=True,
    help="Ungated counts, figures and gated decisions as Parquet tables (docs/facts.md).",
)

Out = Annotated[
    Path, typer.Option("-o", metavar="DIR", help="Folder for the tables: new, empty or theirs.")
]


@app.command("export")
@takes(corpus=CorpusOptions, settings=SettingsOptions, how=ReplayOptions, cache=CacheOptions)
def export(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    how: ReplayOptions,
    cache: CacheOptions,
    out: Out,
    mask: Annotated[
        bool, typer.Option("--mask", help="Leave out what calls contain; digests stay.")
    ] = False,
) -> None:
    """Measure recorded sessions and write one Parquet table a kind of fact.

    The same sessions give the same bytes, whatever --jobs and the cache say.
    """
    from dsh_calibrate_cli.facts_run import run_export

    run_export(corpus, settings, how, cache, out, mask=mask)


@app.command("merge")
@takes()
def merge(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="DIR", help="Folders that facts export wrote.", exists=False),
    ],
    out: Out,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No summary on stderr.")] = False,
) -> None:
    """Join the facts of shards; a log that stands in several counts once.

    Refuses folders of other versions or settings, and logs that are told differently.
    """
    from dsh_calibrate_cli.facts_run import run_merge

    run_merge(folders, out, quiet=quiet)


def register(app_: typer.Typer) -> None:
    """Add ``facts`` to the command line."""
    app_.add_typer(app)
