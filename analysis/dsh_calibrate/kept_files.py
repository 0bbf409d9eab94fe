"""Small files that people keep (labels, manifests, scenarios…), read without trusting them.

A path may lead anywhere: a pipe would block for ever, a device or a disk image would fill
the memory. Only regular files up to a size are read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MIB = 1 << 20


def read_kept(path: Path, most: int) -> bytes:
    """The bytes of a regular file of at most ``most`` bytes.

    Raises :class:`OSError`, whose ``strerror`` says why: what the system says, or that it is
    a folder, a pipe or a device, or larger than ``most``.
    """
    # A pipe without a writer opens at once this way, and is looked at before it is read.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path, flags)
    except ValueError as wrong:  # a NUL in the name
        raise OSError(errno.EINVAL, "no name of a file") from wrong
    found = os.fstat(handle)
    mode = found.st_mode
    if not stat.S_ISREG(mode):
        os.close(handle)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        raise OSError(errno.EINVAL, "is a pipe or device, no file")
    with os.fdopen(handle, "rb") as file:
        data = file.read(most + 1) if found.st_size <= most else b""
    if max(found.st_size, len(data)) > most:
        raise OSError(errno.EFBIG, f"larger than {most // MIB} MiB")
    return data
