"""``corpus init``: begin a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.option_groups import takes


def register(app: typer.Typer) -> None:
    """Add ``init`` to ``corpus``."""
    app.command("init")(init)


@takes()
def init(
    corpus: Annotated[
        Path,
        typer.Argument(metavar="[CORPUS]", help="The folder. Default: the current folder."),
    ] = Path(),
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="Settings to replay it under; copied into the corpus when it lies elsewhere.",
        ),
    ] = None,
    plugin_version: Annotated[
        list[str] | None,
        typer.Option("--plugin-version", metavar="G=V", help="For example rtb=0.5.2. Repeatable."),
    ] = None,
    min_coverage: Annotated[
        float | None,
        typer.Option(
            "--min-coverage",
            metavar="P",
            min=0.0,
            max=100.0,
            help="check exits 3 when less can be read whole: a share up to 1, or percent.",
        ),
    ] = None,
    provenance: Annotated[
        str, typer.Option("--provenance", metavar="TEXT", help="Where its logs come from.")
    ] = "",
    licence: Annotated[
        str, typer.Option("--licence", metavar="TEXT", help="Under which terms they may be used.")
    ] = "",
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No summary on stderr.")] = False,
) -> None:
    """Make a folder a corpus: write its corpus.toml and, if missing, labels.toml.

    Logs join it with `corpus add`; `check --update` then writes its baseline.
    """
    from dsh_calibrate_cli.corpus_folder_run import InitRequest, run_init

    run_init(
        InitRequest(
            corpus=corpus,
            config=config,
            plugin_versions=tuple(plugin_version or ()),
            min_coverage=min_coverage,
            provenance=provenance,
            licence=licence,
            quiet=quiet,
        )
    )
