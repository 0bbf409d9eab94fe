"""What is in a corpus: versions, sizes, tools, turns, models, how high its counts go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dsh_calibrate.guards.reasoning_loop.verdict import RULES
from dsh_calibrate.studies.log_profile import BusyTurn, LogProfile

_SUMS = (
    "size",
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
KINDS = ("exact", "cmd", "net", "sink", "host", "site", "family", "verb")
_BUSY_TURNS = 20


@dataclass(frozen=True, slots=True)
class Share:
    """A name with how often it was met, and in how many logs."""

    name: str
    count: int
    logs: int


@dataclass(frozen=True, slots=True)
class PeakStats:
    """The peaks of one measure over the logs that have it: nearest-rank quantiles."""

    measure: str
    track: str
    logs: int
    p50: int
    p95: int
    max: int
    log: str


@dataclass(frozen=True, slots=True)
class CorpusStats:
    """A corpus. ``sums`` adds up the counts of all logs; damaged ones up to the damage.

    Lists are sorted by count, then name; ``versions`` counts logs by format version and
    encoding, ``peaks`` holds the tracks ``occurrences``, ``failures`` and ``reasoning``.
    """

    logs: int
    sums: Mapping[str, int]
    versions: tuple[Share, ...]
    tools: tuple[Share, ...]
    verbs: tuple[Share, ...]
    hosts: tuple[Share, ...]
    models: tuple[Share, ...]
    endings: tuple[Share, ...]
    recorded: tuple[Share, ...]
    calls_per_log: PeakStats | None
    busiest_turns: tuple[BusyTurn, ...]
    peaks: tuple[PeakStats, ...]


def corpus_stats(profiles: Sequence[LogProfile]) -> CorpusStats:
    """Add up the profiles of all logs."""
    return CorpusStats(
        logs=len(profiles),
        sums={name: sum(getattr(p, name) for p in profiles) for name in _SUMS},
        versions=_shares(Counter([_version(p)]) for p in profiles),
        tools=_shares(p.tools for p in profiles),
        verbs=_shares(p.verbs for p in profiles),
        hosts=_shares(p.hosts for p in profiles),
        models=_shares(p.models for p in profiles),
        endings=_shares(p.endings for p in profiles),
        recorded=_shares(p.recorded for p in profiles),
        calls_per_log=_peak("calls", "calls", [(p.calls, p.log) for p in profiles if p.calls]),
        busiest_turns=tuple(
            sorted(
                (turn for p in profiles for turn in p.busiest_turns),
                key=lambda t: (-t.calls, t.log, t.lifecycle, t.turn),
            )[:_BUSY_TURNS]
        ),
        peaks=(
            *_peaks("occurrences", profiles, lambda p: p.peaks.occurrences, KINDS),
            *_peaks("failures", profiles, lambda p: p.peaks.streaks, KINDS),
            *_peaks("reasoning", profiles, lambda p: p.peaks.rules, RULES),
        ),
    )


def _version(profile: LogProfile) -> str:
    header = profile.header
    version = "unknown" if header is None or header.version is None else f"v{header.version}"
    return f"{version} {'zstd' if profile.is_compressed else 'plain'}"


def _shares(counters: Iterable[Counter[str]]) -> tuple[Share, ...]:
    total: Counter[str] = Counter()
    logs: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
        logs.update(counter.keys())
    found = [Share(name, count, logs[name]) for name, count in total.items()]
    return tuple(sorted(found, key=lambda s: (-s.count, s.name)))


def _peaks(
    track: str,
    profiles: Sequence[LogProfile],
    peaks_of: Callable[[LogProfile], Mapping[str, int]],
    measures: Sequence[str],
) -> Iterable[PeakStats]:
    for measure in measures:
        values = [(peaks_of(p).get(measure, 0), p.log) for p in profiles]
        found = _peak(measure, track, [(value, log) for value, log in values if value])
        if found is not None:
            yield found


def _peak(measure: str, track: str, values: list[tuple[int, str]]) -> PeakStats | None:
    if not values:
        return None
    ranked = sorted(value for value, _ in values)
    highest, log = min(values, key=lambda pair: (-pair[0], pair[1]))
    return PeakStats(
        measure, track, len(values), _quantile(ranked, 50), _quantile(ranked, 95), highest, log
    )


def _quantile(ranked: Sequence[int], percent: int) -> int:
    """The nearest-rank quantile: a value that occurs."""
    return ranked[max(0, -(-percent * len(ranked) // 100) - 1)]
