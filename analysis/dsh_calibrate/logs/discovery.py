"""Finding logs under files, session folders and roots (contract.md 1 and 3).

A log is a ``*.jsonl``, ``*.jsonl.zst`` or ``*.jsonl.zstd`` with the header of a DSH session.
Whatever is not counted is named: older generations, copies, look-alikes.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, cast

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.copies import drop_duplicates
from dsh_calibrate.logs.events import Header
from dsh_calibrate.logs.generations import choose
from dsh_calibrate.logs.headers import Look, peek
from dsh_calibrate.logs.stores.listing import objects_below
from dsh_calibrate.logs.stores.places import place
from dsh_calibrate.logs.stores.stored_object import StoredObject

_SUFFIXES = (".jsonl", ".jsonl.zst", ".jsonl.zstd")
CANONICAL = re.compile(r"session(?:\.v([1-9][0-9]*))?\.jsonl(?:\.zstd)?")
"""Names that the harness gives to logs; group 1 is the generation."""
_AT_ONCE = 16
"""Objects of a store that are looked at together."""
_NEAR_MISS = re.compile(r"session(?:\.v[0-9]+)?\.jsonl(?:\.zstd)?|session.*\.tmp", re.I)


@dataclass(frozen=True, slots=True)
class Log:
    """One log: its file, its ``key`` (POSIX path below ``root``) and its header.

    ``header`` is ``None`` when line 1 cannot be read (the log will be empty, damaged or
    unreadable). ``generation`` is the version in a canonical name, 0 for the bare one and
    ``None`` for any other name. ``size`` is in stored bytes. For a log in an object store
    a :class:`~dsh_calibrate.logs.stores.stored_object.StoredObject` stands where a path
    does: what reads logs may ask either for its names, ``open("rb")`` and ``stat``.
    """

    path: Path
    key: str
    root: Path
    header: Header | None = None
    generation: int | None = None
    size: int = 0


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found. All names are keys; ``logs`` are in the order of their keys.

    ``not_logs`` explains, one line each, files that were named directly and are no DSH
    logs: the caller decides whether that is a mistake. ``left_out`` are logs that a
    selection passed over (:mod:`~dsh_calibrate.logs.selection`). ``shard`` (``1/4``) says
    that only a part is meant; ``other_shards`` counts the logs of the other parts
    (:mod:`~dsh_calibrate.logs.sharding`).
    """

    logs: tuple[Log, ...] = ()
    superseded: tuple[str, ...] = ()
    duplicates: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    not_logs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: tuple[Log, ...] = ()
    shard: str | None = None
    other_shards: int = 0


@dataclass(slots=True)
class _Found:
    logs: list[Log] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    not_logs: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    seen: set[tuple[int, int, str]] = field(default_factory=set)


def discover(
    paths: Iterable[str | os.PathLike[str] | StoredObject],
    *,
    generation: Literal["newest", "highest"] = "newest",
) -> Discovery:
    """Find the logs under files, session folders, roots and addresses (``s3://…``).

    ``generation="highest"`` insists on the highest generation of a session, as the harness
    does; otherwise a lower one whose last event is later is taken, with a warning. Raises
    ``UsageError`` for a path that does not exist. Finding nothing is no error here.
    """
    found = _Found()
    for name in paths:
        path = place(name)
        if isinstance(path, StoredObject):
            _take_stored(path, found)
            continue
        try:
            mode = path.stat().st_mode
        except (OSError, ValueError):
            raise UsageError(f"{_printable(str(path))}: no such file or folder") from None
        if stat.S_ISDIR(mode):
            for file in _walk(path, found):
                _take(file, path, found, direct=False)
        else:
            _take(path, path.parent, found, direct=True)
    logs = _unique_keys(found.logs)
    logs, superseded, warnings = choose(logs, insist=generation == "highest")
    logs, duplicates = drop_duplicates(logs)
    return Discovery(
        logs=tuple(logs),
        superseded=tuple(superseded),
        duplicates=tuple(duplicates),
        ignored=tuple(sorted(found.ignored)),
        not_logs=tuple(found.not_logs),
        warnings=(*found.warnings, *warnings),
    )


def _walk(root: Path, found: _Found) -> Iterator[Path]:
    """Yield the files below a folder, in order; each folder is entered once."""
    entered: set[tuple[int, int]] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in entered:
                continue
            entered.add((status.st_dev, status.st_ino))
            names = sorted(os.listdir(folder))  # noqa: PTH208 - cheaper than a Path each
        except OSError as error:
            what = error.strerror or "cannot be read"
            found.warnings.append(f"{_key(folder, root)}: {what}; the folder was left out")
            continue
        folders = []
        for name in names:
            path = folder / name
            if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where it may not look
                folders.append(path)
            else:
                yield path
        waiting.extend(reversed(folders))


