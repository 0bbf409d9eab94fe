"""Recorded interventions beside those of the replay: agreed, missed, extra, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from dsh_calibrate.conformance.recorded_evidence import Part, Recorded, same_fingerprint
from dsh_calibrate.conformance.recorded_settings import Inferred
from dsh_calibrate.replay.decision import Decision

Reason = Literal[
    "other-settings",
    "other-version",
    "state-lost-at-restart",
    "not-active-yet",
    "follows",
    "unknown",
]

REASONS: dict[Reason, str] = {
    "other-settings": "the recording was made under other settings",
    "other-version": "another version of the plugin reads this call differently",
    "state-lost-at-restart": "the live guard counted fewer: its state was lost at a restart",
    "not-active-yet": "no sign of the guard before this; it was probably not active yet",
    "follows": "follows from an earlier difference in the same lifecycle",
    "unknown": "no likely reason found; another version or unrecorded settings",
}


class Mismatch(msgspec.Struct, frozen=True, kw_only=True):
    """One intervention that only one side has.

    ``side`` is ``missed`` (recorded, not replayed) or ``extra`` (replayed, not recorded).
    ``fingerprint`` is log content.
    """

    log: str
    part: Part
    side: Literal["missed", "extra"]
    lifecycle: int
    line: int
    kind: str
    ordinal: int | None
    fingerprint: str | None
    count: int | None
    threshold: float | None
    reason: Reason


@dataclass(slots=True)
class PartRecord:
    """Counts of one part over the logs that show it at work.

    ``other_figures`` counts stops among the ``agreed`` that name another count or measure.
    ``silent`` counts interventions of the replay in logs without any sign of the part:
    whether it was active there is not known, so they are no mismatch.
    """

    logs: int = 0
    agreed: int = 0
    missed: int = 0
    extra: int = 0
    silent: int = 0
    other_figures: int = 0
    reasons: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class LogMatch:
    """The matching of one log: a record for each part and the mismatches by line."""

    parts: dict[Part, PartRecord] = field(default_factory=dict)
    mismatches: list[Mismatch] = field(default_factory=list)


def part_of(decision: Decision) -> Part:
    """Which part a decision belongs to."""
    if decision.verdict == "refuse":
        return "shell_http"
    guard: Part = decision.guard  # type: ignore[assignment]
    return guard


def match_log(
    log: str,
    found: Sequence[Recorded],
    decisions: Iterable[Decision],
    parts: Iterable[Part],
    inferred: Sequence[Inferred] = (),
) -> LogMatch:
    """Match what one log records with what its replay decided, part by part.

    ``inferred`` are settings that the recording shows and that were *not* replayed.
    """
    result = LogMatch()
    by_part: dict[Part, list[Decision]] = {}
    for decision in decisions:
        by_part.setdefault(part_of(decision), []).append(decision)
    for part in parts:
        here = [one for one in found if one.part == part]
        theirs = by_part.get(part, [])
        record = result.parts[part] = PartRecord(logs=1 if here else 0)
        if not here:
            record.silent = len(theirs)
            continue
        pairs, missed, extra = _pair(here, theirs)
        record.other_figures = sum(not _same_figures(one, d) for one, d in pairs)
        record.agreed = len(here) - len(missed)
        record.missed, record.extra = len(missed), len(extra)
        for mismatch in _reasoned(log, part, here, missed, extra, inferred):
            record.reasons[mismatch.reason] += 1
            result.mismatches.append(mismatch)
    result.mismatches.sort(key=lambda one: one.line)
    return result


def _pair(
    found: Sequence[Recorded], decisions: Sequence[Decision]
) -> tuple[list[tuple[Recorded, Decision]], list[Recorded], list[Decision]]:
    """Pair both sides in order; return the pairs and what is left of each."""
    left = list(decisions)
    pairs: list[tuple[Recorded, Decision]] = []
    missed = []
    for one in found:
        fitting = [d for d in left if _fits(one, d)]
        if fitting:
            # An advice belongs to the last decision before its notice.
            partner = fitting[-1] if one.kind == "advice" else fitting[0]
            left.remove(partner)
            pairs.append((one, partner))
        else:
            missed.append(one)
    return pairs, missed, left


def _fits(one: Recorded, decision: Decision) -> bool:
    if one.lifecycle != decision.lifecycle:
        return False
    if one.kind == "fire":
        return decision.verdict == "fire" and decision.stream == one.stream
    if one.kind == "advice":
        # `matched`: the notice stands where the harness delivers it, before the next step.
        if decision.verdict != "advise" or not decision.matched or decision.line > one.line:
            return False
        hit = decision.hits[0]
        if one.part == "rtr":
            return one.fingerprint == decision.tool and one.count == hit.count
        if one.fingerprint is None:
            return True
        is_failure = one.stage == "failure"
        return (
            one.count == hit.count
            and is_failure == (hit.track == "failure")
            and same_fingerprint(one.fingerprint, hit.fingerprint)
        )
    return decision.call == one.call and decision.verdict in ("deny", "ask", "refuse")


def _same_figures(one: Recorded, decision: Decision) -> bool:
    """Whether a stop names the same measure at the same count, where its text names one."""
    if one.kind not in ("stop", "ask") or one.count is None or not decision.hits:
        return True
    return any(
        hit.count == one.count
        and (one.fingerprint is None or same_fingerprint(one.fingerprint, hit.fingerprint))
        for hit in decision.hits
    )


def _reasoned(
    log: str,
    part: Part,
    found: Sequence[Recorded],
    missed: Sequence[Recorded],
    extra: Sequence[Decision],
    inferred: Sequence[Inferred],
) -> list[Mismatch]:
    """Give every mismatch its likeliest reason, in the order of the log."""
    first_sign = min(one.line for one in found)
    open_keys = {one.key for one in inferred if one.differs}
    rows: list[tuple[int, Recorded | Decision]] = [(one.line, one) for one in missed]
    rows += [(decision.line, decision) for decision in extra]
    diverged: set[int] = set()
    result = []
    for line, item in sorted(rows, key=lambda row: row[0]):
        reason: Reason
        if isinstance(item, Recorded):
            reason = _why_missed(item, open_keys)
        else:
            reason = _why_extra(item, missed, open_keys, before=line < first_sign)
        if reason not in ("other-settings", "other-version") and item.lifecycle in diverged:
            reason = "follows"
        diverged.add(item.lifecycle)
        result.append(_mismatch(log, part, item, reason))
    return result


def _why_missed(one: Recorded, open_keys: set[str]) -> Reason:
    if _key_of(one.kind, one.stage, one.fingerprint, one.part) & open_keys:
        return "other-settings"
    if one.part == "rtr" and "exclude" in open_keys:
        return "other-settings"
    if one.known is False or one.part == "shell_http":
        return "other-version"
    return "unknown"


def _why_extra(
    decision: Decision, missed: Sequence[Recorded], open_keys: set[str], *, before: bool
) -> Reason:
    hit = decision.hits[0] if decision.hits else None
    kind = "advice" if decision.verdict == "advise" else "stop"
    fingerprint = hit.fingerprint if hit is not None else None
    if _key_of(kind, decision.stage, fingerprint, part_of(decision)) & open_keys:
        return "other-settings"
    if hit is not None:
        for one in missed:
            is_later = one.lifecycle == decision.lifecycle and one.line > decision.line
            same = one.fingerprint is not None and same_fingerprint(
                one.fingerprint, hit.fingerprint
            )
            if is_later and same and (one.count or 0) <= hit.count:
                return "state-lost-at-restart"
    return "not-active-yet" if before else "unknown"


def _key_of(kind: str, stage: str | None, fingerprint: str | None, part: Part) -> set[str]:
    """The settings that decide about such an intervention."""
    if part == "tfb":
        return {"maxFailures"}
    if part == "rtr":
        return {"thresholds"}
    if part == "shell_http":
        return {"blockShellHttp"}
    if kind == "advice":
        keys = {"warn": "warnAt", "summarize": "summarizeAt", "failure": "failWarnAt"}
        return {keys[stage]} if stage in keys else {"warnAt", "summarizeAt"}
    if stage == "failure":
        return {"failLimit"}
    return {f"limits.{fingerprint.partition(':')[0]}"} if fingerprint else set()


def _mismatch(log: str, part: Part, item: Recorded | Decision, reason: Reason) -> Mismatch:
    if isinstance(item, Recorded):
        return Mismatch(
            log=log,
            part=part,
            side="missed",
            lifecycle=item.lifecycle,
            line=item.line,
            kind=item.kind,
            ordinal=item.call if item.call is not None else item.stream,
            fingerprint=item.fingerprint,
            count=item.count,
            threshold=item.threshold,
            reason=reason,
        )
    hit = item.hits[0] if item.hits else None
    return Mismatch(
        log=log,
        part=part,
        side="extra",
        lifecycle=item.lifecycle,
        line=item.line,
        kind=item.verdict,
        ordinal=item.call if item.call is not None else item.stream,
        fingerprint=hit.fingerprint if hit is not None else None,
        count=hit.count if hit is not None else None,
        threshold=hit.threshold if hit is not None else None,
        reason=reason,
    )
