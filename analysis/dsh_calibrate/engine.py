"""Which engine measured: the version and a digest of the code that facts come from."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from dsh_calibrate import __version__

_ROOMS = ("javascript", "logs", "guards", "replay", "facts")


@functools.cache
def engine_id() -> str:
    """Return ``<version>+<12 hex digits>``; changes with every line of the measuring code."""
    root = Path(__file__).resolve().parent
    digest = hashlib.blake2b(digest_size=6)
    for room in _ROOMS:
        for file in sorted((root / room).rglob("*.py")):
            digest.update(f"{file.relative_to(root).as_posix()}\0".encode())
            digest.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return f"{__version__}+{digest.hexdigest()}"
