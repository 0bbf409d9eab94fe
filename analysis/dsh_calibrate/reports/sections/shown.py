"""Content of logs as a report shows it: masked, unless the reader asked for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dsh_calibrate.reports.masking import (
    mask_command,
    mask_fingerprint,
    mask_log_keys,
    mask_text,
    mask_tool,
    mask_verb,
)

_LIMIT = 160


@dataclass(frozen=True, slots=True)
class Shown:
    """``keys`` are the shown keys of all logs, ``masked`` whether anything is masked."""

    keys: Mapping[str, str]
    masked: bool

    @classmethod
    def of(cls, logs: Iterable[str], *, masked: bool) -> Shown:
        """What is shown of these logs."""
        found = list(logs)
        return cls(mask_log_keys(found) if masked else {key: key for key in found}, masked)

    def log(self, key: str) -> str:
        """The key of a log."""
        return self.keys[key]

    def fingerprint(self, text: str) -> str:
        """A fingerprint (or, from rlg, the repeated text)."""
        return mask_fingerprint(text) if self.masked else _cut(text)

    def command(self, text: str) -> str:
        """A shell command."""
        return mask_command(text) if self.masked else _cut(text)

    def tool(self, text: str) -> str:
        """The name of a tool."""
        return mask_tool(text) if self.masked else _cut(text)

    def verb(self, text: str) -> str:
        """The verb of a command."""
        return mask_verb(text) if self.masked else _cut(text)

    def text(self, text: str) -> str:
        """Free text."""
        return mask_text(text) if self.masked else _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _LIMIT else text[: _LIMIT - 1] + "…"
