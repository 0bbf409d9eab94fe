"""Files written whole: beside their place and renamed there, so that no half is ever seen."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Replace ``path`` by ``data`` in one step; a file that exists keeps its mode.

    A link stays one: what it leads to is replaced. A device or a pipe (``/dev/stdout``, a
    process substitution) is written to, never replaced. Raises :class:`OSError` when it
    cannot be written; nothing is left behind then.
    """
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        _write_through(path, mode, data)
        return
    path = Path(os.path.realpath(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:200]}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(_new_mode() if mode is None else mode & 0o777)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def require_place(path: Path) -> None:
    """Refuse a place where :func:`write_whole` could not write, before the work is done.

    Raises :class:`OSError`: a folder stands there, or the folder it lies in is missing or
    cannot be written to.
    """
    mode = _mode(path)
    if mode is None or stat.S_ISREG(mode):
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"no folder {folder}; make it first")
        handle, name = tempfile.mkstemp(dir=folder, prefix=".dsh-calibrate.")
        os.close(handle)
        Path(name).unlink(missing_ok=True)
    elif stat.S_ISDIR(mode):
        raise _is_folder()


def _write_through(path: Path, mode: int, data: bytes) -> None:
    if stat.S_ISDIR(mode):
        raise _is_folder()
    # Nobody reads: said at once, where a plain open would wait for ever.
    handle = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(handle, True)
    with os.fdopen(handle, "wb") as file:
        file.write(data)


def _is_folder() -> OSError:
    return IsADirectoryError(errno.EISDIR, "a folder stands there; name a file")


def _mode(path: Path) -> int | None:
    """What stands at ``path``, links followed; ``None`` when nothing does."""
    try:
        return path.stat().st_mode
    except OSError:
        return None


def _new_mode() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask
