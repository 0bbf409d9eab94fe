"""The pieces of a log that another machine measured, on their way back as bytes.

A worker of a cluster shares neither a temporary folder nor the cache with the machine that
asks: it measures into a folder of its own and sends what lies there.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from dsh_calibrate.facts.cache import Cache, Identity
from dsh_calibrate.facts.measuring import Measured, Piece, measure, places, scratch_places
from dsh_calibrate.facts.pieces import DamagedPieceError, repack
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.plan import Plan


@dataclass(frozen=True, slots=True)
class Parcel:
    """The bytes of the pieces, and the state of the log that they tell about.

    ``state`` is :attr:`Identity.state` before and after the reading; ``None`` when it
    changed meanwhile or cannot be told.
    """

    facts: bytes
    decisions: bytes | None
    state: str | None


def measure_away(plan: Plan, with_decisions: bool, log: Log) -> Parcel:
    """Measure one log on this machine, for another one."""
    before = Identity.of(log.path)
    with tempfile.TemporaryDirectory(prefix="dsh-calibrate-pieces-") as name:
        measured = measure(plan, Path(name), None, with_decisions, log)
        facts = measured.facts.path.read_bytes()
        made = measured.decisions
        decisions = made.path.read_bytes() if made is not None else None
    after = Identity.of(log.path, fresh=True)
    same = before is not None and after is not None and before.state == after.state
    return Parcel(facts, decisions, before.state if before is not None and same else None)


def receive(
    parcel: Parcel, plan: Plan, scratch: Path, cache: Cache | None, with_decisions: bool, log: Log
) -> Measured:
    """Lay the pieces where :func:`measure` would have laid them.

    They go to the cache only when the log, as this machine sees it now, is in the very
    state that the worker read.
    """
    arrived = scratch_places(scratch, with_decisions, log)
    arrived.facts.path.write_bytes(parcel.facts)
    if arrived.decisions is not None and parcel.decisions is not None:
        arrived.decisions.path.write_bytes(parcel.decisions)
    identity = Identity.of(log.path) if cache is not None else None
    if cache is None or identity is None or identity.state != parcel.state:
        return arrived
    kept = places(plan, cache, identity, with_decisions)
    facts = _keep(arrived.facts, kept.facts, cache)
    decisions = arrived.decisions
    if decisions is not None and kept.decisions is not None:
        decisions = _keep(decisions, kept.decisions, cache)
    return Measured(facts, decisions)


def _keep(arrived: Piece, kept: Piece, cache: Cache) -> Piece:
    """Move a piece into the cache; it stays where it is when there is no room."""
    try:
        repack(arrived.path, arrived.key, kept.path, kept.key)
    except (OSError, DamagedPieceError):
        return arrived
    cache.drop_older(kept.path)
    arrived.path.unlink(missing_ok=True)
    return kept
