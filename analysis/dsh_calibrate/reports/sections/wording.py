"""Small wordings that several sections share."""

from __future__ import annotations

import json

from dsh_calibrate.wording import counted


def compact(value: object) -> str:
    """A settings value on one line, as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))


def plural(count: int, word: str) -> str:
    """``3 sessions``, ``1 session``."""
    return counted(count, word)
