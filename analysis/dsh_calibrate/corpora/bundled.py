"""The scenario files that come with the installed package (for ``demo``)."""

from __future__ import annotations

from pathlib import Path

from dsh_calibrate.errors import UsageError


def bundled_scenarios() -> list[Path]:
    """Return the scenario files of the first corpus, sorted by name.

    A wheel carries them beside this module; a clone has them under ``corpora/``.
    """
    here = Path(__file__).resolve()
    for folder in (here.parent / "bundled", here.parents[3] / "corpora/first-loops/scenarios"):
        files = sorted(folder.glob("*.toml"))
        if files:
            return files
    raise UsageError("the bundled scenarios are missing: install dsh-calibrate again")
