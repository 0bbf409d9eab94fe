"""The chain of identical failures and the denial it leads to (guards.md 2).

What counts as failed is ``isError`` alone: a shell command that exits 1 succeeded here,
whatever repeat-tool-breaker makes of its text (cases.md C09), and the success of any other
tracked call closes the chain (C10).
"""

from __future__ import annotations

from dsh_calibrate.bounded import remember
from dsh_calibrate.guards.call_identity import MEASURE, CallIdentity
from dsh_calibrate.guards.circuit_breaker.config import Config
from dsh_calibrate.guards.hits import Hit
from dsh_calibrate.guards.tool_patterns import ToolPatterns


def recorded_denial(tool: str, text: str) -> bool:
    """Whether an *error* result's text is this guard's own denial of a call of ``tool``.

    The sentence stands at the start, or right after the ``Error: `` with which the harness
    introduces errors. Only ask for results with ``isError``: other text may quote it.
    """
    return text.removeprefix("Error: ").startswith(f"The identical {tool} call already failed")


class CircuitBreaker:
    """The breaker of one agent: at most one chain of failures of one call is open.

    Calls are named by a ``key`` of the caller's choice, unique while their result is
    outstanding (call ids repeat, see cases.md C75: use the ordinal). The caller hands over
    neither calls that never reached a guard nor synthetic results (C74); a call without a
    result stays outstanding and changes nothing.
    """

    def __init__(self, config: Config) -> None:
        self._max_failures = config.max_failures
        self._patterns = ToolPatterns(config.include, config.exclude)
        self._running: dict[int, CallIdentity] = {}
        self._chain: CallIdentity | None = None
        self._count = 0

    def tracks(self, tool: str) -> bool:
        """Whether calls of ``tool`` are guarded at all."""
        return self._patterns.tracks(tool)

    def call(self, key: int, tool: str, arguments: str) -> Hit | None:
        """Decide a call: the hit that denies it, or ``None`` when it runs.

        ``arguments`` is the raw JSON text. A parallel call that already runs is not
        stopped by a chain that reaches the threshold later.
        """
        if not self.tracks(tool):
            return None
        identity = CallIdentity(tool, arguments)
        chain = self._chain
        if chain is not None and self._count >= self._max_failures and identity.same(chain):
            return Hit(
                measure=MEASURE,
                fingerprint=chain.fingerprint,
                count=self._count,
                threshold=self._max_failures,
                track="failure",
            )
        remember(self._running, key, identity)
        return None

    def chain_of(self, tool: str, arguments: str) -> int:
        """Return the failed results in a row of this very call; 0 when its chain is not open.

        What :meth:`call` compares with ``max_failures`` (a measurement; changes nothing).
        """
        chain = self._chain
        if chain is None or not self.tracks(tool) or not CallIdentity(tool, arguments).same(chain):
            return 0
        return self._count

    def result(self, key: int, is_error: bool, text: str) -> None:
        """Settle the call ``key`` with what the log says of it.

        Results of calls that this breaker denied, of untracked and of unknown calls change
        nothing, nor does a denial by the same guard that stands in the recording.
        """
        identity = self._running.pop(key, None)
        if identity is None:
            return
        if not is_error:
            self._close()
        elif recorded_denial(identity.tool, text):
            return
        elif self._chain is not None and identity.same(self._chain):
            self._count += 1
        else:
            self._chain = identity
            self._count = 1

    def human(self) -> None:
        """A human message closes the chain; calls still running settle into the fresh state."""
        self._close()

    def _close(self) -> None:
        self._chain = None
        self._count = 0
