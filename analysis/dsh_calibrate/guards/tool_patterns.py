"""Which tools a guard looks at: include and exclude patterns (guards.md 1.2).

``*`` is a wildcard, everything else is literal, and the whole name must match. As in the
live guards, a wildcard does not reach across a line break. An empty include list lets
every tool in; a name both included and excluded is excluded. An empty name is tracked by
repeat-tool-reminder only (its published 0.1.0-rc.8 makes no exception for it).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_ANY = "[^\\n\\r\\u2028\\u2029]"


def compiled(pattern: str) -> re.Pattern[str]:
    """Compile one pattern for ``fullmatch``, in time linear in the name for any pattern."""
    first, *rest = (re.escape(part) for part in pattern.split("*"))
    if not rest:
        return re.compile(first)
    *middle, last = rest
    found = "".join(f"(?>{_ANY}*?{part})" for part in middle if part)
    return re.compile(f"{first}{found}{_ANY}*{last}")


class ToolPatterns:
    """The patterns of one guard; answers are remembered per name."""

    __slots__ = ("_exclude", "_include", "_known", "_nameless")

    def __init__(
        self, include: Sequence[str], exclude: Sequence[str], *, nameless: bool = False
    ) -> None:
        self._nameless = nameless
        self._include = [compiled(pattern) for pattern in include]
        self._exclude = [compiled(pattern) for pattern in exclude]
        self._known: dict[str, bool] = {}

    def tracks(self, tool: str) -> bool:
        """Whether calls of ``tool`` are guarded."""
        known = self._known.get(tool)
        if known is None:
            known = self._decide(tool)
            if len(self._known) < 1000:  # names come from logs: no end to them
                self._known[tool] = known
        return known

    def _decide(self, tool: str) -> bool:
        if not tool and not self._nameless:
            return False
        if any(pattern.fullmatch(tool) for pattern in self._exclude):
            return False
        return not self._include or any(pattern.fullmatch(tool) for pattern in self._include)


def tracked(tool: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
    """Whether one tool is guarded; for many questions keep a :class:`ToolPatterns`."""
    return ToolPatterns(include, exclude).tracks(tool)
