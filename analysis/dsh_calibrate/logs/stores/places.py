"""What a PATH… as typed stands for: a path of this machine, or an address."""

from __future__ import annotations

import os
from pathlib import Path

from dsh_calibrate.logs.stores.addresses import is_address
from dsh_calibrate.logs.stores.filesystems import require
from dsh_calibrate.logs.stores.stored_object import StoredObject


def place(named: str | os.PathLike[str] | StoredObject) -> Path | StoredObject:
    """The path or the stored object that is meant.

    Raises :class:`~dsh_calibrate.errors.UsageError` for an address that is not read, or
    not without the extra ``[remote]``.
    """
    if isinstance(named, StoredObject):
        return named
    text = os.fspath(named)
    if not is_address(text) or os.path.lexists(text):
        return Path(named)
    found = StoredObject(text)
    require(found.kind)
    return found
