"""Runs of failures under three definitions: how long they last, and where the longest ended.

``global``: any calls in a row; ``per_fingerprint``: each fingerprint's own results in a row;
``per_target``: the same for ``host:`` and ``net:`` alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Definition = Literal["global", "per_fingerprint", "per_target"]
DEFINITIONS: tuple[Definition, ...] = ("global", "per_fingerprint", "per_target")
FAILED = "failed"
"""The only kind of failure where kinds are not told apart."""

_TARGETS = ("host:", "net:")


@dataclass(frozen=True, slots=True)
class Run:
    """The longest run of one definition: its length in calls, where it ended, whose it was.

    ``seq`` is the log's number of the last result in it; ``fingerprint`` is ``None`` for
    ``global``, and where there was no run.
    """

    length: int = 0
    lifecycle: int = 0
    seq: int = 0
    fingerprint: str | None = None


class Runs:
    """Follows runs through one log; a run is of failures of one and the same kind.

    Kinds are what the caller says: :data:`FAILED` alone for plain failures, exit codes to
    follow each of them. ``longest[kind]`` holds the longest run of every definition.
    """

    def __init__(self) -> None:
        self.longest: dict[str, dict[Definition, Run]] = {}
        self._lifecycle = 0
        self._in_a_row: tuple[str, int] = (FAILED, 0)
        self._open: dict[str, tuple[str, int]] = {}

    def begin(self, lifecycle: int) -> None:
        """A lifecycle begins: no run goes on."""
        self._lifecycle = lifecycle
        self.cut()

    def cut(self) -> None:
        """End every run."""
        self._in_a_row = (FAILED, 0)
        self._open.clear()

    def settle(self, seq: int, fingerprints: Iterable[str], kind: str | None) -> None:
        """Enter one result: ``kind`` of its failure, ``None`` for a success."""
        if kind is None:
            self._in_a_row = (FAILED, 0)
            if self._open:
                for fingerprint in fingerprints:
                    self._open.pop(fingerprint, None)
            return
        self._in_a_row = _longer(self._in_a_row, kind)
        self._lengthen("global", self._in_a_row, seq, None)
        for fingerprint in fingerprints:
            run = _longer(self._open.get(fingerprint), kind)
            self._open[fingerprint] = run
            self._lengthen("per_fingerprint", run, seq, fingerprint)
            if fingerprint.startswith(_TARGETS):
                self._lengthen("per_target", run, seq, fingerprint)

    def of(self, kind: str) -> dict[Definition, Run]:
        """The longest runs of a kind, all definitions."""
        found = self.longest.get(kind, {})
        return {name: found.get(name, Run()) for name in DEFINITIONS}

    def _lengthen(
        self, name: Definition, run: tuple[str, int], seq: int, fingerprint: str | None
    ) -> None:
        kind, length = run
        longest = self.longest.setdefault(kind, {})
        before = longest.get(name)
        if before is None or length > before.length:
            longest[name] = Run(length, self._lifecycle, seq, fingerprint)


def _longer(run: tuple[str, int] | None, kind: str) -> tuple[str, int]:
    return (kind, run[1] + 1) if run is not None and run[0] == kind else (kind, 1)
