"""Rule 4, kgram-repeat: the last ``kgram`` stripped units occur many times in the window."""

from __future__ import annotations

from dsh_calibrate.guards.reasoning_loop.config import Config


def measure(stripped: str, config: Config) -> int:
    """Return how often the last ``kgram`` units occur, overlaps counted (0: text too short)."""
    if len(stripped) < config.kgram:
        return 0
    tail = preview(stripped, config)
    count = 0
    found = stripped.find(tail)
    while found >= 0:
        count += 1
        found = stripped.find(tail, found + 1)
    return count


def preview(stripped: str, config: Config) -> str:
    """Return the k-gram."""
    return stripped[-config.kgram :]
