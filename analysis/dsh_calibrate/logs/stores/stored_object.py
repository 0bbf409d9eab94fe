"""An object in a store, where a path stands."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import IO, Any
from urllib.parse import unquote

from dsh_calibrate.logs.stores.addresses import checked
from dsh_calibrate.logs.stores.failures import as_os_error
from dsh_calibrate.logs.stores.fetching import fetched
from dsh_calibrate.logs.stores.filesystems import file_system

START = 64 * 1024
"""Bytes of a large object that are asked for to know its header."""

_VERSIONS = ("ETag", "etag", "generation", "Last-Modified", "LastModified", "updated", "mtime")


class StoredObject:
    """One object, or a prefix of many, by its address.

    It answers what readers ask of a :class:`pathlib.Path`: names, ``open``, ``stat``. It
    is equal to another of the same address. ``size`` (bytes) and ``version`` are what the
    store said when the object was found; ``None`` where it said nothing. Picklable.
    """

    __slots__ = ("kind", "size", "url", "version")

    def __init__(self, address: str, size: int | None = None, version: str | None = None) -> None:
        """Raises :class:`~dsh_calibrate.errors.UsageError` as ``addresses.checked`` does."""
        self.kind, self.url = checked(address)
        self.size = size
        self.version = version

    def __str__(self) -> str:
        return self.url

    def __repr__(self) -> str:
        return f"StoredObject({self.url!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StoredObject) and self.url == other.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredObject, (self.url, self.size, self.version)

    @property
    def path(self) -> StoredObject:
        """Itself: readers take a log or what stands where its path does."""
        return self

    @property
    def is_web(self) -> bool:
        """Whether a web server holds it: its names are percent-encoded there."""
        return self.kind in ("http", "https")

    @property
    def is_private(self) -> bool:
        """Whether no other process can see it."""
        return self.kind == "memory"

    @property
    def parts(self) -> tuple[str, ...]:
        """The kind, the bucket or host, and the names below."""
        kind, _, rest = self.url.partition("://")
        names = [name for name in rest.split("/") if name]
        return (f"{kind}://", *(map(unquote, names) if self.is_web else names))

    @property
    def name(self) -> str:
        """The last name of the address."""
        return self.parts[-1]

    @property
    def suffix(self) -> str:
        """The last suffix of the name, with its dot."""
        dot = self.name.rfind(".")
        return self.name[dot:] if 0 < dot < len(self.name) - 1 else ""

    @property
    def stem(self) -> str:
        """The name without its last suffix."""
        return self.name.removesuffix(self.suffix)

    @property
    def parent(self) -> StoredObject:
        """The prefix above; that of a bucket or host is itself."""
        above, _, _ = self.url.rpartition("/")
        return self if above.endswith("/") else StoredObject(above)

    @property
    def parents(self) -> tuple[StoredObject, ...]:
        """All prefixes above, the nearest first."""
        found: list[StoredObject] = []
        at = self
        while at.parent != at:
            at = at.parent
            found.append(at)
        return tuple(found)

    def absolute(self) -> StoredObject:
        """Itself."""
        return self

    def resolve(self) -> StoredObject:
        """Itself."""
        return self

    def is_absolute(self) -> bool:
        """Always."""
        return True

    def is_relative_to(self, other: object) -> bool:
        """Whether it lies below another address."""
        return self == other or other in self.parents

    def as_posix(self) -> str:
        """The address."""
        return self.url

    def key_below(self, root: StoredObject) -> str:
        """The names below ``root``, decoded and joined by slashes."""
        return "/".join(self.parts[len(root.parts) :])

    def info(self) -> Mapping[str, Any]:
        """What the store says about it now; raises ``OSError``."""
        system = file_system(self.kind)
        with as_os_error():
            return dict(system.info(self.url))

    def refreshed(self) -> StoredObject:
        """As it is now, its bytes counted where the store tells no size; raises ``OSError``."""
        found = dict(self.info())
        if found.get("size") is None and found.get("type") != "directory":
            with self.open() as file:
                found["size"] = os.fstat(file.fileno()).st_size
        return described(self.url, found)

    def stat(self) -> os.stat_result:
        """Kind and size as of now, all other fields 0; raises ``OSError``."""
        info = self.info()
        if info.get("type") == "directory":
            return os.stat_result((stat.S_IFDIR, 0, 0, 1, 0, 0, 0, 0, 0, 0))
        size = info.get("size")
        if size is None:
            size = self.refreshed().size or 0
        return os.stat_result((stat.S_IFREG, 0, 0, 1, 0, 0, int(size), 0, 0, 0))

    def is_dir(self) -> bool:
        """Whether it is a prefix of others; a web server does not tell, so never there."""
        try:
            return not self.is_web and stat.S_ISDIR(self.stat().st_mode)
        except OSError:
            return False

    def is_file(self) -> bool:
        """Whether it is an object; one that a store has described is, unasked."""
        try:
            return self.size is not None or stat.S_ISREG(self.stat().st_mode)
        except OSError:
            return False

    def exists(self) -> bool:
        """Whether it is an object or a prefix of some."""
        return self.is_file() or self.is_dir()

    def open(self, mode: str = "rb", buffering: int = -1) -> IO[bytes]:
        """Open a local copy of the whole object; raises ``OSError``."""
        if mode != "rb":
            raise ValueError("stores are only read")
        return fetched(self.kind, self.url, self.version).open(buffering)

    def start(self) -> bytes | None:
        """The first :data:`START` bytes, or ``None`` for an object that is no larger."""
        if self.size is None or self.size <= START:
            return None
        system = file_system(self.kind)
        with as_os_error():
            if not self.is_web:
                return bytes(system.cat_file(self.url, start=0, end=START))
            with system.open(self.url, "rb", block_size=0) as stream:  # ranges are not asked for
                return bytes(stream.read(START))


def described(url: str, info: Mapping[str, Any]) -> StoredObject:
    """The object of an fsspec entry."""
    size = info.get("size")
    version = next((info[name] for name in _VERSIONS if info.get(name)), None)
    return StoredObject(
        url,
        int(size) if size is not None else None,
        f"{size}:{version}" if version is not None else None,
    )


def stored(path: object) -> StoredObject | None:
    """The object that stands where a path does, or ``None`` for a path."""
    return path if isinstance(path, StoredObject) else None
