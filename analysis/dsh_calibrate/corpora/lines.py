"""A session as the lines of one format version, grouped into write batches.

The order of fields and events is that of session-format.md 4, 5 and 8.
"""

from __future__ import annotations

import json
import re

from dsh_calibrate.corpora import dialects
from dsh_calibrate.corpora.dialects import Object
from dsh_calibrate.corpora.event_lines import LineOptions
from dsh_calibrate.corpora.line_writer import LineWriter
from dsh_calibrate.corpora.sessions import Session

__all__ = ["LineOptions", "batches", "header", "json_line"]

_LONE = re.compile("[\ud800-\udfff]")


def json_line(value: Object) -> bytes:
    """One JSON value as a line; lone surrogates are escaped, as JavaScript does."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = _LONE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text.encode() + b"\n"


def header(session: Session, version: int, inherited_events: int | None) -> Object:
    """Line 1; ``inherited_events`` is how many events were copied from the parent."""
    line: Object = {
        "type": "session",
        "version": version,
        "id": session.id,
        "createdAt": session.created_at,
    }
    if session.cwd is not None:
        line["cwd"] = session.cwd
    if session.parent is not None:
        line["parentSession"] = session.parent
    if version >= 2:
        line["isSeeded"] = inherited_events is not None
    elif inherited_events is not None:
        line["seedLength"] = inherited_events
    if session.origin is not None:
        line["origin"] = session.origin
    line["delegationDepth"] = session.depth
    if session.preset is not None:
        line["agentPreset"] = dialects.preset_name(session.preset, version)
    return line


def batches(session: Session, version: int, options: LineOptions) -> list[list[bytes]]:
    """Group the lines of a log (ended by newlines); the first batch is the header alone."""
    writer = LineWriter(version, options)
    inherited: int | None = None
    for place, happening in enumerate(session.happenings()):
        if session.inherited is not None and place == session.inherited:
            inherited = writer.seq
        writer.write(place, happening)
    groups: list[list[bytes]] = [[json_line(header(session, version, inherited))]]
    begun: int | None = None
    for time, line in writer.lines:
        if begun is None or time - begun > options.batch_ms or time < begun:
            groups.append([])
            begun = time
        groups[-1].append(json_line(line))
    return groups
