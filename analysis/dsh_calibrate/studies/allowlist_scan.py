"""Which verbs carry remote URLs, what the block refuses, and a list re-derived from that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dsh_calibrate.replay.rates import Rate, rate
from dsh_calibrate.replay.shell_http_kinds import RefusalKind, refusal_kind
from dsh_calibrate.studies.allowlist_coverage import is_downloader
from dsh_calibrate.studies.allowlist_judging import PATTERN_TOOLS, Judge
from dsh_calibrate.studies.shell_calls import LogShellCalls, ShellCall

KINDS: tuple[RefusalKind, ...] = ("target", "incidental", "url_less")


@dataclass(frozen=True, slots=True)
class VerbRow:
    """One verb: segments with a non-local URL, the calls they stand in, on the list or not."""

    verb: str
    segments: int
    calls: int
    exempt: bool


@dataclass(frozen=True, slots=True)
class Proposal:
    """A verb of the re-derived list: calls it would free by itself, and why it is there."""

    verb: str
    flips: int
    reason: str


@dataclass(frozen=True, slots=True)
class AllowlistScan:
    """The answer of ``allowlist scan``.

    ``cost`` is the share of refused calls that only carry an address, ``cost_sessions`` the
    share of logs with shell calls in which that happens at least once.
    """

    shell_calls: int
    remote_calls: int
    allow: tuple[str, ...]
    verbs: tuple[VerbRow, ...]
    refused: dict[RefusalKind, tuple[ShellCall, ...]]
    cost: Rate
    cost_sessions: Rate
    proposed: tuple[Proposal, ...]


def scan(logs: Sequence[LogShellCalls], judge: Judge) -> AllowlistScan:
    """Scan the shell calls of a corpus under the judge's allowlist."""
    calls = [call for log in logs for call in log.calls]
    segments: Counter[str] = Counter()
    in_calls: Counter[str] = Counter()
    refused: dict[RefusalKind, list[ShellCall]] = {kind: [] for kind in KINDS}
    for call in calls:
        verbs = judge.segment_verbs(call.command)
        segments.update(verbs)
        in_calls.update(set(verbs))
        if judge.refused(call.command):
            refused[refusal_kind(call.command, judge.config)].append(call)
    total = sum(map(len, refused.values()))
    disturbed = {call.log for call in refused["incidental"]}
    return AllowlistScan(
        shell_calls=len(calls),
        remote_calls=sum(judge.is_remote(call.command) for call in calls),
        allow=judge.allow,
        verbs=tuple(
            VerbRow(verb, segments[verb], in_calls[verb], verb in judge.allow)
            for verb in sorted(segments, key=lambda v: (-segments[v], v))
        ),
        refused={kind: tuple(found) for kind, found in refused.items()},
        cost=rate(len(refused["incidental"]), total),
        cost_sessions=rate(len(disturbed), sum(bool(log.calls) for log in logs)),
        proposed=_derive(calls, judge),
    )


def _derive(calls: Sequence[ShellCall], judge: Judge) -> tuple[Proposal, ...]:
    """A list from nothing: verbs that occur, fetch nothing and free no call that fetches.

    Together they must free no fetching call either: while they do, the one that frees most
    of them goes.
    """
    with_nothing = [call.command for call in calls if judge.refused(call.command, ())]
    verbs = sorted({verb for command in with_nothing for verb in judge.carriers(command)})
    chosen = {
        verb
        for verb in verbs
        if not is_downloader(verb)
        and not any(
            judge.fetches(c)
            for c in with_nothing
            if verb in judge.carriers(c) and not judge.refused(c, (verb,))
        )
    }
    while chosen:
        listed = tuple(sorted(chosen))
        freed = [c for c in with_nothing if judge.fetches(c) and not judge.refused(c, listed)]
        if not freed:
            break
        guilty = Counter(v for c in freed for v in judge.carriers(c) if v in chosen)
        chosen.discard(max(sorted(guilty), key=guilty.__getitem__))
    return tuple(
        Proposal(
            verb,
            flips := sum(
                not judge.refused(c, (verb,)) for c in with_nothing if verb in judge.carriers(c)
            ),
            _reason(verb, flips),
        )
        for verb in sorted(chosen)
    )


def _reason(verb: str, flips: int) -> str:
    if verb in PATTERN_TOOLS:
        return "its main argument is a pattern: it searches text for the address"
    if flips:
        return "carries addresses, and no call that it frees fetches"
    return "carries addresses, but never as the only refused verb: no effect by itself"
