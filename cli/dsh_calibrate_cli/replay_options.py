"""How a replay treats questions to the operator and the shell-HTTP block."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

import typer


class Operator(StrEnum):
    """Who answers when the breaker asks."""

    decline = "decline"
    approve = "approve"
    recorded = "recorded"


class ShellHttp(StrEnum):
    """How the shell-HTTP block is applied."""

    measure = "measure"
    enforce = "enforce"
    off = "off"


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """Options of commands that replay (contract.md 2)."""

    operator: Annotated[
        Operator,
        typer.Option(
            "--operator",
            help="Answer to every question; recorded: what the log says, decline where silent.",
        ),
    ] = Operator.decline
    shell_http: Annotated[
        ShellHttp,
        typer.Option(
            "--shell-http",
            help="measure: count what the block would refuse, apart; enforce: refuse it, as "
            "live; off.",
        ),
    ] = ShellHttp.measure
