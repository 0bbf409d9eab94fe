"""``corpus verify``: whether the files of a corpus are sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.option_groups import takes


def register(app: typer.Typer) -> None:
    """Add ``verify`` to ``corpus``."""
    app.command("verify")(verify)


@takes()
def verify(
    corpus: Annotated[
        Path,
        typer.Argument(metavar="[CORPUS]", help="The folder. Default: the current folder."),
    ] = Path(),
) -> None:
    """Look at corpus.toml, the listed logs and their digests, labels and baseline.

    Names everything that is wrong and exits 2 when anything is; nothing is replayed.
    """
    from dsh_calibrate_cli.corpus_folder_run import run_verify

    run_verify(corpus)
