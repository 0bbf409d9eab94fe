"""One log, read into the events of :mod:`dsh_calibrate.logs.events`.

::

    reading = read_log(path)
    for event in reading:
        ...
    reading.header, reading.coverage

Memory is bounded: text comes in pieces, lines are decoded one by one, and events wait at
most for the end of a step. Damage ends the reading, or (``salvage``) becomes a ``Gap``.
"""

from __future__ import annotations

from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Protocol

from dsh_calibrate.logs import bulk, decode, seeds, shapes, stretches
from dsh_calibrate.logs.account import Account
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.events import Event, Gap, Header, LifecycleStart
from dsh_calibrate.logs.frames import Hole, Source
from dsh_calibrate.logs.lines import Block, LineReader
from dsh_calibrate.logs.longline import too_much
from dsh_calibrate.logs.numbering import Numbering, SeqGap
from dsh_calibrate.logs.opening import open_source
from dsh_calibrate.logs.states import States
from dsh_calibrate.logs.streams import CorruptRow, Place
from dsh_calibrate.logs.stretches import STREAM_LINES

KNOWN_VERSION = 4
"""The newest format version this reader was written for."""


class HasPath(Protocol):
    """Anything that knows where a log lies, such as ``discovery.Log``."""

    @property
    def path(self) -> Path:
        """The log's file."""


def read_log(
    log: str | PathLike[str] | HasPath,
    salvage: bool = False,
    *,
    reasoning: bool = True,
    calls: bool = True,
) -> LogReading:
    """Prepare to read one log; nothing is opened before the iteration begins.

    ``salvage`` goes on behind damage, with a :class:`Gap` event. Without ``reasoning`` no
    stream events are made, and without ``calls`` no call and result events; chunk lines
    and packed rows are then only checked. The coverage is the same with or without.
    """
    path = Path(log) if isinstance(log, str | PathLike) else log.path
    return LogReading(path, salvage=salvage, reasoning=reasoning, calls=calls)


