"""Which decision is to be kept: named by the caller, recognised in every smaller session."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.replay.plan import GUARDS

_SPEC = re.compile(
    r"(?P<guard>[a-z]+)(?::(?P<stage>[\w-]+))?"
    r"(?:@(?:(?P<lifecycle>[0-9]+)/)?(?P<by>seq|call|stream)=(?P<number>[0-9]+))?"
)


@dataclass(frozen=True, slots=True)
class Target:
    """``GUARD[:STAGE][@[LIFECYCLE/]seq|call|stream=N]``; what is left out is not asked for.

    ``stage`` may also be a verdict (``deny``). The first decision that fits is meant.
    """

    guard: str
    stage: str | None = None
    lifecycle: int | None = None
    by: str | None = None
    number: int | None = None

    def fits(self, decision: Decision) -> bool:
        """Whether this is the decision that was named."""
        return (
            decision.guard == self.guard
            and self.stage in (None, decision.stage, decision.verdict)
            and self.lifecycle in (None, decision.lifecycle)
            and (self.by is None or getattr(decision, self.by) == self.number)
        )


def parse_target(text: str) -> Target:
    """Read ``--keep``. Raises :class:`UsageError`."""
    found = _SPEC.fullmatch(text)
    if not found or found["guard"] not in GUARDS:
        raise UsageError(
            f"--keep {text}: expected GUARD[:STAGE][@seq=N], @call=N or @stream=N, for example "
            "rtb:warn@call=6 or rlg@stream=0 (guards: rtb, tfb, rtr, rlg)"
        )
    return Target(
        guard=found["guard"],
        stage=found["stage"],
        lifecycle=_number(found["lifecycle"]),
        by=found["by"],
        number=_number(found["number"]),
    )


def _number(text: str | None) -> int | None:
    return int(text) if text is not None else None


@dataclass(frozen=True, slots=True)
class Essence:
    """What must stay the same about a decision, wherever it moves.

    ``fingerprint``, ``count`` and ``threshold`` are the credited hit's; for a reasoning verdict
    ``count`` is its units or count.
    """

    guard: str
    verdict: str
    stage: str
    ran: bool
    fingerprint: str | None
    count: int | None
    threshold: float | None
    shell_http: str | None


def essence(decision: Decision) -> Essence:
    """Take the essence of a decision."""
    hit = decision.hits[0] if decision.hits else None
    count: int | None = hit.count if hit else None
    if decision.reasoning is not None:
        figures = decision.reasoning
        count = figures.units if figures.units is not None else figures.count
    return Essence(
        guard=decision.guard,
        verdict=decision.verdict,
        stage=decision.stage,
        ran=decision.ran,
        fingerprint=hit.fingerprint if hit else None,
        count=count,
        threshold=hit.threshold if hit else None,
        shell_http=decision.shell_http,
    )


def chosen(target: Target, decisions: Iterable[Decision]) -> Decision:
    """The first decision that the target names. Raises :class:`UsageError` without one."""
    made = list(decisions)
    for decision in made:
        if target.fits(decision):
            return decision
    there = sum(d.guard == target.guard for d in made)
    raise UsageError(
        f"--keep: no such decision in this log under these settings ({there} of {target.guard}, "
        f"{len(made)} in all); list them with: dsh-calibrate replay LOG --format jsonl"
    )
