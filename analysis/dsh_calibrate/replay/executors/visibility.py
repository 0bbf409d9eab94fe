"""Whether another machine sees the log that this one found.

A path means a file of its own on every machine. Figures of another file, or of a half
copied one, would look like any other: so the file is held against what discovery saw.
"""

from __future__ import annotations

from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.headers import peek


def unlike(log: Log) -> str | None:
    """Why what lies at the log's path here is not what was found, or ``None``.

    A file that has grown is the same log. One whose header nobody could read when it was
    found only has to be there.
    """
    try:
        size = log.path.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return "there is no such file"
    except OSError as error:
        return None if log.header is None else error.strerror or "it cannot be looked at"
    if size < log.size:
        return f"it has {size} bytes there, not {log.size}"
    if log.header is not None:
        header, state = peek(log.path)
        if header is None:
            return "it cannot be read there" if state == "broken" else "it is no such log there"
        if header != log.header:
            return "it is another session there"
    return None
