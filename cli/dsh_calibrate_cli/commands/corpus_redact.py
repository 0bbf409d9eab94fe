"""``corpus redact``: copies of logs that can be published."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.settings_options import SettingsOptions


def register(app: typer.Typer) -> None:
    """Add ``redact`` to ``corpus``."""
    app.command("redact")(redact)


@takes(corpus=CorpusOptions, settings=SettingsOptions)
def redact(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    out: Annotated[
        Path, typer.Option("-o", metavar="DIR", help="A new or empty folder for the copies.")
    ],
    shift_times: Annotated[
        bool,
        typer.Option(
            "--shift-times", help="Move all times by one secret span; distances stay as they are."
        ),
    ] = False,
    key_env: Annotated[
        str | None,
        typer.Option(
            "--key-env",
            metavar="NAME",
            help="Take the key from this environment variable, so that a run can be repeated (for "
            "tests; whoever knows the key can undo the pseudonyms). Default: a new random one.",
        ),
    ] = None,
    form: Annotated[
        str, typer.Option("--format", metavar="F", help="Format of the report: text or json.")
    ] = "text",
) -> None:
    """Copy logs with every name, path, host, secret and word replaced, every decision kept.

    Each copy is replayed under many settings, and yours, and compared with its original decision
    by decision, then searched for words of the original. A log that differs is not written,
    and the report on stdout says why (exit 1). A damaged log is copied up to its damage.
    What a reader of the copies can still infer: docs/redaction.md.
    """
    from dsh_calibrate_cli.corpus_redact_run import RedactRequest, run_redact

    run_redact(corpus, settings, RedactRequest(out, shift_times, key_env, form))
