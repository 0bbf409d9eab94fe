"""How many examples a fuzz test tries: few by default, many in the profile ``fuzz``."""

from __future__ import annotations

from hypothesis import settings

_MORE = 25


def examples(count: int) -> int:
    """``count``, or as many times more as the profile in force asks for."""
    return count * (_MORE if settings.get_current_profile_name() == "fuzz" else 1)
