"""One log, measured in one pass into pieces: its facts and its gated decisions."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_calibrate.facts.cache import Cache, Identity
from dsh_calibrate.facts.decision_facts import write_decisions
from dsh_calibrate.facts.hint_facts import HintFacts
from dsh_calibrate.facts.log_facts import log_row
from dsh_calibrate.facts.log_table import LOGS, ROWS
from dsh_calibrate.facts.pieces import pack
from dsh_calibrate.facts.settings import deciding, digest_of, feeding
from dsh_calibrate.facts.sinks import Sinks
from dsh_calibrate.facts.stream_facts import StreamFacts
from dsh_calibrate.facts.tables import DECISIONS, TABLES
from dsh_calibrate.facts.tool_facts import ToolFacts
from dsh_calibrate.guards.repeat_tool_breaker.memo import Memo
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.log import Follower, replay_log
from dsh_calibrate.replay.plan import Plan

FACT_TABLES = (LOGS.name, *ROWS)
DECISION_TABLES = (DECISIONS.name,)


@dataclass(frozen=True, slots=True)
class Piece:
    """Where a piece lies, the key it must have, and whether it is to be removed after use."""

    path: Path
    key: str
    is_scratch: bool


@dataclass(frozen=True, slots=True)
class Measured:
    """The pieces of one log; ``decisions`` is ``None`` when none were wanted."""

    facts: Piece
    decisions: Piece | None


def known(plan: Plan, cache: Cache, with_decisions: bool, log: Log) -> Measured | None:
    """What the cache holds of a log; ``None`` when anything is missing or damaged."""
    identity = Identity.of(log.path)
    if identity is None:
        return None
    found = places(plan, cache, identity, with_decisions)
    return found if _missing(found, cache) == (False, False) else None


def measure(
    plan: Plan, scratch: Path, cache: Cache | None, with_decisions: bool, log: Log
) -> Measured:
    """Measure one log; what the cache holds already is not measured again.

    A log that changes while it is read is not kept.
    """
    identity = Identity.of(log.path) if cache is not None else None
    if cache is not None and identity is not None:
        found = places(plan, cache, identity, with_decisions)
    else:
        found = scratch_places(scratch, with_decisions, log)
    needs_facts, needs_decisions = _missing(found, cache)
    if not needs_facts and not needs_decisions:
        return found
    facts, decisions = found.facts, found.decisions
    with tempfile.TemporaryDirectory(dir=scratch) as name:
        folder = Path(name)
        _run(plan, log, folder, needs_facts, needs_decisions)
        if identity is not None and Identity.of(log.path, fresh=True) != identity:
            cache = None
        if needs_facts:
            facts = _keep(facts, folder, FACT_TABLES, scratch, cache)
        if needs_decisions and decisions is not None:
            decisions = _keep(decisions, folder, DECISION_TABLES, scratch, cache)
    return Measured(facts, decisions)


def _missing(found: Measured, cache: Cache | None) -> tuple[bool, bool]:
    """Whether facts, and whether decisions have to be measured."""

    def lacks(piece: Piece | None) -> bool:
        return piece is not None and not (cache and cache.holds(piece.path, piece.key))

    return lacks(found.facts), lacks(found.decisions)


def places(plan: Plan, cache: Cache, identity: Identity, with_decisions: bool) -> Measured:
    """Where the cache keeps the pieces of a log in the state ``identity``."""

    def place(kind: str, settings: Mapping[str, Any]) -> Piece:
        path, key = cache.path(identity, kind, digest_of(settings))
        return Piece(path, key, is_scratch=False)

    return Measured(
        place("facts", feeding(plan)),
        place("decisions", deciding(plan)) if with_decisions else None,
    )


def scratch_places(scratch: Path, with_decisions: bool, log: Log) -> Measured:
    """Where the pieces of a log go that nothing keeps; the same on every machine."""
    return Measured(
        _scratch(scratch, f"{log.path}-facts"),
        _scratch(scratch, f"{log.path}-decisions") if with_decisions else None,
    )


def _scratch(scratch: Path, name: str) -> Piece:
    key = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return Piece(scratch / f"{key}.piece", key, is_scratch=True)


def _keep(
    piece: Piece, folder: Path, names: tuple[str, ...], scratch: Path, cache: Cache | None
) -> Piece:
    """Pack what was measured into the cache, or beside it where there is none or no room."""
    if cache is not None and not piece.is_scratch:
        try:
            pack(folder, names, piece.path, piece.key)
        except OSError:
            pass
        else:
            cache.drop_older(piece.path)
            return piece
    if not piece.is_scratch:
        piece = _scratch(scratch, piece.key)
    pack(folder, names, piece.path, piece.key)
    return piece


def _run(plan: Plan, log: Log, folder: Path, facts: bool, decisions: bool) -> None:
    """One pass over the log; the tables land in ``folder``."""
    memo = Memo()
    names = (*(FACT_TABLES if facts else ()), *(DECISION_TABLES if decisions else ()))
    replayed = plan if decisions else Plan(salvage=plan.salvage)
    with Sinks(folder, [TABLES[name] for name in names]) as sinks:
        also: list[Follower] = []
        if facts:
            tools = ToolFacts(plan, memo, sinks)
            hints = HintFacts(sinks)
            streams = StreamFacts(plan.rlg, sinks) if plan.rlg is not None else None
            also = [tools, hints, *([streams] if streams else [])]
        outcome = replay_log(log, replayed, memo, also=also, reasoning=plan.rlg is not None)
        if facts:
            row = log_row(outcome, log.size, tools, streams, hints, sinks.counts())
            sinks[LOGS.name].add(row)
        if decisions:
            write_decisions(outcome, sinks)
