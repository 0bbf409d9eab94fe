"""What to replay and how: the settings in force, the operator, the mode of the block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig

GUARDS = ("rtb", "tfb", "rtr", "rlg")
"""Short names of the guards, in the order of every table."""

Operator = Literal["decline", "approve", "recorded"]
ShellHttp = Literal["measure", "enforce", "off"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything a replay depends on beside the logs; picklable.

    A guard whose config is ``None`` is not run. ``shell_http`` is already ``off`` when the
    breaker's configuration switches the block off (contract.md 2).
    """

    rtb: BreakerConfig | None = None
    tfb: CircuitBreakerConfig | None = None
    rtr: ReminderConfig | None = None
    rlg: ReasoningLoopConfig | None = None
    operator: Operator = "decline"
    shell_http: ShellHttp = "measure"
    salvage: bool = False

    @property
    def guards(self) -> tuple[str, ...]:
        """Short names of the guards that are run, in table order."""
        configs = (self.rtb, self.tfb, self.rtr, self.rlg)
        return tuple(g for g, config in zip(GUARDS, configs, strict=True) if config is not None)


def approves(operator: Operator, recorded: str | None) -> bool:
    """What the operator says when asked about a call.

    ``recorded`` is the outcome of the approval that the log holds for the call; where it
    holds none, ``recorded`` policy declines, as an unattended ask does.
    """
    if operator == "recorded":
        return recorded == "allowed-once"
    return operator == "approve"
