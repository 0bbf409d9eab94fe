"""Event lines: the envelope around every event, its number, its place on the surface.

Source: session-format.md 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from dsh_calibrate.corpora.dialects import Object
from dsh_calibrate.corpora.happenings import Json


@dataclass(frozen=True, slots=True)
class LineOptions:
    """How the lines of a log look, apart from its version.

    ``packed`` packs chunk lines (formats 0 and 1); ``stripped`` leaves out seq and time, as
    test logs of the harness do; ``early`` writes the older shapes of format 0
    (session-format.md 10); ``tool_call_chunks`` writes the deltas of tool calls too;
    ``batch_ms`` is how long a write batch gathers events.
    """

    packed: bool = True
    stripped: bool = False
    early: bool = False
    tool_call_chunks: bool = False
    batch_ms: int = 200


@dataclass(slots=True)
class EventLines:
    """The event lines of one log so far: numbers them, remembers what is on the surface."""

    version: int
    options: LineOptions
    seq: int = 0
    lines: list[tuple[int, Object]] = field(default_factory=list)
    surface: list[int] = field(default_factory=list)

    def event(
        self,
        time: int,
        type_: str,
        data: Object,
        *,
        sources: Iterable[int] | None = None,
        surface: Json = None,
    ) -> int:
        """Write one event line and return its seq."""
        seq = self.seq
        self.seq += 1
        line: Object = {"type": type_}
        if not self.options.stripped:
            line |= {"seq": seq, "time": time}
        line["data"] = data
        if sources is not None:
            line["sourceEventSeqs"] = list(sources)
        if surface is not None:
            line["surfaceOp"] = surface
        if surface == "append":
            self.surface.append(seq)
        self.lines.append((time, line))
        return seq
