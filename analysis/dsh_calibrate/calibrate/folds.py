"""Which sessions choose settings and which judge the choice.

The unit is the session id: logs that share one (forks, generations, resumed work) are never
on both sides. Parts depend on the ids alone, not on the order or place of files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b

from dsh_calibrate.errors import UsageError


@dataclass(frozen=True, slots=True)
class Fold:
    """Session ids that choose (``train``) and that judge (``test``), each sorted."""

    train: tuple[str, ...]
    test: tuple[str, ...]


def parts(
    sessions: Iterable[str], k: int, strata: Mapping[str, str] | None = None
) -> dict[str, int]:
    """The part, 0 to ``k`` − 1, of every session.

    Sessions are dealt out in the order of a hash of their id, so that parts differ by at
    most one session; with ``strata`` (session → outcome) also within each outcome.
    Raises :class:`UsageError` when there are fewer sessions than parts.
    """
    unique = set(sessions)
    if not 2 <= k <= len(unique):
        raise UsageError(
            f"{k} folds cannot be made of {len(unique)} labelled sessions: "
            "use at least 2 folds and as many sessions"
        )
    groups: dict[str, list[str]] = {}
    for session in unique:
        groups.setdefault("" if strata is None else strata[session], []).append(session)
    dealt = [s for name in sorted(groups) for s in sorted(groups[name], key=_rank)]
    return {session: position % k for position, session in enumerate(dealt)}


def folds(
    sessions: Iterable[str], k: int, strata: Mapping[str, str] | None = None
) -> tuple[Fold, ...]:
    """``k`` folds; every session judges in exactly one of them."""
    part = parts(sessions, k, strata)
    ordered = sorted(part)
    return tuple(
        Fold(
            train=tuple(s for s in ordered if part[s] != number),
            test=tuple(s for s in ordered if part[s] == number),
        )
        for number in range(k)
    )


def labelled_split(splits: Iterable[tuple[str, str | None]]) -> Fold:
    """The fold that labels name: pairs of session id and ``train``, ``test`` or ``None``.

    Sessions without a word choose. Raises :class:`UsageError` when one session is named on
    both sides or one side stays empty.
    """
    side: dict[str, str] = {}
    named: dict[str, str] = {}
    for session, word in splits:
        if word is None:
            side.setdefault(session, "train")
            continue
        if named.setdefault(session, word) != word:
            raise UsageError(
                f"labels: session {session!r} is in train and in test: "
                "give all its logs the same split"
            )
        side[session] = word
    train = tuple(sorted(s for s, word in side.items() if word != "test"))
    test = tuple(sorted(s for s, word in side.items() if word == "test"))
    if not train or not test:
        empty = "test" if train else "train"
        raise UsageError(f'labels: no session has split = "{empty}": label some, or use folds')
    return Fold(train, test)


def _rank(session: str) -> tuple[bytes, str]:
    return blake2b(session.encode("utf-8", "surrogatepass"), digest_size=8).digest(), session
