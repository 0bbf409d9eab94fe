"""``corpus stats`` for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dsh_calibrate.replay.settings.model import Settings
from dsh_calibrate.studies.corpus_stats import CorpusStats, PeakStats, Share
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import cell
from dsh_calibrate_cli.tables import plain_table

if TYPE_CHECKING:
    from rich.console import Console

_TRACKS = {
    "occurrences": "calls within the window",
    "failures": "failures in a row",
    "reasoning": "reasoning",
}


def print_stats(console: Console, stats: CorpusStats, settings: Settings, top: int) -> None:
    """Print the overview, then one table a subject; empty ones are left out."""
    _overview(console, stats)
    _shares(console, "Formats", "format", "logs", stats.versions, top, logs=False)
    _shares(console, "Tools", "tool", "calls", stats.tools, top)
    _shares(console, "Verbs of shell commands", "verb", "calls", stats.verbs, top)
    _shares(console, "Hosts that are not local", "host", "calls", stats.hosts, top)
    _shares(console, "Models", "model", "reasoning attempts", stats.models, top)
    _shares(console, "How turns ended", "end", "turns", stats.endings, top)
    _shares(console, "What guards did while recording", "what", "times", stats.recorded, top)
    _busiest(console, stats, top)
    _peaks(console, stats, settings)


def _overview(console: Console, stats: CorpusStats) -> None:
    sums = stats.sums
    lines = [
        f"{counted(stats.logs, 'log')}, {counted(sums['size'], 'byte')} stored, "
        f"{counted(sums['lifecycles'], 'lifecycle')}",
        f"{counted(sums['calls'], 'call')}, {counted(sums['results'], 'result')}: "
        f"{sums['errors']:,} marked as "
        f"errors, {sums['failures']:,} read as failures",
        f"{counted(sums['turns'], 'turn')}, {counted(sums['resets'], 'message')} of people "
        f"({sums['resets_after_abort']:,} after an abort), "
        f"{counted(sums['abandoned_reasoning'], 'turn')} aborted by the user during reasoning "
        "alone",
        f"{counted(sums['streams'], 'attempt that reasons', 'attempts that reason')}, "
        f"{counted(sums['reasoning_utf16'], 'character')} "
        "(UTF-16)",
    ]
    if stats.calls_per_log is not None:
        each = stats.calls_per_log
        lines.append(
            f"calls in a log that has any: half have up to {each.p50:,}, 95% up to "
            f"{each.p95:,}, the longest {each.max:,}"
        )
    for line in lines:
        console.print(cell(line))


def _shares(
    console: Console,
    title: str,
    name: str,
    unit: str,
    shares: Sequence[Share],
    top: int,
    *,
    logs: bool = True,
) -> None:
    if not shares:
        return
    table = plain_table(title, name, unit, *(["logs"] if logs else []))
    for share in shares[:top]:
        row = [cell(share.name), cell(f"{share.count:,}")]
        table.add_row(*row, *([cell(f"{share.logs:,}")] if logs else []))
    console.print(table)
    if len(shares) > top:
        console.print(cell(f"and {len(shares) - top} more (--top N shows more)"))


def _busiest(console: Console, stats: CorpusStats, top: int) -> None:
    if not stats.busiest_turns:
        return
    table = plain_table("Busiest turns", "log", "lifecycle", "turn", "calls")
    for turn in stats.busiest_turns[:top]:
        table.add_row(*map(cell, (turn.log, turn.lifecycle, turn.turn, f"{turn.calls:,}")))
    console.print(table)


def _peaks(console: Console, stats: CorpusStats, settings: Settings) -> None:
    if not stats.peaks:
        return
    table = plain_table(
        "Peaks: the highest count of each log, with nothing ever stopped",
        "measure",
        "logs",
        "median",
        "95%",
        "highest",
        "threshold",
    )
    track = ""
    for peak in stats.peaks:
        if peak.track != track:
            track = peak.track
            table.add_row(cell(_TRACKS[track], "bold"), *[""] * 5)
        figures = (peak.logs, peak.p50, peak.p95, peak.max, _threshold(peak, settings))
        table.add_row(cell(f"   {peak.measure}"), *map(cell, figures))
    console.print(table)


def _threshold(peak: PeakStats, settings: Settings) -> str:
    """What the settings in force compare the figure with, where that is one number."""
    value: float | None = None
    if peak.track == "reasoning" and settings.rlg is not None:
        config = settings.rlg
        value = {
            "periodic-run": config.min_units,
            "block-repeat": config.block_count,
            "line-repeat": config.line_count,
            "kgram-repeat": config.kgram_threshold,
            "filler-run": config.filler_run,
        }[peak.measure]
    elif settings.rtb is not None:
        cap = settings.rtb.limits.get(peak.measure)
        value = settings.rtb.fail_limit if cap is not None and peak.track == "failures" else cap
    return "–" if value is None else f"{value:g}"
