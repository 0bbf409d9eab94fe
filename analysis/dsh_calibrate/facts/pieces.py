"""A piece: several tables of one log (Arrow streams) in one file, with a checksum.

Layout: a magic word, the length of the index (8 bytes, big endian), the index (JSON: the
piece's key and where each table lies), the tables, BLAKE2b (32 bytes) over all before it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from dsh_calibrate.facts.sinks import SUFFIX

_MAGIC = b"DSHFACTS\x00\x01"
_DIGEST = 32
_CHUNK = 1 << 20
_OPTIONS = pa.ipc.IpcReadOptions(use_threads=False)


class DamagedPieceError(Exception):
    """A piece that is not what was written, or belongs to something else."""


def pack(folder: Path, names: Sequence[str], target: Path, key: str) -> None:
    """Join the tables in ``folder`` into ``target``, complete or not at all.

    ``names`` are the tables wanted; one without rows has no file and no place in the piece.
    ``target`` is written beside its place, for the owner alone, and then renamed.
    """
    files = {name: folder / f"{name}{SUFFIX}" for name in names}
    files = {name: path for name, path in files.items() if path.exists()}
    index = [(name, path.stat().st_size) for name, path in files.items()]
    _write(target, key, index, (chunk for path in files.values() for chunk in _chunks(path)))


def repack(source: Path, key: str, target: Path, new_key: str) -> None:
    """Write the piece ``source`` once more, as the piece ``new_key``.

    Raises :class:`DamagedPieceError` as :func:`unpack` does.
    """
    tables = unpack(source, key)
    index = [(name, table.size) for name, table in tables.items()]
    _write(target, new_key, index, (memoryview(table).cast("B") for table in tables.values()))


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            yield chunk


def _write(
    target: Path, key: str, index: list[tuple[str, int]], chunks: Iterable[bytes | memoryview]
) -> None:
    """Write a piece beside ``target``, then put it there."""
    head = json.dumps({"key": key, "tables": index}).encode()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".writing-")
    try:
        with open(handle, "wb") as out:  # noqa: PTH123 - a descriptor, not a path
            digest = hashlib.blake2b(digest_size=_DIGEST)
            for part in (_MAGIC, len(head).to_bytes(8, "big"), head):
                out.write(part)
                digest.update(part)
            for chunk in chunks:
                out.write(chunk)
                digest.update(chunk)
            out.write(digest.digest())
        os.replace(name, target)  # noqa: PTH105
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def unpack(path: Path, key: str) -> dict[str, pa.Buffer]:
    """Return the tables of a piece that have rows, as Arrow streams (mapped, not loaded).

    Raises :class:`DamagedPieceError` when the checksum, the layout or the key is wrong.
    """
    try:
        data = pa.memory_map(str(path)).read_buffer()
        whole = memoryview(data).cast("B")
    except (OSError, pa.ArrowInvalid) as error:
        raise DamagedPieceError(str(error)) from None
    end = len(whole) - _DIGEST
    start = len(_MAGIC) + 8
    if end < start or whole[: len(_MAGIC)] != _MAGIC:
        raise DamagedPieceError("it is too short or no piece")
    digest = hashlib.blake2b(digest_size=_DIGEST)
    for offset in range(0, end, _CHUNK):
        digest.update(whole[offset : min(offset + _CHUNK, end)])
    if digest.digest() != whole[end:]:
        raise DamagedPieceError("its checksum is wrong")
    offset = start + int.from_bytes(whole[len(_MAGIC) : start], "big")
    index = json.loads(bytes(whole[start:offset]))
    if index["key"] != key:
        raise DamagedPieceError("it belongs to something else")
    tables: dict[str, pa.Buffer] = {}
    for name, size in index["tables"]:
        tables[name] = data.slice(offset, size)
        offset += size
    return tables


def batches(table: pa.Buffer) -> Iterator[pa.RecordBatch]:
    """The rows of one table of a piece, a little at a time."""
    with pa.ipc.open_stream(table, options=_OPTIONS) as reader:
        yield from reader
