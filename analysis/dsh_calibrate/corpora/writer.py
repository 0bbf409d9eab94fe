"""Sessions → the bytes of a log, plain or as real multi-frame zstd files.

A zstd log is one frame per write batch, the header alone in the first, with checksums and
without content sizes, as the harness writes them (session-format.md 2). The same session
gives the same bytes on every machine (compressed: for one version of the zstd library).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import zstandard

from dsh_calibrate.corpora.dialects import check_version
from dsh_calibrate.corpora.folders import log_name, project_folder, session_folder
from dsh_calibrate.corpora.lines import LineOptions, batches
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.errors import UsageError

ENCODINGS = ("plain", "zstd")

_LEVEL = 3


def frame(data: bytes) -> bytes:
    """One zstd frame: checksum on, no content size, no dictionary."""
    compressor = zstandard.ZstdCompressor(
        level=_LEVEL, write_checksum=True, write_content_size=False, write_dict_id=False
    )
    return compressor.compress(data)


def pack(groups: Sequence[bytes], encoding: str) -> bytes:
    """Join write batches into the bytes of a file."""
    if encoding not in ENCODINGS:
        raise UsageError(f"encoding {encoding!r} cannot be written: use plain or zstd")
    return b"".join(groups if encoding == "plain" else map(frame, groups))


def encode(
    session: Session,
    version: int = 4,
    encoding: str = "plain",
    options: LineOptions | None = None,
) -> bytes:
    """Return the bytes of one log of ``session``."""
    groups = batches(session, check_version(version), options or LineOptions())
    return pack([b"".join(group) for group in groups], encoding)


def log_path(root: Path, session: Session, version: int, encoding: str) -> Path:
    """Where the log lies under ``root``: ``--slug--/<id>/session.v4.jsonl.zstd``."""
    folder = root / project_folder(session.cwd) / session_folder(session.id)
    return folder / log_name(version, encoding)


def write_session(
    root: Path,
    session: Session,
    version: int = 4,
    encoding: str = "plain",
    options: LineOptions | None = None,
) -> Path:
    """Write one log under ``root`` (folders are made) and return its path."""
    path = log_path(root, session, check_version(version), encoding)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(session, version, encoding, options))
    return path
