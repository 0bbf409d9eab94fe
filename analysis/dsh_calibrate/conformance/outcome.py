"""What a conformance run found: plain data, nothing printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dsh_calibrate.conformance.comparison import Place


@dataclass(frozen=True, slots=True)
class Difference:
    """One vector on which the engine and the vector file do not agree.

    ``line`` counts the file's lines from 1; ``note`` is the vector's remark for people, if
    any; ``places`` are where the answers differ; ``given`` is the vector's input,
    ``expected`` and ``got`` are the two answers, JSON values. All of it is file content:
    never shown unescaped.
    """

    line: int
    note: str | None
    places: tuple[Place, ...]
    given: object
    expected: object
    got: object


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """One vector file: how many vectors it holds and on how many the engine agrees.

    ``differences`` holds the first ones only, in the file's order.
    """

    path: Path
    kind: str
    vectors: int
    agreed: int
    differences: tuple[Difference, ...]

    @property
    def differing(self) -> int:
        """How many vectors do not agree, shown or not."""
        return self.vectors - self.agreed


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A file that was found and not run, and why; it agrees with nothing."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class VectorOutcome:
    """A whole run, files in the order in which they were named or found."""

    files: tuple[FileOutcome, ...]
    not_checked: tuple[NotChecked, ...]

    @property
    def vectors(self) -> int:
        """How many vectors were run."""
        return sum(file.vectors for file in self.files)

    @property
    def agreed(self) -> int:
        """On how many of them the engine agrees."""
        return sum(file.agreed for file in self.files)

    @property
    def all_agree(self) -> bool:
        """Whether every vector that was run agrees."""
        return self.agreed == self.vectors
