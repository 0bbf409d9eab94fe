"""Objects fetched into temporary files, and the last few of them kept.

A log is opened several times in a row (its events, its digest, its inherited part): the
copy of the same version serves them all.
"""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import IO

from dsh_calibrate.logs.stores.failures import as_os_error
from dsh_calibrate.logs.stores.filesystems import file_system

_KEPT = 2


class Fetched:
    """A copy of one object; it goes with the last reference to it."""

    def __init__(self, kind: str, url: str) -> None:
        self._folder = tempfile.TemporaryDirectory(
            prefix="dsh-calibrate-fetched-", ignore_cleanup_errors=True
        )
        self.path = Path(self._folder.name) / "object"
        with as_os_error():
            file_system(kind).get_file(url, str(self.path))

    def open(self, buffering: int) -> IO[bytes]:
        """Open the copy; the handle stays good when the copy is removed."""
        return self.path.open("rb", buffering=buffering)


def fetched(kind: str, url: str, version: str | None) -> Fetched:
    """A copy of an object; raises ``OSError``.

    Only an object whose ``version`` the store tells is kept for the next one who asks.
    """
    if version is None:
        return Fetched(kind, url)
    return _kept(kind, url, version)


@functools.lru_cache(maxsize=_KEPT)
def _kept(kind: str, url: str, version: str) -> Fetched:
    del version
    return Fetched(kind, url)
