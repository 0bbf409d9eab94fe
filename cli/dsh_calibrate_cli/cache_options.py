"""``--no-cache``: whether what was measured before is used (contract.md 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from dsh_calibrate.errors import UsageError

if TYPE_CHECKING:
    from dsh_calibrate.facts.cache import Cache


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """Every command that measures logs into facts has these."""

    no_cache: Annotated[
        bool,
        typer.Option("--no-cache", help="Measure every log again and keep nothing."),
    ] = False


def cache_of(options: CacheOptions) -> Cache | None:
    """The cache in force; a folder that cannot be used is a warning, not the end."""
    from dsh_calibrate.facts.cache import Cache
    from dsh_calibrate_cli.console import warn

    if options.no_cache:
        return None
    try:
        return Cache.default()
    except UsageError as error:
        warn(f"{error}; going on without")
        return None
