"""``corpus``: make, look at and label recorded corpora."""

from __future__ import annotations

import importlib

import typer

SUBCOMMANDS = (
    "corpus_stats",
    "corpus_label",
    "corpus_init",
    "corpus_add",
    "corpus_verify",
    "corpus_synth",
    "corpus_redact",
    "corpus_shrink",
)
"""Modules of ``commands/`` in the order of ``corpus --help``; each has ``register(app)``."""


def register(app: typer.Typer) -> None:
    """Add ``corpus`` and its subcommands to the app."""
    corpus = typer.Typer(
        name="corpus",
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Make, look at and label recorded corpora.",
    )
    for name in SUBCOMMANDS:
        importlib.import_module(f"dsh_calibrate_cli.commands.{name}").register(corpus)
    app.add_typer(corpus)
