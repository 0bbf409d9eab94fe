"""The account of one log while it is being read; ends as a :class:`LogCoverage`."""

from __future__ import annotations

from collections import Counter

from dsh_calibrate.logs.coverage import LogCoverage, Status
from dsh_calibrate.logs.decode import STREAM_TYPES
from dsh_calibrate.wording import counted

_MOST_TYPES = 200
OTHER_TYPES = "(other)"
"""Where unknown types are counted once a log holds very many of them."""
_CARRIERS = STREAM_TYPES | {
    "tool/call",
    "tool/result",
    "tool/code-dispatch-start",
    "tool/code-dispatch",
    "tool/ptc-dispatch-start",
    "tool/ptc-dispatch",
}


class Account:
    """Counters that the reader fills; see :class:`LogCoverage` for their meaning."""

    def __init__(self) -> None:
        self.lines = self.last_line = self.understood = self.inherited = 0
        self.calls = self.results = self.not_dispatched = 0
        self.synthetic = self.unpaired = 0
        self.fallback = self.gaps = self.repaired = 0
        self.torn = self.unknown_seed = False
        self._types: Counter[str] = Counter()
        self._misshapen = 0
        self._problem: tuple[Status, str, str | None] | None = None
        self._warnings: dict[str, None] = {}

    def warn(self, text: str) -> None:
        """Note something the user should know; said once."""
        self._warnings.setdefault(text)

    def skip(self, kind: str, *, known: bool, ignorable: bool = False) -> None:
        """Count a line of unknown type, or of a known type in an unknown shape."""
        name = kind if len(kind) <= 200 else kind[:200]
        if name not in self._types and len(self._types) >= _MOST_TYPES:
            name = OTHER_TYPES
        self._types[name] += 1
        if known:
            self._misshapen += kind in _CARRIERS
            self.warn(f"lines of type {name!a} have a shape that is not understood")
        elif not ignorable and not kind.startswith("plugin:"):
            self.warn(f"unknown lines of type {name!a} are not marked as ignorable")

    def damage(self, reason: str, where: str | None) -> None:
        """Note damage; the first one is reported."""
        if self._problem is None:
            self._problem = ("damaged", reason, where)

    def refuse(self, reason: str, where: str | None) -> None:
        """Note that reading ends here for good."""
        self._problem = ("unreadable", reason, where)

    def close(self, has_reasoning: bool) -> LogCoverage:
        """Return the finished account."""
        status, reason, where = self._status(has_reasoning)
        return LogCoverage(
            status=status,
            reason=reason,
            where=where,
            lines=self.lines,
            skipped_lines=self._types.total(),
            skipped_types=dict(sorted(self._types.items())),
            inherited_lines=self.inherited,
            torn_tail=self.torn,
            repaired=self.repaired,
            calls=self.calls,
            results=self.results,
            not_dispatched=self.not_dispatched,
            synthetic=self.synthetic,
            unpaired=self.unpaired,
            has_reasoning=has_reasoning,
            fallback=self.fallback,
            gaps=self.gaps,
            warnings=tuple(self._warnings),
        )

    def _status(self, has_reasoning: bool) -> tuple[Status, str | None, str | None]:
        if self._problem is not None:
            return self._problem
        if self.unknown_seed:
            return "not_understood", "the end of its inherited history is not marked", None
        if not self.lines:
            return "empty", "it holds no complete line", None
        if self.calls or has_reasoning:
            return "read", None, None
        skipped = self._types.total()
        if self._misshapen or (skipped and not self.understood):
            return (
                "not_understood",
                f"{counted(skipped, 'line is', 'lines are')} of an unknown type or shape",
                None,
            )
        return "no_calls", "it holds neither a call nor reasoning of its own", None
