"""``corpus.toml``: which logs a corpus holds, and under which settings they are replayed.

A corpus is a folder with this file, ``labels.toml`` and ``baseline.jsonl`` beside the logs
(contract.md 6). Everything in it is plain text, so that a change shows in a review.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.kept_files import MIB, read_kept
from dsh_calibrate.toml_text import TomlError, parse_toml

MANIFEST = "corpus.toml"
LABELS = "labels.toml"
BASELINE = "baseline.jsonl"
SCHEMA = 1
"""Raised when a key changes its meaning or goes away."""

KEYS = ("schema", "config", "plugin_versions", "min_coverage", "provenance", "licence", "log")
LOG_KEYS = ("path", "digest", "provenance", "licence")
MOST_BYTES = 16 * MIB
"""About a hundred thousand logs."""

_DIGEST = re.compile(r"[0-9a-f]{32}")


class ManifestError(CalibrateError):
    """A corpus file is wrong; the line names the file, the place and what is accepted."""


@dataclass(frozen=True, slots=True)
class ListedLog:
    """One ``[[log]]``: its POSIX path below the corpus folder, BLAKE2b of the stored bytes.

    ``digest`` is :func:`dsh_calibrate.replay.envelope.file_digest` (16 bytes, hex).
    """

    path: str
    digest: str
    provenance: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``corpus.toml`` says.

    ``config`` is the settings file below the corpus folder (``None``: the plugins'
    defaults), ``plugin_versions`` e.g. ``{"rtb": "0.8"}``, ``min_coverage`` the percentage
    of logs that must be read whole. ``provenance`` and ``licence`` are what is said of all
    logs; a log may say its own.
    """

    config: str | None = None
    plugin_versions: Mapping[str, str] | None = None
    min_coverage: float | None = None
    provenance: str = ""
    licence: str = ""
    logs: tuple[ListedLog, ...] = ()


def read_manifest(folder: Path) -> Manifest:
    """Read ``corpus.toml`` of a corpus folder. Raises :class:`ManifestError`."""
    path = folder / MANIFEST
    try:
        text = read_kept(path, MOST_BYTES).decode("utf-8")
    except FileNotFoundError:
        raise ManifestError(
            f"{path}: no such file; name a corpus folder, or make one with "
            "`dsh-calibrate corpus init`"
        ) from None
    except OSError as wrong:
        raise ManifestError(f"{path}: cannot be read ({wrong.strerror})") from None
    except UnicodeDecodeError:
        raise ManifestError(f"{path}: is not UTF-8 text: save it as UTF-8") from None
    return parse_manifest(text, str(path))


def parse_manifest(text: str, name: str) -> Manifest:
    """Parse the text of a ``corpus.toml``; ``name`` stands for the file in messages."""
    try:
        data = parse_toml(text)
    except TomlError as wrong:
        raise ManifestError(f"{name}: is not TOML: {wrong}") from None
    _known_keys(data, KEYS, name)
    schema = data.get("schema")
    if isinstance(schema, bool) or schema != SCHEMA:
        raise ManifestError(
            f"{name}: schema: {schema!r} is not known here: this version reads schema {SCHEMA}"
        )
    members = data.get("log", [])
    if not isinstance(members, list) or not all(isinstance(m, dict) for m in members):
        raise ManifestError(f"{name}: log: must be tables, write [[log]] above each")
    logs = tuple(_log(member, f"{name}: log {k}") for k, member in enumerate(members, 1))
    seen: dict[str, int] = {}
    for number, log in enumerate(logs, 1):
        first = seen.setdefault(log.path, number)
        if first != number:
            raise ManifestError(
                f"{name}: log {number}: path: {log.path!r} is log {first} too: list it once"
            )
    config = _text(data, "config", name)
    return Manifest(
        config=None if config is None else _inside(config, f"{name}: config"),
        plugin_versions=_versions(data, name),
        min_coverage=_coverage(data, name),
        provenance=_text(data, "provenance", name) or "",
        licence=_text(data, "licence", name) or "",
        logs=logs,
    )


def _log(row: Mapping[str, Any], place: str) -> ListedLog:
    _known_keys(row, LOG_KEYS, place)
    path, digest = _text(row, "path", place), _text(row, "digest", place)
    if not path:
        raise ManifestError(f"{place}: path: is missing: give the log's path below the corpus")
    if digest is None or not _DIGEST.fullmatch(digest):
        raise ManifestError(
            f"{place}: digest: must be 32 hex digits (BLAKE2b of the stored bytes); "
            "`dsh-calibrate corpus add` writes it"
        )
    return ListedLog(
        path=_inside(path, f"{place}: path"),
        digest=digest,
        provenance=_text(row, "provenance", place) or "",
        licence=_text(row, "licence", place) or "",
    )


def _inside(path: str, place: str) -> str:
    """A path that stays below the corpus folder, in one spelling."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or str(pure) != path:
        raise ManifestError(
            f"{place}: {path!r} must be a plain path below the corpus folder, written with / "
            "and without .."
        )
    return path


def _versions(data: Mapping[str, Any], name: str) -> dict[str, str] | None:
    versions = data.get("plugin_versions")
    if versions is None:
        return None
    if not isinstance(versions, dict) or not all(isinstance(v, str) for v in versions.values()):
        raise ManifestError(
            f'{name}: plugin_versions: must be a table of texts, for example {{ rtb = "0.8" }}'
        )
    return versions


def _coverage(data: Mapping[str, Any], name: str) -> float | None:
    share = data.get("min_coverage")
    if share is None:
        return None
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 100:
        raise ManifestError(
            f"{name}: min_coverage: must be a share from 0 to 1, or percent above 1 up to 100"
        )
    return share * 100 if share <= 1 else float(share)


def _known_keys(row: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    for key in row:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            hint = f", did you mean {near[0]}?" if near else ""
            raise ManifestError(
                f"{place}: {key!r} is not a key here{hint} (known: {', '.join(known)})"
            )


def _text(row: Mapping[str, Any], key: str, place: str) -> str | None:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise ManifestError(f"{place}: {key}: must be a text in quotes")
    return value
