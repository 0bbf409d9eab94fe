"""Runs of failures per fingerprint (guards.md 1.5, failure track)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from dsh_calibrate.bounded import remember

_MOST = 200_000
"""Streaks kept at most; no session has so many fingerprints that fail."""


class Streaks:
    """How many results in a row failed, per fingerprint, at the result lines."""

    __slots__ = ("_streaks",)

    def __init__(self) -> None:
        self._streaks: dict[str, int] = {}

    def __bool__(self) -> bool:
        """Whether any streak is open."""
        return bool(self._streaks)

    def of(self, fingerprint: str) -> int:
        """Return the failures in a row of ``fingerprint``, 0 when its last result was good."""
        return self._streaks.get(fingerprint, 0)

    def settle(
        self, fingerprints: Iterable[str], *, failed: bool, exempt: Collection[str] = ()
    ) -> list[int]:
        """Enter one result for every fingerprint that is not exempt.

        A success clears, a failure adds one. Returns the streak after the result for each
        fingerprint in order; 0 for exempt ones, whose streak stays as it was.
        """
        streaks = self._streaks
        after: list[int] = []
        for fingerprint in fingerprints:
            if fingerprint in exempt:
                after.append(0)
            elif failed:
                streak = streaks.get(fingerprint, 0) + 1
                remember(streaks, fingerprint, streak, _MOST)
                after.append(streak)
            else:
                streaks.pop(fingerprint, None)
                after.append(0)
        return after

    def clear(self) -> None:
        """Forget everything (a human message)."""
        self._streaks.clear()

    def all(self) -> dict[str, int]:
        """Return a copy of the open streaks."""
        return dict(self._streaks)
