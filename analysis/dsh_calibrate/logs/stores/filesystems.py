"""The fsspec file system for a kind of address, on whatever machine this is.

Credentials, endpoints and the like are the environment's and fsspec's own configuration
(``AWS_…``, ``FSSPEC_S3_…``): never an argument, so they never travel or show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.stores.addresses import PACKAGES

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_OPTIONS: dict[str, dict[str, Any]] = {
    # One request a file: several for its parts could meet two versions of it.
    "s3": {"max_concurrency": 1},
}


def file_system(kind: str) -> AbstractFileSystem:
    """The file system; raises :class:`UsageError` when its package is not installed."""
    try:
        import fsspec

        return fsspec.filesystem(kind, use_listings_cache=False, **_OPTIONS.get(kind, {}))
    except ImportError:
        package = PACKAGES[kind]
        extra = 'pip install "dsh-calibrate[remote]"'
        more = f" and pip install {package}" if package == "gcsfs" else ""
        raise UsageError(f"{kind}:// needs the package {package}: {extra}{more}") from None


def require(kind: str) -> None:
    """Raise :class:`UsageError` when addresses of this kind cannot be read here."""
    file_system(kind)
