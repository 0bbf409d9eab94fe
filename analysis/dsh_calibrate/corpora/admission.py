"""Which logs may join a corpus, and where they go (``corpus add``).

A corpus counts every session once: look-alikes, copies, older generations, other logs of a
session it has and forks of one are refused, each with its reason.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from dsh_calibrate.corpora.folders import session_folder
from dsh_calibrate.corpora.manifest import ListedLog, Manifest
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Discovery, Log, discover
from dsh_calibrate.logs.events import Header
from dsh_calibrate.replay.envelope import file_digest

_LOOK_ALIKE = re.compile(r"session(?:\.v[0-9]+)?\.jsonl(?:\.zstd)?|session.*\.tmp", re.I)
_RELATED = "--allow-related takes it too"


@dataclass(frozen=True, slots=True)
class Admitted:
    """A log that joins: ``path`` is its place below the corpus folder.

    ``inside`` tells that it lies there already and is only listed.
    """

    log: Log
    path: str
    inside: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """A log that does not join, and why."""

    key: str
    reason: str


@dataclass(slots=True)
class _Known:
    """What the corpus has: digests, session ids, parents of forks, each with a log's key."""

    digests: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    forked: dict[str, str] = field(default_factory=dict)

    def learn(self, key: str, digest: str, header: Header | None) -> None:
        self.digests.setdefault(digest, key)
        if header is not None:
            self.sessions.setdefault(header.session, key)
            parent = _forked_from(header)
            if parent is not None:
                self.forked.setdefault(parent, key)


def admit(
    folder: Path, manifest: Manifest, found: Discovery, *, related: bool = False
) -> tuple[list[Admitted], list[Refused]]:
    """Decide about every log found, in the order of their keys.

    ``related`` also takes other logs of a session that the corpus has (another format or
    generation) and forks; never the same bytes twice.
    """
    known = _known(folder, manifest)
    listed = {entry.path for entry in manifest.logs}
    admitted: list[Admitted] = []
    refused = [Refused(key, "an older generation of its session") for key in found.superseded]
    refused += [Refused(key, "a copy of another log named here") for key in found.duplicates]
    refused += [Refused(key, "no log, or only the look-alike of one") for key in found.ignored]
    places: set[str] = set()
    for log in found.logs:
        path, inside = _place(folder, log)
        digest = file_digest(log.path)
        if inside and path in listed:
            reason: str | None = "is listed already"
        else:
            reason = _reason(log, path, digest, known, related=related)
        if reason is None and (path in places or (not inside and (folder / path).exists())):
            reason = f"its place in the corpus, {path!r}, is taken"
        if reason is not None:
            refused.append(Refused(log.key, reason))
            continue
        places.add(path)
        known.learn(path, digest, log.header)
        admitted.append(Admitted(log, path, inside))
    return admitted, refused


def take(
    folder: Path, admitted: Iterable[Admitted], *, provenance: str = "", licence: str = ""
) -> list[ListedLog]:
    """Copy the logs that are not in the corpus folder yet, bytes as they are; list all.

    Raises :class:`UsageError` when a file cannot be read or written; files written before
    stay and are not listed.
    """
    found: list[ListedLog] = []
    for member in admitted:
        target = folder / member.path
        try:
            if not member.inside:
                target.parent.mkdir(parents=True, exist_ok=True)
                _copy(member.log.path, target)
        except OSError as wrong:
            raise UsageError(f"{member.log.path}: cannot be copied: {wrong.strerror}") from None
        found.append(ListedLog(member.path, file_digest(target), provenance, licence))
    return found


def _known(folder: Path, manifest: Manifest) -> _Known:
    known = _Known()
    headers = {log.key: log.header for log in discover([folder]).logs}
    for entry in manifest.logs:
        known.learn(entry.path, entry.digest, headers.get(entry.path))
    return known


def _place(folder: Path, log: Log) -> tuple[str, bool]:
    """Where a log goes below the corpus folder, and whether it lies there already."""
    whole, home = log.path.resolve(), folder.resolve()
    if whole.is_relative_to(home):
        return whole.relative_to(home).as_posix(), True
    parts = log.key.removeprefix("sessions/").split("/")
    if len(parts) == 1:
        name = session_folder(log.header.session) if log.header is not None else log.path.stem
        parts = [name, *parts]
    return "/".join(["sessions", *parts]), False


def _reason(log: Log, path: str, digest: str, known: _Known, *, related: bool) -> str | None:
    """Why a log is refused, or ``None``."""
    if log.generation is None and _LOOK_ALIKE.fullmatch(log.path.name):
        return "its name only looks like a log's; the harness does not read it"
    if "\\" in path or ".." in path.split("/"):
        return "its name cannot be listed; rename it"
    if not digest:
        return "cannot be read"
    if digest in known.digests:
        return f"has the same bytes as {known.digests[digest]!r}"
    header = log.header
    if header is None or related:
        return None
    if header.session in known.sessions:
        other = known.sessions[header.session]
        return f"is another log of the session of {other!r} ({_RELATED})"
    parent = _forked_from(header)
    if parent is not None and parent in known.sessions:
        return f"is a fork of the session of {known.sessions[parent]!r} ({_RELATED})"
    if header.session in known.forked:
        return f"is the session of which {known.forked[header.session]!r} is a fork ({_RELATED})"
    return None


def _forked_from(header: Header) -> str | None:
    """The session whose history a log begins with."""
    return header.parent_session if header.is_seeded or header.seed_length else None


def _copy(source: Path, target: Path) -> None:
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    try:
        with source.open("rb") as stored, os.fdopen(handle, "wb") as file:
            while chunk := stored.read(1 << 20):
                file.write(chunk)
        Path(name).chmod(0o644)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
