"""Finds the logs that a corpus lists, and says whether they are still what was listed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dsh_calibrate.corpora.manifest import MANIFEST, Manifest
from dsh_calibrate.logs.discovery import Discovery, Log, discover
from dsh_calibrate.replay.envelope import file_digest


@dataclass(frozen=True, slots=True)
class CorpusLogs:
    """The listed logs that are there, in the order of their keys, and what is wrong.

    ``problems`` (one line each) make the corpus unusable: a listed log is missing, is not
    read as a log of its own, or has other bytes. ``unlisted`` are keys of logs in the
    folder that ``corpus.toml`` does not name.
    """

    logs: tuple[Log, ...]
    problems: tuple[str, ...]
    unlisted: tuple[str, ...]
    found: Discovery


def corpus_logs(folder: Path, manifest: Manifest) -> CorpusLogs:
    """Look for the listed logs below ``folder`` and compare their digests."""
    found = discover([folder])
    by_key = {log.key: log for log in found.logs}
    listed = {entry.path: entry for entry in manifest.logs}
    name = folder / MANIFEST
    problems: list[str] = []
    logs: list[Log] = []
    for path, entry in sorted(listed.items()):
        log = by_key.get(path)
        if log is None:
            problems.append(f"{name}: listed log {path!r} {_absence(path, folder, found)}")
        elif file_digest(log.path) != entry.digest:
            problems.append(
                f"{name}: log {path!r} has another digest than the one listed: its bytes "
                "changed; restore it, or list what it is now (take its [[log]] out and "
                "`corpus add` it again)"
            )
        else:
            logs.append(log)
    return CorpusLogs(
        logs=tuple(logs),
        problems=tuple(problems),
        unlisted=tuple(key for key in by_key if key not in listed),
        found=found,
    )


def _absence(path: str, folder: Path, found: Discovery) -> str:
    if path in found.superseded:
        return "is an older generation of a session that lies beside it: list the newer one"
    if path in found.duplicates:
        return "has the id and the bytes of another log here: list one of them"
    if (folder / path).exists():
        return "is no DSH session log: take its [[log]] out"
    return "is missing: restore it, or take its [[log]] out"


def joined(problems: Iterable[str]) -> str:
    """Several problems in the one line of an error."""
    first, *others = problems
    more = f" (and {len(others)} more; `corpus verify` lists them all)" if others else ""
    return first + more
