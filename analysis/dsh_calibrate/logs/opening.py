"""Opening a log: its length is taken once, and what is appended later is not seen."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from dsh_calibrate.logs.frames import PlainSource, Source, ZstdSource
from dsh_calibrate.logs.stores.stored_object import stored

_MAGICS = (b"\x28\xb5\x2f\xfd",)


@contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """Open a log of either encoding; the content decides, the name only when it is silent.

    Raises ``OSError``. A live writer may go on meanwhile (cases.md C78): nothing is locked.
    """
    with _opened(path) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no ordinary file")
        length = status.st_size
        yield source_of(file, length, path.name)


def _opened(path: Path) -> IO[bytes]:
    """Open a file of this machine, or a copy of the object that stands where a path does."""
    far = stored(path)
    if far is not None:
        return far.open(buffering=0)
    return open(path, "rb", buffering=0, opener=_without_waiting)


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe that took its place since it was found is not waited for."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def source_of(file: IO[bytes], length: int, name: str) -> Source:
    """Return the source for an open file of ``length`` bytes."""
    head = file.read(4)
    file.seek(0)
    skippable = len(head) == 4 and head[1:] == b"\x2a\x4d\x18" and head[0] & 0xF0 == 0x50
    named = name.lower().endswith((".zst", ".zstd"))
    plain = head[:1] in (b"{", b"\xef") or not named
    if head in _MAGICS or skippable or not plain:
        return ZstdSource(file, length)
    return PlainSource(file, length)