def _take_stored(root: StoredObject, found: _Found) -> None:
    """Look at one object, or at all below a prefix."""
    from concurrent.futures import ThreadPoolExecutor

    direct = root.name.endswith(_SUFFIXES) if root.is_web else not root.is_dir()
    try:
        objects = [root.refreshed()] if direct else objects_below(root, found.warnings)
    except OSError as error:
        raise UsageError(f"{_printable(str(root))}: {error.strerror}") from None
    above = objects[0].parent if direct else root
    keys = {one: _printable(one.key_below(above)) for one in objects}
    wanted = [one for one in objects if direct or _is_wanted(one.name, keys[one], found)]
    with ThreadPoolExecutor(_AT_ONCE) as pool:  # what takes time is the way to the store
        for one, looked in pool.map(_looked_at, wanted):
            path, folder, identity = cast(Path, one), cast(Path, above), (0, 0, str(one))
            _add(path, keys[one], folder, one.size or 0, identity, looked, found, direct=direct)


def _looked_at(one: StoredObject) -> tuple[StoredObject, Look]:
    """An object with its size, and its first line."""
    if one.size is None:
        with contextlib.suppress(OSError):  # it will be unreadable, by its name
            one = one.refreshed()
    return one, peek(cast(Path, one))


def _is_wanted(name: str, key: str, found: _Found) -> bool:
    """Whether a name below a folder may be a log's; look-alikes are noted."""
    if CANONICAL.fullmatch(name) is None and (_NEAR_MISS.fullmatch(name) or name == "session.lock"):
        found.ignored.append(key)
        return False
    return name.endswith(_SUFFIXES)


def _take(path: Path, root: Path, found: _Found, *, direct: bool) -> None:
    """Look at one file: a log, something to be named, or nothing at all."""
    key = _key(path, root)
    if not direct and not _is_wanted(path.name, key, found):
        return
    try:
        status = path.stat()
    except OSError:
        found.ignored.append(key)  # a link that leads nowhere, or gone since
        return
    if not stat.S_ISREG(status.st_mode):
        if direct:
            found.not_logs.append(f"{_printable(str(path))}: not a file that can be read")
        else:
            found.ignored.append(key)
        return
    identity = (status.st_dev, status.st_ino, str(path.resolve()))
    if identity not in found.seen:
        _add(path, key, root, status.st_size, identity, peek(path), found, direct=direct)


def _add(
    path: Path,
    key: str,
    root: Path,
    size: int,
    identity: tuple[int, int, str],
    looked: Look,
    found: _Found,
    *,
    direct: bool,
) -> None:
    """Take what is a log by its first line, once; name what is none."""
    if identity in found.seen:
        return
    found.seen.add(identity)
    canonical = CANONICAL.fullmatch(path.name)
    header, state = looked
    if state == "other" and canonical is None:
        if direct:
            found.not_logs.append(
                f"{_printable(str(path))}: no DSH session log (its first line is no session "
                "header with an integer createdAt); name a session file or its folder"
            )
        else:
            found.ignored.append(key)
        return
    found.logs.append(
        Log(
            path=path,
            key=key,
            root=root,
            header=header,
            generation=int(canonical.group(1) or 0) if canonical else None,
            size=size,
        )
    )


def _unique_keys(logs: list[Log]) -> list[Log]:
    """Sort by key; logs of several roots whose keys clash get their folders in front."""
    above = 0
    named = {log.path: log.key for log in logs}
    while True:
        groups: dict[str, list[Log]] = {}
        for log in logs:
            groups.setdefault(named[log.path], []).append(log)
        clashing = [log for group in groups.values() if len(group) > 1 for log in group]
        if not clashing or above > 64:
            break
        above += 1
        for log in clashing:
            parents = log.root.resolve().parts[1:][-above:]
            named[log.path] = "/".join([*map(_printable, parents), log.key])
    for group in groups.values():  # bytes that are not UTF-8 beside their own escapes
        group.sort(key=lambda log: os.fsencode(str(log.path)))
        for number, log in enumerate(group[1:], 2):
            named[log.path] += f"#{number}"
    renamed = [
        Log(log.path, named[log.path], log.root, log.header, log.generation, log.size)
        for log in logs
    ]
    return sorted(renamed, key=lambda log: log.key)


def _key(path: Path, root: Path) -> str:
    return _printable(path.relative_to(root).as_posix())


def _printable(name: str) -> str:
    """Write bytes of a name that are not UTF-8 as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
