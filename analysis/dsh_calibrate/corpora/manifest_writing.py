"""Writes ``corpus.toml``: stable text for a new one, appended entries for an existing one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dsh_calibrate.corpora.manifest import (
    SCHEMA,
    ListedLog,
    Manifest,
    ManifestError,
    parse_manifest,
)
from dsh_calibrate.errors import UsageError
from dsh_calibrate.whole_files import write_whole

_UNSAFE = re.compile(r'[\x00-\x1f\x7f"\\\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]')
_HEADING = "# A corpus of dsh-calibrate (docs/check.md): what is replayed, under which settings.\n"


def render_manifest(manifest: Manifest) -> str:
    """The text of a whole new file, keys in the order of contract.md 6."""
    rows = [f"schema = {SCHEMA}"]
    if manifest.config is not None:
        rows.append(f"config = {_quoted(manifest.config)}")
    if manifest.plugin_versions:
        pairs = (f"{_quoted(g)} = {_quoted(v)}" for g, v in manifest.plugin_versions.items())
        rows.append(f"plugin_versions = {{ {', '.join(pairs)} }}")
    if manifest.min_coverage is not None:
        share = manifest.min_coverage
        # Up to 1 it would be read as a share.
        rows.append(f"min_coverage = {share / 100 if share <= 1 else share:g}")
    for key in ("provenance", "licence"):
        value = getattr(manifest, key)
        if value:
            rows.append(f"{key} = {_quoted(value)}")
    return _HEADING + "\n".join(rows) + "\n" + "".join(map(_entry, manifest.logs))


def with_logs(text: str, logs: Sequence[ListedLog], name: str) -> str:
    """The manifest ``text`` with ``logs`` appended; all that stands in it stays as it is.

    Raises :class:`ManifestError` when the text is no manifest or cannot be extended so.
    """
    before = parse_manifest(text, name)
    start = text if not text or text.endswith("\n") else text + "\n"
    changed = start + "".join(map(_entry, logs))
    try:
        after = parse_manifest(changed, name)
    except ManifestError as wrong:
        raise ManifestError(f"{wrong}; write [[log]] tables instead of log = […]") from None
    if after != replace(before, logs=(*before.logs, *logs)):
        raise ManifestError(f"{name}: logs cannot be appended: write [[log]] tables at its end")
    return changed


def save_text(path: Path, text: str) -> None:
    """Write a file of a corpus beside its place and rename it there.

    Raises :class:`UsageError` with the reason when it cannot be written.
    """
    try:
        write_whole(path, text.encode("utf-8"))
    except OSError as wrong:
        raise UsageError(f"{path}: cannot be written ({wrong.strerror})") from None


def _entry(log: ListedLog) -> str:
    rows = ["", "[[log]]", f"path = {_quoted(log.path)}", f"digest = {_quoted(log.digest)}"]
    for key in ("provenance", "licence"):
        value = getattr(log, key)
        if value:
            rows.append(f"{key} = {_quoted(value)}")
    return "\n".join(rows) + "\n"


def _quoted(text: str) -> str:
    escaped = _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    if any(0xD800 <= ord(character) < 0xE000 for character in escaped):
        raise ManifestError(f"{text!a}: holds half a surrogate pair, which TOML cannot say")
    return f'"{escaped}"'
