"""Versions of repeat-tool-breaker as data: switches over one engine (guards.md 1.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Profile:
    """What differs between versions of the plugin."""

    name: str
    unescapes_urls: bool
    """A backslash before ``. : / ? & = # % ~ -`` goes before URLs are extracted."""
    drops_ipv6_brackets: bool
    has_shell_http_block: bool
    reads_write_out_status: bool
    """A leading 4xx or 5xx counts where the command asked curl for the status."""
    aborted_is_failure: bool


PROFILES: Mapping[str, Profile] = MappingProxyType(
    {
        "0.5.2": Profile(
            name="0.5.2",
            unescapes_urls=False,
            drops_ipv6_brackets=False,
            has_shell_http_block=False,
            reads_write_out_status=False,
            aborted_is_failure=True,
        ),
        "0.8": Profile(
            name="0.8",
            unescapes_urls=True,
            drops_ipv6_brackets=True,
            has_shell_http_block=True,
            reads_write_out_status=True,
            aborted_is_failure=False,
        ),
    }
)
"""By version; ``0.5.2`` is the package on the npm registry."""

DEFAULT = "0.8"
"""The version replayed unless another is asked for."""
