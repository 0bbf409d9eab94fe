"""The allowlist studies as JSON (contract.md 5) and as flat rows."""

from __future__ import annotations

from collections.abc import Sequence

from dsh_calibrate.replay.summary import rate_json
from dsh_calibrate.studies.allowlist_candidates import VerbCandidate
from dsh_calibrate.studies.allowlist_coverage import BlockCoverage
from dsh_calibrate.studies.allowlist_scan import KINDS, AllowlistScan
from dsh_calibrate.studies.shell_calls import ShellCall

VERB_COLUMNS = {"verb": str, "segments": int, "calls": int, "exempt": bool}
CANDIDATE_COLUMNS = {
    "verb": str,
    "carried": int,
    "flips": int,
    "bypass": int,
    "sole_cause": bool,
    "verdict": str,
}
FETCHER_COLUMNS = {"fetcher": str, "calls": int, "refused": int, "missed": int}

Row = dict[str, object]


def scan_json(found: AllowlistScan) -> Row:
    """``allowlist scan``; the calls behind each kind of refusal stand under ``examples``."""
    counts: dict[str, object] = {kind: len(found.refused[kind]) for kind in KINDS}
    return {
        "shell_calls": found.shell_calls,
        "remote_calls": found.remote_calls,
        "allow": list(found.allow),
        "verbs": verb_rows(found),
        "refused": {"calls": sum(map(len, found.refused.values())), **counts},
        "cost": {
            "calls": rate_json(found.cost),
            "sessions": rate_json(found.cost_sessions),
        },
        "proposed": [
            {"verb": p.verb, "flips": p.flips, "reason": p.reason} for p in found.proposed
        ],
        "examples": {kind: _calls(found.refused[kind]) for kind in KINDS},
    }


def verb_rows(found: AllowlistScan) -> list[Row]:
    """One row a verb."""
    return [
        {"verb": v.verb, "segments": v.segments, "calls": v.calls, "exempt": v.exempt}
        for v in found.verbs
    ]


def candidates_json(found: Sequence[VerbCandidate], on_the_list: Sequence[VerbCandidate]) -> Row:
    """``allowlist candidates``, with the calls behind each number; ``listed`` likewise."""
    return {"candidates": _with_calls(found), "listed": _with_calls(on_the_list)}


def _with_calls(found: Sequence[VerbCandidate]) -> list[Row]:
    return [
        {**row, "calls": {"flips": _calls(c.flips), "bypass": _calls(c.bypass)}}
        for row, c in zip(candidate_rows(found), found, strict=True)
    ]


def candidate_rows(found: Sequence[VerbCandidate]) -> list[Row]:
    """One row a verb."""
    return [
        {
            "verb": c.verb,
            "carried": len(c.carried),
            "flips": len(c.flips),
            "bypass": len(c.bypass),
            "sole_cause": c.is_sole_cause,
            "verdict": c.verdict,
        }
        for c in found
    ]


def coverage_json(found: BlockCoverage) -> Row:
    """``allowlist coverage``, with the calls that were missed or refused for nothing."""
    return {
        "shell_calls": found.shell_calls,
        "fetching": found.fetching,
        "refused": found.refused,
        "missed": len(found.missed),
        "cost": len(found.cost),
        "rates": {"missed": rate_json(found.misses), "cost": rate_json(found.costs)},
        "fetchers": fetcher_rows(found),
        "calls": {"missed": _calls(found.missed), "cost": _calls(found.cost)},
    }


def fetcher_rows(found: BlockCoverage) -> list[Row]:
    """One row a fetcher that occurs."""
    return [
        {"fetcher": f.fetcher, "calls": f.calls, "refused": f.refused, "missed": f.missed}
        for f in found.fetchers
    ]


def _calls(calls: Sequence[ShellCall]) -> list[Row]:
    return [
        {
            "log": c.log,
            "lifecycle": c.lifecycle,
            "call": c.call,
            "seq": c.seq,
            "tool": c.tool,
            "command": c.command,
        }
        for c in calls
    ]