class LogReading:
    """The events of one log, in the order of its lines; to be iterated once.

    ``header`` is set from the first line on, ``coverage`` when the iteration is over (also
    when it was cut short). Content never raises: every state of a log ends in ``coverage``.
    """

    def __init__(self, path: Path, *, salvage: bool, reasoning: bool, calls: bool) -> None:
        self._path = path
        self._salvage = salvage
        self._reasoning = reasoning
        self._out: list[Event] = []
        self._account = Account()
        self._decoder = decode.Decoder()
        self._numbering = Numbering()
        self._seed = seeds.Seed()
        self._states = States(self._account, reasoning=reasoning, calls=calls)
        self._seeded = False
        self.header: Header | None = None
        self._coverage: LogCoverage | None = None

    @property
    def coverage(self) -> LogCoverage:
        """The account of the log, once it has been read."""
        if self._coverage is None:
            raise RuntimeError("the log has not been read yet")
        return self._coverage

    def __iter__(self) -> Iterator[Event]:
        """Read the log."""
        try:
            with open_source(self._path) as source:
                yield from self._read(source)
        except OSError as error:
            self._account.refuse(error.strerror or "it cannot be read", None)
        finally:
            self._account.fallback = self._decoder.fallback
            self._coverage = self._account.close(self._states.streams.seen)

    def _read(self, source: Source) -> Iterator[Event]:
        lines = LineReader(source.pieces())
        for block in lines:
            if isinstance(block, Hole):
                if not self._hole(block):
                    break
                continue
            going_on = self._block(block)
            yield from self._states.ready()
            if not going_on:
                break
        last = Place(self._numbering.next, max(self._account.last_line, 1), None)
        self._states.finish(last)
        yield from self._states.ready()
        self._account.repaired = lines.repaired + source.padded
        self._account.torn = source.torn or lines.torn
        if self.header is None and lines.torn and not self._account.lines:
            self._take_torn_header(lines.rest)

    def _hole(self, hole: Hole) -> bool:
        """Note a hole; return whether reading goes on behind it."""
        if hole.refused:
            self._account.refuse(hole.reason, hole.where)
            return False
        self._account.damage(hole.reason, hole.where)
        return self._salvage and self._gap(self._account.last_line + 1)

    def _gap(self, line: int) -> bool:
        """Empty every state behind damage that is skipped."""
        place = Place(self._numbering.next, line, None)
        self._states.gap(place, Gap(seq=place.seq, line=line))
        self._numbering.lose()
        self._account.gaps += 1
        return True

    def _block(self, block: Block) -> bool:
        """Read a block of lines; return whether reading goes on.

        What can be decoded at once is; lines that want a look of their own get it.
        """
        at = 0
        if block.first == 1:
            if not self._take(block, 0):
                return False
            at = 1
        records: list[shapes.Line]
        while at < block.count:
            records, going_on = [], False
            if block.text is not None:
                records, going_on = bulk.decode(block.text_from(at), block.count - at)
            if not self._records(block, at, records):
                return False
            at += len(records)
            single = block.count if not going_on else min(at + 1, block.count)
            if not all(self._take(block, index) for index in range(at, single)):
                return False
            at = single
        return True

    def _records(self, block: Block, at: int, records: list[shapes.Line]) -> bool:
        """Take the records of the block's lines from ``at`` on; return whether reading goes on."""
        account, numbering, streams = self._account, self._numbering, self._states.streams
        first = block.first + at
        index = 0
        while index < len(records):
            record = records[index]
            kind = type(record)
            if kind in STREAM_LINES and numbering.strict and not self._seeded:
                if self._reasoning:
                    taken = stretches.read(records, index, first + index, numbering, streams)
                else:
                    taken = stretches.skim(records, index, numbering, streams)
                if taken:
                    index += taken
                    account.lines += taken
                    account.understood += taken
                    continue
            account.lines += 1
            if not self._record(bulk.KINDS[kind], record, block, at + index):
                account.last_line = first + index
                return False
            index += 1
        if records:
            account.last_line = first + len(records) - 1
        return True

    def _take(self, block: Block, index: int) -> bool:
        """Read one line by itself; return whether reading goes on."""
        line = block.lines[index]
        if not line or line.isspace():
            return True
        account = self._account
        account.lines += 1
        number = account.last_line = block.first + index
        kind = decode.type_of(line)
        try:
            if not block.utf8:
                _check_utf8(line)
            if number == 1:
                return self._first(line)
            if kind is None:
                kind = self._decoder.envelope(line).type
            if decode.has_shape(kind):
                if (reason := too_much(line)) is not None:
                    account.refuse(reason, block.where(index))
                    return False
                record = self._decoder.line(kind, line)
            else:
                record = self._decoder.envelope(line)
        except decode.NotJson as error:
            account.damage(f"a line cannot be read: {error}", block.where(index))
            return self._salvage and self._gap(number)
        except decode.NotUnderstood:
            account.skip(kind or "", known=True)
            self._numbering.lose()
            return True
        return self._record(kind, record, block, index)

    def _number(self, seq: int | None, members: int, line: int) -> int:
        """Number an event; a gap is noted, and skipped when salvaging."""
        numbering = self._numbering
        try:
            return numbering.take(seq, members)
        except SeqGap as gap:
            if not self._salvage:
                raise
            self._account.damage(str(gap), f"line {line}")
            self._gap(line)
            return numbering.take(seq, members)

    def _first(self, line: bytes) -> bool:
        """Read the header; return whether reading goes on."""
        header = decode.header(line)
        self._states.emit(LifecycleStart(seq=0, line=1, number=0))
        if header is None:
            self._account.refuse("the first line is no header of a DSH log", "line 1, byte 0")
            return False
        self.header = header
        if header.version is not None and header.version > KNOWN_VERSION:
            self._account.warn(
                f"format version {header.version} is newer than {KNOWN_VERSION}: "
                "the log is read by the shape of its lines"
            )
        self._seed = seeds.by_header(header)
        if seeds.needs_scan(header):
            with open_source(self._path) as source:
                self._seed = seeds.by_scan(header, LineReader(source.pieces()))
            if self._seed.unknown:
                self._account.unknown_seed = True
                self._account.warn(
                    "the header says isSeeded, but no session/end-seed line is tagged "
                    "inherited: nothing of the log is counted"
                )
        self._seeded = self._seed != seeds.Seed()
        return True

    def _take_torn_header(self, rest: bytes) -> None:
        """Know whose log this is even when only a part of line 1 was written."""
        try:
            self.header = decode.header(rest)
        except decode.NotJson:
            return

    def _record(self, kind: str, record: shapes.Line, block: Block, index: int) -> bool:
        """Take one decoded line; return whether reading goes on."""
        account = self._account
        number = block.first + index
        try:
            if kind in decode.ROWS:
                members = self._states.count(record)
                seq = self._number(record.seq0, members, number)
                place = Place(seq, number, decode.moment(record.time0))
            else:
                members = 1
                seq = self._number(record.seq, 1, number)
                place = Place(seq, number, decode.moment(record.time))
        except decode.NotUnderstood:
            account.skip(kind, known=True)
            self._numbering.lose()
            return True
        except CorruptRow:
            account.damage("a packed row has another number of times", block.where(index))
            return self._salvage and self._gap(number)
        except SeqGap as gap:
            account.damage(str(gap), block.where(index))
            return False
        return self._tell(kind, record, place, members, block, index)

    def _tell(
        self,
        kind: str,
        record: shapes.Line,
        place: Place,
        members: int,
        block: Block,
        index: int,
    ) -> bool:
        """Hand a numbered record to the states, if it is the log's own."""
        account, states = self._account, self._states
        wanted = decode.has_shape(kind)
        if not wanted and not decode.is_known(kind):
            account.skip(kind, known=False, ignorable=record.ignorable is True)
            return True
        account.understood += 1
        if self._seeded and self._is_inherited(place.seq, members, place.line):
            account.inherited += 1
            if kind.startswith("request/") and wanted and not self._seed.unknown:
                states.take(kind, record, place, 0)  # the child goes on with these settings
            return True
        if not wanted:
            return True
        try:
            states.take(kind, record, place, max(0, self._seed.events - place.seq))
        except decode.NotUnderstood:
            account.understood -= 1
            account.skip(kind, known=True)
        except CorruptRow:
            account.damage("a packed row has another number of times", block.where(index))
            return self._salvage and self._gap(place.line)
        except decode.TooMuch as error:
            account.refuse(str(error), block.where(index))
            return False
        return True

    def _is_inherited(self, seq: int, members: int, line: int) -> bool:
        seed = self._seed
        return seed.unknown or line < seed.line or seq + members <= seed.events


def _check_utf8(line: bytes) -> None:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        raise decode.NotJson("it is not UTF-8") from None
