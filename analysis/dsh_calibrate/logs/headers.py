"""A look at the first line of a file, to know whether it is a log and whose."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from dsh_calibrate.logs.decode import NotJson, header
from dsh_calibrate.logs.events import Header
from dsh_calibrate.logs.frames import Hole
from dsh_calibrate.logs.lines import LineReader
from dsh_calibrate.logs.opening import open_source

State = Literal["log", "empty", "broken", "other"]
"""``log``: a DSH header. ``empty``: no bytes, or only zeros. ``broken``: the first frame or
the file cannot be read, so nobody knows. ``other``: something else."""


def peek(path: Path) -> tuple[Header | None, State]:
    """Read the header of a file; never raises for what the file holds."""
    try:
        with open_source(path) as source:
            lines = LineReader(source.pieces())
            for block in lines:
                if isinstance(block, Hole):
                    return None, "broken"
                found = header(block.lines[0])
                return found, "log" if found else "other"
            if not lines.torn:
                return None, "broken" if source.torn else "empty"
            found = header(lines.rest)
            return found, "log" if found else "other"
    except NotJson:
        return None, "other"
    except OSError:
        return None, "broken"
