"""A look at the first line of a file, to know whether it is a log and whose."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Literal

from dsh_calibrate.logs.decode import NotJson, header
from dsh_calibrate.logs.events import Header
from dsh_calibrate.logs.frames import Hole, Source
from dsh_calibrate.logs.lines import LineReader
from dsh_calibrate.logs.opening import open_source, source_of
from dsh_calibrate.logs.stores.stored_object import stored

State = Literal["log", "empty", "broken", "other"]
"""``log``: a DSH header. ``empty``: no bytes, or only zeros. ``broken``: the first frame or
the file cannot be read, so nobody knows. ``other``: something else."""


Look = tuple[Header | None, State]
"""What the first line of a file tells."""


def peek(path: Path) -> Look:
    """Read the header of a file; never raises for what the file holds.

    Of a large object in a store only the start is fetched, where that tells.
    """
    try:
        far = stored(path)
        start = far.start() if far is not None else None
        if start is not None:
            source = source_of(io.BytesIO(start), len(start), path.name)
            found, state, whole = _look(source)
            if whole:
                return found, state
        with open_source(path) as source:
            found, state, _ = _look(source)
            return found, state
    except OSError:
        return None, "broken"


def _look(source: Source) -> tuple[Header | None, State, bool]:
    """The header, the state, and whether a whole first line told them."""
    try:
        lines = LineReader(source.pieces())
        for block in lines:
            if isinstance(block, Hole):
                return None, "broken", False
            found = header(block.lines[0])
            return found, "log" if found else "other", not source.torn
        if not lines.torn:
            return None, "broken" if source.torn else "empty", False
        found = header(lines.rest)
        return found, "log" if found else "other", False
    except NotJson:
        return None, "other", False
