"""How close reasoning texts come to each rule of reasoning-loop-guard, at several piece sizes.

The answer of ``reasoning FILE…`` (contract.md 5). Texts are cut into pieces of equal size,
in UTF-16 units, and each goes through a detector of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.reasoning_loop.config import Config
from dsh_calibrate.guards.reasoning_loop.detector import Detector
from dsh_calibrate.guards.reasoning_loop.figures import FigureRecorder
from dsh_calibrate.guards.reasoning_loop.pacing import Pacer
from dsh_calibrate.guards.reasoning_loop.verdict import RULES, Figures, Rule
from dsh_calibrate.studies.reasoning_logs import RecordedStreams
from dsh_calibrate.studies.reasoning_texts import cut, read_texts

PIECES = (1, 8, 40, 200, 1000, 4000)


class Range(msgspec.Struct, frozen=True):
    """Least and greatest of some figures."""

    min: int
    max: int


class PieceRow(msgspec.Struct, frozen=True):
    """One file at one piece size: how many of its streams fire, on what, and where first.

    ``piece`` is a size in UTF-16 units, or ``recorded`` for the pieces of a log.
    ``first_utf16`` is the range of the places of the fires, ``None`` without any.
    """

    file: str
    piece: int | str
    streams: int
    fires: int
    by_rule: dict[Rule, int]
    first_utf16: Range | None


class Peak(msgspec.Struct, frozen=True, omit_defaults=True):
    """The highest figures of a file's streams for one rule, at any judge point and size.

    ``figure`` is the range over the streams of each one's peak (units, or a count; 0 where
    the rule never looked). ``percent`` is the same as a share of what makes the rule hold
    (100 and more: it holds). ``share_e4`` belongs to line-repeat: the share, in 1/10000, of
    lines that are repeated at all.
    """

    figure: Range
    percent: Range
    share_e4: Range | None = None


class ReasoningStudy(msgspec.Struct, frozen=True):
    """All files at all piece sizes, and each file's peak per rule."""

    pieces: list[PieceRow]
    peaks: dict[str, dict[Rule, Peak]]


def study(
    files: Sequence[Path],
    pieces: Sequence[int],
    config: Config,
    logs: Sequence[RecordedStreams] = (),
) -> ReasoningStudy:
    """Run every text of every file, and every stream of every log, at every piece size.

    Logs also get a row with the pieces as they were recorded. Raises :class:`UsageError`
    for a file that cannot be read and for a piece size below 1.
    """
    if not pieces or min(pieces) < 1:
        raise UsageError("--pieces: sizes are whole numbers of UTF-16 units, at least 1")
    rows: list[PieceRow] = []
    peaks: dict[str, dict[Rule, Peak]] = {}
    for path in files:
        _add(path.as_posix(), read_texts(path), pieces, config, rows, peaks)
    for log in logs:
        rows.append(_row(log.name, "recorded", log.streams, config))
        _add(log.name, ["".join(stream) for stream in log.streams], pieces, config, rows, peaks)
    return ReasoningStudy(rows, peaks)


def _add(
    name: str,
    texts: Sequence[str],
    pieces: Sequence[int],
    config: Config,
    rows: list[PieceRow],
    peaks: dict[str, dict[Rule, Peak]],
) -> None:
    rows.extend(_row(name, size, [cut(text, size) for text in texts], config) for size in pieces)
    peaks[name] = _peaks([_stream_peaks(text, pieces, config) for text in texts])


def _row(name: str, piece: int | str, streams: Sequence[Sequence[str]], config: Config) -> PieceRow:
    fired = [Detector(config).feed_many(stream) for stream in streams]
    verdicts = [found[1] for found in fired if found]
    counts = Counter(verdict.rule for verdict in verdicts)
    return PieceRow(
        file=name,
        piece=piece,
        streams=len(streams),
        fires=len(verdicts),
        by_rule={rule: counts[rule] for rule in RULES},
        first_utf16=_range([verdict.at_utf16 for verdict in verdicts]) if verdicts else None,
    )


class _StreamPeak(msgspec.Struct):
    """One stream's peak for one rule."""

    figure: int = 0
    percent: int = 0
    share_e4: int = 0


def _stream_peaks(text: str, sizes: Iterable[int], config: Config) -> dict[Rule, _StreamPeak]:
    """Measure one text at every size; sizes that judge at the same places are measured once."""
    peaks = {rule: _StreamPeak() for rule in RULES}
    measured: set[tuple[int, ...]] = set()
    for size in sizes:
        texts = cut(text, size)
        places = tuple(segment.total for segment in Pacer(config).pieces(texts))
        if places in measured:
            continue
        measured.add(places)
        for figures in FigureRecorder(config).feed_many(texts):
            _raise_peaks(peaks, figures, config)
    return peaks


def _raise_peaks(peaks: dict[Rule, _StreamPeak], figures: Figures, config: Config) -> None:
    looked_at = figures.stripped_utf16 >= config.block_min * config.block_count
    line_percent = 100 * figures.line_count // config.line_count
    if config.line_share > 0:
        line_percent = min(line_percent, int(100 * figures.line_share / config.line_share))
    blocks = figures.block_count if looked_at else 0
    found: dict[Rule, tuple[int, int]] = {
        "periodic-run": (figures.units, 100 * figures.units // config.min_units),
        "block-repeat": (blocks, 100 * blocks // config.block_count),
        "line-repeat": (figures.line_count, line_percent),
        "kgram-repeat": (
            figures.kgram_count,
            100 * figures.kgram_count // config.kgram_threshold,
        ),
        "filler-run": (figures.filler_run, 100 * figures.filler_run // config.filler_run),
    }
    for rule, (figure, percent) in found.items():
        peak = peaks[rule]
        peak.figure = max(peak.figure, figure)
        peak.percent = max(peak.percent, percent)
    if figures.line_count > 1:
        line = peaks["line-repeat"]
        line.share_e4 = max(line.share_e4, int(10000 * figures.line_share))


def _peaks(streams: Sequence[dict[Rule, _StreamPeak]]) -> dict[Rule, Peak]:
    if not streams:
        return {}
    found: dict[Rule, Peak] = {}
    for rule in RULES:
        of_rule = [stream[rule] for stream in streams]
        found[rule] = Peak(
            figure=_range([peak.figure for peak in of_rule]),
            percent=_range([peak.percent for peak in of_rule]),
            share_e4=(
                _range([peak.share_e4 for peak in of_rule]) if rule == "line-repeat" else None
            ),
        )
    return found


def _range(figures: Sequence[int]) -> Range:
    return Range(min(figures), max(figures))
