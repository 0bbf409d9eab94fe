"""Judges what labels expect of guards at single calls and streams (contract.md 6).

=============  ========================  ===============================================
expectation    the guard speaks there    it does not
=============  ========================  ===============================================
``expect``     ``met``                   ``missed`` (fails)
``quiet``      ``disturbed`` (fails)     ``met``
``known-miss`` ``fixed``                 ``known``
``known-false`` ``known``                ``fixed``
=============  ========================  ===============================================

A guard speaks at a call when it advises, asks, denies or refuses there, at a stream when it
fires. ``fixed`` fails nothing: the label may now say ``expect`` or ``quiet``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dsh_calibrate.corpora.labels import Expectation, LabelError, Labels, Point, PointKind
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.logs.events import Call, LifecycleStart, StreamOpen
from dsh_calibrate.logs.reading import read_log
from dsh_calibrate.replay.decision import Decision

State = Literal["met", "missed", "disturbed", "known", "fixed"]
Spot = tuple[int, PointKind, int]
"""A place within a log: lifecycle, call or stream, its ordinal."""

_JUDGED: dict[tuple[Expectation, bool], State] = {
    ("expect", True): "met",
    ("expect", False): "missed",
    ("quiet", True): "disturbed",
    ("quiet", False): "met",
    ("known-miss", True): "fixed",
    ("known-miss", False): "known",
    ("known-false", True): "known",
    ("known-false", False): "fixed",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """One expectation about one log. ``seq`` is the log's number of the call or stream."""

    log: str
    point: Point
    state: State
    seq: int | None = None

    @property
    def fails(self) -> bool:
        """Whether the guard does what the label says it must not."""
        return self.state in ("missed", "disturbed")


def judge(
    labels: Labels,
    decisions: Iterable[Decision],
    spots: Mapping[str, Mapping[Spot, int]],
    guards: Sequence[str],
) -> list[Judged]:
    """Judge every expectation about the logs of a corpus, sorted by log and point.

    ``spots`` say which calls and streams each log with points has, and their seq
    (:func:`find_spots`). Points about guards that are not replayed are left out. Raises
    :class:`LabelError` for a point at a call or stream that the log does not have.
    """
    spoken = {
        (d.log, d.lifecycle, d.guard, d.call if d.stream is None else d.stream) for d in decisions
    }
    found: list[Judged] = []
    for log, label in sorted(labels.by_log.items()):
        for point in label.points:
            seq = spots.get(log, {}).get((point.lifecycle, point.kind, point.ordinal))
            if seq is None:
                raise LabelError(
                    f"labels.toml: a label expects {point.expect} of {point.guard} at "
                    f"{point.kind} {point.ordinal} of lifecycle {point.lifecycle}, and log "
                    f"{log!r} has no such {point.kind}: correct the label"
                )
            if point.guard in guards:
                speaks = (log, point.lifecycle, point.guard, point.ordinal) in spoken
                found.append(Judged(log, point, _JUDGED[point.expect, speaks], seq))
    return found


def find_spots(log: Log) -> dict[Spot, int]:
    """Every call and stream of a log, with its seq; the log is read once."""
    found: dict[Spot, int] = {}
    lifecycle = 0
    for event in read_log(log):
        if isinstance(event, Call):
            found[lifecycle, "call", event.index] = event.seq
        elif isinstance(event, StreamOpen):
            found[lifecycle, "stream", event.stream] = event.seq
        elif isinstance(event, LifecycleStart):
            lifecycle = event.number
    return found
