"""When two calls are the same call to the guards that compare whole arguments.

tool-failure-circuit-breaker and repeat-tool-reminder key a call by its tool and the
canonical JSON of *all* its arguments. repeat-tool-breaker's ``exact:`` first removes
decoys such as ``description``; the two must never share a key (cases.md C08).
"""

from __future__ import annotations

from dsh_calibrate.javascript.canonical_json import canonical
from dsh_calibrate.javascript.json_text import parse_arguments

MEASURE = "call"
"""Kind of the fingerprint that these guards report."""


class CallIdentity:
    """One call's tool and whole arguments, compared the way the live guards do.

    Parsing is put off until two calls of one tool with different texts are compared,
    because most calls never meet another of their kind.
    """

    __slots__ = ("_canonical", "arguments", "tool")

    def __init__(self, tool: str, arguments: str) -> None:
        self.tool = tool
        self.arguments = arguments
        self._canonical: str | None = None

    def same(self, other: CallIdentity) -> bool:
        """Whether both are the same tool with the same arguments, key order aside."""
        if self.tool != other.tool:
            return False
        return self.arguments == other.arguments or self.canonical == other.canonical

    @property
    def canonical(self) -> str:
        """Canonical JSON of the whole arguments (empty text is ``{}``, broken JSON a string)."""
        if self._canonical is None:
            self._canonical = canonical(parse_arguments(self.arguments))
        return self._canonical

    @property
    def fingerprint(self) -> str:
        """``call:<tool>:<canonical arguments>``; for reports, in full."""
        return f"{MEASURE}:{self.tool}:{self.canonical}"
