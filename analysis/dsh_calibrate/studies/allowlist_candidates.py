"""Should a verb be exempt? What would flip, and how much of it would be a bypass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dsh_calibrate.studies.allowlist_coverage import is_downloader
from dsh_calibrate.studies.allowlist_judging import PATTERN_TOOLS, Judge
from dsh_calibrate.studies.shell_calls import LogShellCalls, ShellCall

CandidateVerdict = Literal["exempt", "refused: bypass", "no effect", "pattern-position tool"]


@dataclass(frozen=True, slots=True)
class VerbCandidate:
    """One verb, judged with and without an entry on the list.

    ``carried`` are the calls, refused without the entry, in which an exemption looks at the
    verb; ``flips`` those that the engine allows with it (the verb was the sole cause);
    ``bypass`` the flips that also name a downloader elsewhere.
    """

    verb: str
    carried: tuple[ShellCall, ...]
    flips: tuple[ShellCall, ...]
    bypass: tuple[ShellCall, ...]
    verdict: CandidateVerdict

    @property
    def is_sole_cause(self) -> bool:
        """Whether the verb alone stands between every call that carries it and the shell."""
        return bool(self.flips) and len(self.flips) == len(self.carried)


def candidates(logs: Sequence[LogShellCalls], judge: Judge) -> tuple[VerbCandidate, ...]:
    """Judge every verb that occurs in a refused call and is not on the list."""
    carried: dict[str, list[ShellCall]] = {}
    for log in logs:
        for call in log.calls:
            if judge.refused(call.command):
                for verb in judge.carriers(call.command):
                    if verb not in judge.allow:
                        carried.setdefault(verb, []).append(call)
    found = [_candidate(verb, tuple(calls), judge) for verb, calls in carried.items()]
    return tuple(sorted(found, key=lambda c: (-len(c.flips), -len(c.carried), c.verb)))


def listed(logs: Sequence[LogShellCalls], judge: Judge) -> tuple[VerbCandidate, ...]:
    """Judge every verb that is on the list: what its entry frees, the rest of the list kept."""
    found = []
    for verb in dict.fromkeys(judge.allow):
        others = tuple(other for other in judge.allow if other != verb)
        calls = tuple(
            call
            for log in logs
            for call in log.calls
            if verb in judge.carriers(call.command) and judge.refused(call.command, others)
        )
        found.append(_candidate(verb, calls, judge))
    return tuple(found)


def _candidate(verb: str, calls: tuple[ShellCall, ...], judge: Judge) -> VerbCandidate:
    allow = tuple(dict.fromkeys((*judge.allow, verb)))
    flips = tuple(call for call in calls if not judge.refused(call.command, allow))
    bypass = tuple(call for call in flips if judge.fetches(call.command))
    return VerbCandidate(verb, calls, flips, bypass, _verdict(verb, flips, bypass))


def _verdict(
    verb: str, flips: Sequence[ShellCall], bypass: Sequence[ShellCall]
) -> CandidateVerdict:
    """The plugin's own rule: pattern-position tools by kind, the others by what they free."""
    if verb in PATTERN_TOOLS:
        return "pattern-position tool"
    if bypass or is_downloader(verb):
        return "refused: bypass"
    return "exempt" if flips else "no effect"
