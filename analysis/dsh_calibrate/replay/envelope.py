"""What every JSON document of the tool starts with (contract.md 5)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from dsh_calibrate import __version__

SCHEMA_VERSION = 1
"""Raised when a key changes its meaning or goes away; new keys do not raise it."""


def envelope(
    *,
    plugin_versions: Mapping[str, str],
    config: Mapping[str, object],
    corpus_digest: str,
    coverage: Mapping[str, object],
) -> dict[str, object]:
    """The common keys, in their order."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": f"dsh-calibrate {__version__}",
        "plugin_versions": dict(plugin_versions),
        "config": dict(config),
        "corpus_digest": corpus_digest,
        "coverage": dict(coverage),
    }


def file_digest(path: Path) -> str:
    """BLAKE2b (16 bytes, hex) of the stored bytes; empty when the file cannot be read."""
    digest = hashlib.blake2b(digest_size=16)
    try:
        if not path.is_file():  # a pipe that took its place would be waited for
            return ""
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
    except OSError:
        return ""
    return digest.hexdigest()


def corpus_digest(logs: Iterable[tuple[str, str]]) -> str:
    """One digest for a corpus: BLAKE2b over its sorted (log key, file digest) pairs."""
    digest = hashlib.blake2b(digest_size=16)
    for key, stored in sorted(logs):
        digest.update(f"{key}\0{stored}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()
