"""What a guard says: the measure, the count and the threshold behind a decision."""

from __future__ import annotations

from typing import Literal

import msgspec

Track = Literal["repeat", "failure"]


class Hit(msgspec.Struct, frozen=True):
    """One fingerprint that reached a threshold.

    ``measure`` is its kind (the part before the first ``:``), ``count`` the occurrences in
    the window including this call (track ``repeat``) or the streak of failures (track
    ``failure``), both in calls; ``threshold`` the setting that was reached.
    """

    measure: str
    fingerprint: str
    count: int
    threshold: float
    track: Track
