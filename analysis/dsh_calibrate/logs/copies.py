"""The same log twice: same session id and same stored bytes count once (contract.md 3)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from dsh_calibrate.logs.discovery import Log


def digest(path: Path) -> str:
    """Return the BLAKE2b digest (hex) of a file's stored bytes; raises ``OSError``."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, hashlib.blake2b).hexdigest()


def drop_duplicates(logs: list[Log]) -> tuple[list[Log], list[str]]:
    """Keep the first of identical logs; return the kept ones and the keys of the rest.

    Only logs of the same id and size are compared byte by byte (through their digest).
    """
    alike: dict[tuple[str, int], list[Log]] = {}
    for log in logs:
        if log.header is not None and log.size:
            alike.setdefault((log.header.session, log.size), []).append(log)
    dropped: set[Path] = set()
    for group in alike.values():
        first: set[str] = set()
        for log in group if len(group) > 1 else ():
            try:
                name = digest(log.path)
            except OSError:
                continue
            if name in first:
                dropped.add(log.path)
            first.add(name)
    kept = [log for log in logs if log.path not in dropped]
    return kept, [log.key for log in logs if log.path in dropped]
