"""What is found while settings are put together: refusals and warnings."""

from __future__ import annotations

from dataclasses import dataclass, field

from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.replay.settings.nodes import SettingsFileError, place


@dataclass(frozen=True, slots=True)
class Remark:
    """Something legal that deserves a look; ``guard`` is the short name it is about, if any."""

    guard: str | None
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(slots=True)
class Findings:
    """Collects both while files are read; refusals do not stop the reading."""

    refusals: list[CalibrateError] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def refuse(self, source: str, line: int | None, message: str) -> None:
        """Note that a place of a file cannot be taken."""
        self.refusals.append(SettingsFileError(source, line, message))

    def remark(self, source: str, line: int | None, text: str, guard: str | None = None) -> None:
        """Note a warning about a place of a file."""
        self.remarks.append(Remark(guard, f"{place(source, line)}: {text}"))
