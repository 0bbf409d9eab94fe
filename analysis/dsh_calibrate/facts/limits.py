"""Fingerprints by their digest, and the caps of fingerprints known by digest alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from dsh_calibrate.guards.repeat_tool_breaker.config import cap_of


def fingerprint_id(fingerprint: str) -> str:
    """16 hex digits that stand for a fingerprint without telling it (BLAKE2b, 8 bytes)."""
    return hashlib.blake2b(fingerprint.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class HashedLimits:
    """The caps of a configuration, for fingerprints of which only kind and digest are known."""

    def __init__(self, limits: Mapping[str, int | float | None]) -> None:
        self._limits = limits
        self._whole = {fingerprint_id(key): key for key in limits if ":" in key}

    def cap(self, measure: str, fp: str) -> int | float | None:
        """Return the cap in calls, as ``cap_of`` does for the fingerprint itself."""
        return cap_of(self._limits, self._whole.get(fp, measure))
