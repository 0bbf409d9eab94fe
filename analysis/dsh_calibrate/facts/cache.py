"""Pieces that were measured before, kept in the user's cache folder (contract.md 6).

An entry belongs to one state of one file (device, inode, size, mtime), one engine and the
settings that its figures hang on. Entries hold log content: the folder is the owner's
alone. Several processes may use it at once: an entry is written beside its place and
renamed. What is damaged is removed and measured again.
"""

from __future__ import annotations

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import platformdirs

from dsh_calibrate.engine import engine_id
from dsh_calibrate.errors import UsageError
from dsh_calibrate.facts.pieces import DamagedPieceError, unpack
from dsh_calibrate.facts.tables import SCHEMA_VERSION
from dsh_calibrate.logs.stores.stored_object import stored

FOLDER_VARIABLE = "DSH_CALIBRATE_CACHE"
"""Environment variable that names another folder."""

SUFFIX = ".piece"


@dataclass(frozen=True, slots=True)
class Identity:
    """One state of one file.

    ``file`` tells the file from every other one of this machine; ``state`` is the same on
    every machine that sees the same bytes of it.
    """

    file: str
    state: str

    @classmethod
    def of(cls, path: Path, *, fresh: bool = False) -> Self | None:
        """The state in which the file is now; ``None`` when it cannot be told.

        That of an object in a store is the one in which it was found, for which nobody is
        asked again; ``fresh`` asks.
        """
        try:
            far = stored(path)
            if far is not None:
                now = far.refreshed() if fresh else far
                return cls(now.url, now.version) if now.version is not None else None
            found = path.stat()
        except OSError:
            return None
        return cls(f"{found.st_dev}:{found.st_ino}", f"{found.st_size}:{found.st_mtime_ns}")


def default_folder() -> Path:
    """The cache folder in force: the variable's, else the user's."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else platformdirs.user_cache_path("dsh-calibrate") / "facts"


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of pieces; picklable."""

    folder: Path

    @classmethod
    def default(cls) -> Self:
        """The user's cache, made if need be.

        Raises :class:`UsageError` when the folder cannot be made or is somebody else's.
        """
        cache = cls(default_folder())
        cache.prepare()
        return cache

    def prepare(self) -> None:
        """Make the folder, for the owner alone."""
        folder = self.folder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = folder.stat()
            foreign = hasattr(os, "getuid") and found.st_uid != os.getuid()
            if not foreign and stat.S_IMODE(found.st_mode) != 0o700:
                folder.chmod(0o700)
        except OSError as error:
            raise UsageError(
                f"{folder}: the cache folder cannot be used ({error.strerror}); use --no-cache or "
                f"name another with {FOLDER_VARIABLE}"
            ) from None
        if foreign:
            raise UsageError(
                f"{folder}: the cache folder belongs to somebody else; use --no-cache or name "
                f"another with {FOLDER_VARIABLE}"
            )

    def path(self, identity: Identity, kind: str, settings: str) -> tuple[Path, str]:
        """Where an entry lies, and its key. ``settings`` is ``settings.digest_of`` of them."""
        file = _short(identity.file)
        state = _short(f"{identity.state}:{engine_id()}:{SCHEMA_VERSION}")
        name = f"{file}-{state}-{kind}-{settings[:16]}"
        return self.folder / f"{name}{SUFFIX}", name

    def holds(self, path: Path, key: str) -> bool:
        """Whether a sound entry is there; a damaged one is removed."""
        if not path.is_file():
            return False
        try:
            unpack(path, key)
        except DamagedPieceError:
            path.unlink(missing_ok=True)
            return False
        return True

    def drop_older(self, path: Path) -> None:
        """Remove entries of other states of the file that ``path`` belongs to."""
        file, state, *_ = path.name.split("-")
        for other in self.folder.glob(f"{file}-*{SUFFIX}"):
            if other.name.split("-")[1] != state:
                other.unlink(missing_ok=True)

    def clear(self) -> tuple[int, int]:
        """Remove every entry; returns how many there were and their bytes."""
        count = size = 0
        for entry in sorted(self.folder.glob(f"*{SUFFIX}")):
            size += entry.stat().st_size
            entry.unlink(missing_ok=True)
            count += 1
        for left in self.folder.glob(".writing-*"):
            left.unlink(missing_ok=True)
        return count, size


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()
