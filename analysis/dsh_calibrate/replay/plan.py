"""What to replay and how: the settings in force, the operator, the mode of the block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dsh_calibrate.guards.circuit_breaker.config import Config as CircuitBreakerConfig
from dsh_calibrate.guards.reasoning_loop.config import Config as ReasoningLoopConfig
from dsh_calibrate.guards.repeat_reminder.config import Config as ReminderConfig
from dsh_calibrate.guards.repeat_tool_breaker.config import Config as BreakerConfig
from dsh_calibrate.logs.events import Call
from dsh_calibrate.logs.pairing import ESCALATION

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


def recorded_answer(call: Call) -> str | None:
    """The recorded outcome of a question put about running ``call``, if there was one.

    A sandbox that was asked to be widened is another question, put by the tool that is
    already running: its answer says nothing about the guard's.
    """
    if (call.approval_reason or "").startswith(ESCALATION):
        return None
    return call.approval


def approves(operator: Operator, call: Call) -> bool:
    """What the operator says when asked about a call.

    Where the log holds no answer, ``recorded`` declines, as an unattended ask does.
    """
    if operator == "recorded":
        return recorded_answer(call) == "allowed-once"
    return operator == "approve"
