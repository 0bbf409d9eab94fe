"""``--show-content`` and ``--mask``: whether log content is shown as it is (contract.md 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, slots=True)
class ContentOptions:
    """Artefacts for people mask content and data formats hold it in full, unless told so."""

    show_content: Annotated[
        bool | None,
        typer.Option(
            "--show-content/--mask",
            help="Show hosts, paths and names as they are, or shorten them. Default: text is "
            "masked, data formats are not.",
            show_default=False,
        ),
    ] = None

    def masks(self, *, for_people: bool) -> bool:
        """Whether an artefact is masked."""
        return for_people if self.show_content is None else not self.show_content
