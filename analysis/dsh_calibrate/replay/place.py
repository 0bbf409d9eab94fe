"""Where a tracker is in a log: what every decision made there has in common."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.replay.counterfactuals import Counterfactual, Meter, Spot, of_lifecycle
from dsh_calibrate.replay.decision import Decision, DivergenceTrack, Draft, Verdict, settle


class CallSite(msgspec.Struct, frozen=True):
    """Which call a decision is about: log seq, ordinal in the lifecycle, recorded id, tool."""

    seq: int
    call: int
    call_id: str
    tool: str


@dataclass(slots=True)
class Place:
    """The log being replayed and, per lifecycle, the drafts of one guard.

    ``bounds`` tells, for each lifecycle that diverged, how many decisions it made up to and
    including the one that diverged: what is filed at or behind that position is not exact.
    With a ``meter``, ``counterfactual`` tells what lies behind the interventions.
    """

    log: str
    session: str
    guard: str
    lifecycle: int = 0
    track: DivergenceTrack = field(default_factory=DivergenceTrack)
    settled: list[Decision] = field(default_factory=list)
    bounds: dict[int, int] = field(default_factory=dict)
    meter: Meter | None = None
    counterfactual: Counterfactual = field(default_factory=Counterfactual)

    def begin(self, lifecycle: int) -> None:
        """Close the lifecycle's drafts and start the next one's."""
        self.close()
        self.lifecycle = lifecycle

    def close(self) -> None:
        """Settle what is still a draft."""
        self._measure()
        first = self.track.first_divergence()
        if first is not None:
            self.bounds[self.lifecycle] = first + 1
        self.settled.extend(settle(self.track))
        self.track = DivergenceTrack()

    def _measure(self) -> None:
        if self.meter is None or not self.meter.has_begun:
            return
        spots = [
            Spot(d.decision.verdict, d.diverges is not None and not d.matched, d.so_far)
            for d in self.track.drafts
            if d.so_far is not None and (d.decision.verdict != "refuse" or d.diverges is not None)
        ]
        self.counterfactual.add(of_lifecycle(spots, self.meter.now()))

    @property
    def position(self) -> tuple[int, int]:
        """Lifecycle and number of decisions in it so far: what counters are filed under."""
        return self.lifecycle, len(self.track.drafts)

    def exact_at(self, position: tuple[int, int]) -> bool:
        """Whether what was filed at ``position`` came before the lifecycle diverged."""
        lifecycle, decisions = position
        return lifecycle not in self.bounds or decisions < self.bounds[lifecycle]

    def add(self, draft: Draft) -> Draft:
        """File a draft in the current lifecycle."""
        if self.meter is not None:
            draft.so_far = self.meter.now()
        self.track.drafts.append(draft)
        return draft

    def at_call(
        self,
        site: CallSite,
        line: int,
        verdict: Verdict,
        stage: str,
        ran: bool,
        hits: tuple[Hit, ...],
        shell_http: str | None = None,
    ) -> Decision:
        """The decision about a call, as of ``line``."""
        return Decision(
            log=self.log,
            session=self.session,
            lifecycle=self.lifecycle,
            guard=self.guard,
            seq=site.seq,
            line=line,
            verdict=verdict,
            stage=stage,
            ran=ran,
            call=site.call,
            call_id=site.call_id,
            tool=site.tool,
            hits=hits,
            shell_http=shell_http,
        )
