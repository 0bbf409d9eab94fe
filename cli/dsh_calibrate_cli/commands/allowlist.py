"""``allowlist``: which verbs carry remote URLs, and should one more be exempt."""

from __future__ import annotations

from typing import Annotated

import typer

from dsh_calibrate_cli.artefact import OutputOptions
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.option_groups import takes
from dsh_calibrate_cli.settings_options import SettingsOptions

Allow = Annotated[
    str | None,
    typer.Option(
        "--allow",
        metavar="A,B",
        help="Try this list instead of shellHttpAllow; --allow= is an empty one.",
    ),
]
Examples = Annotated[
    int, typer.Option("--examples", metavar="N", min=0, help="Calls shown of each kind, one a log.")
]

app = typer.Typer(
    name="allowlist",
    no_args_is_help=True,
    help="What the shell-HTTP block refuses on recorded calls, and what an exemption would free.",
)


def register(parent: typer.Typer) -> None:
    """Add ``allowlist`` to the app."""
    parent.add_typer(app)


@app.command("scan")
@takes(corpus=CorpusOptions, settings=SettingsOptions, content=ContentOptions, output=OutputOptions)
def scan(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    allow: Allow = None,
    examples: Examples = 3,
) -> None:
    """Count which verbs carry remote URLs and what the block refuses; re-derive a list.

    Refused calls are split into TARGET (names a downloader or an interpreter fetch),
    INCIDENTAL (carries an address, fetches nothing) and URL-LESS.
    """
    from dsh_calibrate_cli.allowlist_run import run_scan

    run_scan(corpus, settings, content, output, allow, examples)


@app.command("candidates")
@takes(corpus=CorpusOptions, settings=SettingsOptions, content=ContentOptions, output=OutputOptions)
def candidates(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    allow: Allow = None,
    examples: Examples = 3,
) -> None:
    """For every verb that occurs: what exempting it would free, and what of that fetches."""
    from dsh_calibrate_cli.allowlist_run import run_candidates

    run_candidates(corpus, settings, content, output, allow, examples)


@app.command("coverage")
@takes(corpus=CorpusOptions, settings=SettingsOptions, content=ContentOptions, output=OutputOptions)
def coverage(
    *,
    corpus: CorpusOptions,
    settings: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    allow: Allow = None,
    examples: Examples = 3,
) -> None:
    """What the block misses and what it costs, judged by a wider set of fetchers."""
    from dsh_calibrate_cli.allowlist_run import run_coverage

    run_coverage(corpus, settings, content, output, allow, examples)
