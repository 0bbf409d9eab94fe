"""Recorded sessions are read, never written: refuses them as places for an artefact."""

from __future__ import annotations

import os
from pathlib import Path

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.headers import peek


def refuse_recorded(path: Path) -> None:
    """Refuse ``path`` as a place to write when recorded sessions live there.

    That is ``$DSH_HOME/sessions`` (``~/.dsh/sessions``) and all below it, links followed,
    and any file that is a log, wherever it lies. Raises :class:`UsageError`; what cannot be
    looked at is left to the one who writes.
    """
    home = Path(os.environ.get("DSH_HOME") or Path.home() / ".dsh")
    try:
        here, sessions = path.resolve(), (home / "sessions").resolve()
        is_file = here.is_file()
    except (OSError, RuntimeError):
        return
    if here == sessions or sessions in here.parents:
        raise UsageError(f"{path} is where recorded sessions live: choose another place")
    if is_file and peek(here)[0] is not None:
        raise UsageError(f"{path} is a recorded session: name another file")
