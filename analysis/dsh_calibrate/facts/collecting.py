"""Measures a corpus: every log once, on as many processes as wanted, joined in a fixed order."""

from __future__ import annotations

import functools
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from dsh_calibrate.engine import engine_id
from dsh_calibrate.facts.cache import Cache
from dsh_calibrate.facts.folder import FolderWriter, Manifest, require_free, with_columns
from dsh_calibrate.facts.log_table import LOGS
from dsh_calibrate.facts.measuring import Measured, known, measure
from dsh_calibrate.facts.parcels import measure_away, receive
from dsh_calibrate.facts.pieces import DamagedPieceError, batches, unpack
from dsh_calibrate.facts.reading import Facts
from dsh_calibrate.facts.settings import deciding, feeding
from dsh_calibrate.facts.tables import DECISIONS
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.executors.cluster import Cluster, Jobs
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.pool import map_logs


def collect(
    logs: Sequence[Log],
    plan: Plan,
    *,
    jobs: Jobs = None,
    cache: Cache | None = None,
    decisions: bool = True,
    on_done: Callable[[Log], None] | None = None,
    folder: Path | None = None,
    masked: bool = False,
) -> Facts:
    """Measure ``logs`` under ``plan`` into a folder of facts and open it.

    ``logs`` are in the order of their keys, as discovery gives them. ``folder`` keeps the
    tables (``None``: a temporary folder that goes when the facts are closed). ``cache``
    holds what was measured before; ``decisions=False`` saves the replay. The tables are the
    same for any ``jobs`` (a number or a cluster) and with or without a cache. Raises
    :class:`~dsh_calibrate.errors.UsageError` when ``folder`` holds something else.
    """
    temporary = None
    if folder is None:
        temporary = tempfile.TemporaryDirectory(prefix="dsh-calibrate-facts-")
        folder = Path(temporary.name)
    require_free(folder)
    manifest = Manifest(
        engine=engine_id(),
        feeding=feeding(plan),
        deciding=deciding(plan) if decisions else None,
        masked=masked,
    )
    with tempfile.TemporaryDirectory(prefix="dsh-calibrate-pieces-") as name:
        kept: list[Measured | None] = [None] * len(logs)
        if cache is not None:
            kept = [known(plan, cache, decisions, log) for log in logs]
        unknown = [log for log, measured in zip(logs, kept, strict=True) if measured is None]
        with FolderWriter(folder, manifest) as writer:
            found = _measured(unknown, plan, Path(name), cache, decisions, jobs, on_done)
            for log, measured in zip(logs, kept, strict=True):
                if measured is not None and on_done is not None:
                    on_done(log)
                measured = measured if measured is not None else next(found)
                try:
                    tables = _opened(measured)
                except DamagedPieceError:  # somebody cleared the cache just now
                    measured = measure(plan, Path(name), None, decisions, log)
                    tables = _opened(measured)
                _join(writer, log.key, *tables)
                _discard(measured)
    return Facts(folder, manifest, temporary)


def _measured(
    logs: Sequence[Log],
    plan: Plan,
    scratch: Path,
    cache: Cache | None,
    decisions: bool,
    jobs: Jobs,
    on_done: Callable[[Log], None] | None,
) -> Iterator[Measured]:
    """Measure ``logs`` here, or on a cluster whose workers send back what they measured."""
    if not isinstance(jobs, Cluster):
        here = functools.partial(measure, plan, scratch, cache, decisions)
        yield from map_logs(here, logs, jobs=jobs, on_done=on_done)
        return
    away = functools.partial(measure_away, plan, decisions)
    parcels = map_logs(away, logs, jobs=jobs, on_done=on_done)
    for log, parcel in zip(logs, parcels, strict=True):
        yield receive(parcel, plan, scratch, cache, decisions, log)


_Tables = dict[str, pa.Buffer]


def _opened(measured: Measured) -> tuple[_Tables, _Tables]:
    """The tables of a log's facts and of its decisions; they stay readable when removed."""
    facts = unpack(measured.facts.path, measured.facts.key)
    made = measured.decisions
    return facts, {} if made is None else unpack(made.path, made.key)


def _join(writer: FolderWriter, log: str, facts: _Tables, decisions: _Tables) -> None:
    """Append one log's pieces."""
    count = 0
    for table in decisions.values():
        for batch in batches(table):
            writer.add(DECISIONS.name, with_columns(DECISIONS.name, batch, {"log": log}))
            count += batch.num_rows
    for name, table in facts.items():
        extra: dict[str, object] = {"log": log}
        if name == LOGS.name:
            extra["rows_decisions"] = count
        for batch in batches(table):
            writer.add(name, with_columns(name, batch, extra))


def _discard(measured: Measured) -> None:
    for piece in (measured.facts, measured.decisions):
        if piece is not None and piece.is_scratch:
            piece.path.unlink(missing_ok=True)
