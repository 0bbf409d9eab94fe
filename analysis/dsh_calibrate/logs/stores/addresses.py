"""Which words name an object store, and which of them are refused."""

from __future__ import annotations

import re

from dsh_calibrate.errors import UsageError

PACKAGES = {
    "s3": "s3fs",
    "gs": "gcsfs",
    "gcs": "gcsfs",
    "http": "aiohttp",
    "https": "aiohttp",
    "memory": "fsspec",
}
"""Kinds of addresses, and the package that fsspec needs for each."""

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def is_address(text: str) -> bool:
    """Whether a word is meant as an address and not as a path."""
    return _ADDRESS.match(text) is not None


def checked(text: str) -> tuple[str, str]:
    """The kind of an address, and the address without slashes at its end.

    Raises :class:`UsageError` for a kind that is not read and for an address that carries
    credentials: those would come out again beside every log. Nothing of such an address is
    repeated in the error.
    """
    found = _ADDRESS.match(text)
    assert found is not None
    kind, rest = found[1].lower(), text[found.end() :]
    if "@" in rest.partition("/")[0]:
        raise UsageError(
            f"{kind}://…: credentials in an address are not taken, they would show in the output; "
            "give them in the environment or the store's own configuration"
        )
    if kind not in PACKAGES:
        known = ", ".join(f"{name}://" for name in PACKAGES)
        raise UsageError(f"{kind}://…: not a kind of address that is read; known: {known}")
    if kind in ("http", "https") and ("?" in rest or "#" in rest):
        raise UsageError(
            f"{kind}://…: an address with a query (?…) or a fragment (#…) is not taken: it may "
            "hold a signature, which would show in the output"
        )
    rest = rest.rstrip("/")
    if not rest.strip("/"):
        raise UsageError(f"{kind}://: names no place; write {kind}://NAME/FOLDER")
    return kind, f"{kind}://{rest}"
