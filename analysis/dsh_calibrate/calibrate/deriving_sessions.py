"""Labelled logs as sessions: the units that risks and catch rates are counted in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dsh_calibrate.calibrate.sweeping import SessionInfo
from dsh_calibrate.corpora.labels import Labels, Outcome, Split
from dsh_calibrate.errors import UsageError


@dataclass(frozen=True, slots=True)
class LabelledSession:
    """One session id with the labelled logs that carry it."""

    session: str
    outcome: Outcome
    split: Split | None
    logs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LabelledSessions:
    """What can be judged, by session id, and what cannot.

    ``left_out`` names labelled logs that are in no rate, with the reason; ``undecided`` and
    ``unlabelled`` count logs.
    """

    sessions: Mapping[str, LabelledSession]
    left_out: Mapping[str, str]
    undecided: int
    unlabelled: int

    def of(self, outcome: Outcome) -> frozenset[str]:
        """The sessions with this outcome."""
        return frozenset(s for s, found in self.sessions.items() if found.outcome == outcome)

    @property
    def has_split(self) -> bool:
        """Whether the labels say which sessions choose and which judge."""
        return any(found.split is not None for found in self.sessions.values())

    def outcomes(self) -> dict[str, str]:
        """Session → outcome."""
        return {session: found.outcome for session, found in self.sessions.items()}


_REASONS = {
    "read": "nothing in it for the guards to look at",
    "no_calls": "nothing in it for the guards to look at",
    "damaged": "damaged",
    "empty": "empty",
    "not_understood": "not understood",
    "unreadable": "unreadable",
}


def labelled_sessions(
    measured: Iterable[SessionInfo], counted: Iterable[SessionInfo], labels: Labels
) -> LabelledSessions:
    """Gather the labelled logs by session id.

    ``counted`` are the measured logs that a rate may count. Raises :class:`UsageError` when
    nothing is labelled healthy or stuck at all, and when logs of one session are labelled
    differently.
    """
    countable = {info.log for info in counted}
    logs: dict[str, list[str]] = {}
    outcome: dict[str, Outcome] = {}
    split: dict[str, Split | None] = {}
    left_out: dict[str, str] = {}
    undecided = unlabelled = labelled = 0
    for info in measured:
        label = labels.get(info.log)
        if label is None:
            unlabelled += 1
            continue
        if label.outcome == "undecided":
            undecided += 1
            continue
        labelled += 1
        if info.log not in countable:
            left_out[info.log] = _REASONS[info.status]
            continue
        session = info.session or info.log
        if outcome.setdefault(session, label.outcome) != label.outcome:
            raise UsageError(
                f"labels: session {session!r} has a log labelled {outcome[session]} and one "
                f"labelled {label.outcome}: one session is one observation, give all its logs "
                "one outcome"
            )
        logs.setdefault(session, []).append(info.log)
        before = split.setdefault(session, label.split)
        split[session] = before or label.split
        if before and label.split and before != label.split:
            raise UsageError(
                f"labels: session {session!r} is in train and in test: "
                "give all its logs the same split"
            )
    if not labelled:
        raise UsageError(
            "labels: no log is labelled healthy or stuck: label some first (dsh-calibrate "
            "corpus label walks you through them)"
        )
    return LabelledSessions(
        sessions={
            session: LabelledSession(session, outcome[session], split[session], tuple(found))
            for session, found in sorted(logs.items())
        },
        left_out=left_out,
        undecided=undecided,
        unlabelled=unlabelled,
    )
