"""Corpus statistics as the JSON of ``corpus stats``; every leaf of a count is an integer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from dsh_calibrate.studies.corpus_stats import CorpusStats, PeakStats, Share
from dsh_calibrate.studies.log_profile import LogProfile

LOG_COUNTS = (
    "lifecycles",
    "calls",
    "results",
    "errors",
    "failures",
    "turns",
    "resets",
    "resets_after_abort",
    "streams",
    "reasoning_utf16",
    "abandoned_reasoning",
)
"""The counts of one log, in their order."""


def stats_json(stats: CorpusStats, profiles: Sequence[LogProfile]) -> dict[str, object]:
    """The subtrees of ``corpus stats``: the corpus, then ``logs[]``."""
    sums = dict(stats.sums)
    size = sums.pop("size")
    return {
        "totals": {"logs": stats.logs, "stored_bytes": size, **sums},
        "formats": _shares(stats.versions),
        "tools": _shares(stats.tools),
        "verbs": _shares(stats.verbs),
        "hosts": _shares(stats.hosts),
        "models": _shares(stats.models),
        "turn_ends": _shares(stats.endings),
        "recorded": _shares(stats.recorded),
        "calls_per_log": _peak(stats.calls_per_log) if stats.calls_per_log else None,
        "busiest_turns": [asdict(turn) for turn in stats.busiest_turns],
        "peaks": [_peak(peak) for peak in stats.peaks],
        "logs": [log_json(profile) for profile in profiles],
    }


def log_json(profile: LogProfile) -> dict[str, object]:
    """One log."""
    header = profile.header
    peaks = profile.peaks
    return {
        "log": profile.log,
        "session": header.session if header is not None else None,
        "created_at": header.created_at if header is not None else None,
        "format_version": header.version if header is not None else None,
        "encoding": "zstd" if profile.is_compressed else "plain",
        "status": profile.coverage.status,
        "stored_bytes": profile.size,
        "lines": profile.coverage.lines,
        **{name: getattr(profile, name) for name in LOG_COUNTS},
        "busiest_turn_calls": max((t.calls for t in profile.busiest_turns), default=0),
        "recorded": dict(sorted(profile.recorded.items())),
        "turn_ends": dict(sorted(profile.endings.items())),
        "peaks": {
            "occurrences": _sorted(peaks.occurrences),
            "failures": _sorted(peaks.streaks),
            "reasoning": _sorted(peaks.rules),
        },
    }


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def _shares(shares: Sequence[Share]) -> list[dict[str, object]]:
    return [asdict(share) for share in shares]


def _peak(peak: PeakStats) -> dict[str, object]:
    return asdict(peak)
