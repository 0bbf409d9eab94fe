"""The table ``logs``: one row a log, with everything a slice or a rate needs."""

from __future__ import annotations

import pyarrow as pa

from dsh_calibrate.facts.columns import FLAG, INT, LOG, TEXT, Column, Table

_TYPES = pa.list_(pa.struct([("type", TEXT), ("lines", INT)]))


def _count(name: str, meaning: str, unit: str = "count") -> Column:
    return Column(name, INT, meaning, unit)


COVERAGE = (
    Column("status", TEXT, "read, damaged, empty, no_calls, not_understood or unreadable."),
    Column("reason", TEXT, "Why the status is not read, in a few words; else null."),
    Column("where", TEXT, "The place that belongs to reason."),
    _count("lines", "Complete lines that are not blank, up to where reading stopped.", "lines"),
    _count("skipped_lines", "Lines whose type or shape is unknown.", "lines"),
    Column("skipped_types", _TYPES, "The same by type, sorted.", "lines"),
    _count("inherited_lines", "Copies of a parent's history.", "lines"),
    Column("torn_tail", FLAG, "Whether the last line or frame is unended."),
    _count("repaired", "Lines mended (BOM, CRLF, NUL bytes).", "lines"),
    _count("calls", "Calls of the log's own part.", "calls"),
    _count("results", "Results of the log's own part.", "results"),
    _count("not_dispatched", "Calls that never reached a guard.", "calls"),
    _count("synthetic", "Results that crash repair or a fork invented.", "results"),
    _count("unpaired", "Results without their call, and calls without a result.", "lines"),
    Column("has_reasoning", FLAG, "Whether any reasoning was recorded."),
    _count("fallback", "Lines that needed the slower JSON decoder.", "lines"),
    _count("gaps", "Damaged places that were skipped (salvage).", "places"),
    Column("warnings", pa.list_(TEXT), "Remarks of the reader, in order."),
)
"""The account of the reading; the fields of ``logs.coverage.LogCoverage``."""

HEADER = (
    Column("version", INT, "Format version; null in a header without one."),
    Column("created_at", INT, "When the session began.", "epoch ms"),
    Column("cwd", TEXT, "Working directory of the session.", private=True),
    Column("project", TEXT, "Last component of cwd: the slice --by project.", private=True),
    Column("parent_session", TEXT, "Id of the session this one came from."),
    Column("origin", TEXT, "subagent for delegated sessions."),
    _count("delegation_depth", "How deep the session is delegated."),
    Column("agent_preset", TEXT, "Preset of the agent: the slice --by preset."),
    Column("top_level", FLAG, "Whether a person talks to this session (no delegated child)."),
)

FIGURES = (
    Column("provider", TEXT, "Provider of most of the log's reasoning; null without reasoning."),
    Column("model", TEXT, "Model of most of the log's reasoning; null without reasoning."),
    _count("lifecycles", "Lifecycles in which anything happened.", "lifecycles"),
    _count("human_turns", "Human messages of a top-level session, else 0.", "messages"),
    _count("resets", "Human messages: each resets every guard.", "messages"),
    _count("resets_after_abort", "Those that follow an aborted turn.", "messages"),
    _count("streams", "Model attempts that carry reasoning.", "streams"),
    _count("reasoning_utf16", "Their reasoning.", "UTF-16 units"),
    _count("rtb_tracked", "Dispatched calls repeat-tool-breaker looks at.", "calls"),
    _count("tfb_tracked", "Dispatched calls the circuit breaker looks at.", "calls"),
    _count("rtr_tracked", "Dispatched calls the reminder looks at.", "calls"),
    _count("first_time", "Time of the first event that has one.", "epoch ms"),
    _count("last_time", "Time of the last event that has one.", "epoch ms"),
)

HINTS = (
    _count("turns", "Turns that ended.", "turns"),
    _count("turns_completed", "Turns that ended as completed.", "turns"),
    _count("turns_user_aborted", "Turns that the user aborted.", "turns"),
    _count(
        "aborts_in_reasoning",
        "Of those, turns whose last step held reasoning but neither text nor a call.",
        "turns",
    ),
    Column("last_turn_reason", TEXT, "How the last ended turn ended; null without one."),
    _count("error_results", "Results that the tool marked as errors.", "results"),
    _count("rtb_notices", "Recorded advice of repeat-tool-breaker.", "messages"),
    _count("rtr_notices", "Recorded reminders of the repeat reminder.", "messages"),
    _count("rtb_denials", "Recorded stops by repeat-tool-breaker.", "results"),
    _count("tfb_denials", "Recorded stops by the circuit breaker.", "results"),
    _count("rlg_fires", "Streams that ended with the reasoning guard's failure code.", "streams"),
    _count("declined_approvals", "Calls whose recorded approval was not given.", "calls"),
)
"""What suggests how the session went, for people who label it."""

ROWS = ("calls", "measures", "results", "notices", "streams", "judgements", "fingerprints")
"""Tables of which a log's row tells its number of rows (``rows_calls`` …)."""

LOGS = Table(
    name="logs",
    row="one log",
    key=("log",),
    order="log",
    columns=(
        LOG,
        Column("session", TEXT, "Id in the header; ids repeat across logs."),
        Column("digest", TEXT, "BLAKE2b (16 bytes, hex) of the stored bytes."),
        _count("stored_bytes", "Size of the file.", "bytes"),
        *COVERAGE,
        *HEADER,
        *FIGURES,
        *HINTS,
        *(_count(f"rows_{name}", f"Rows of this log in table {name}.", "rows") for name in ROWS),
        _count("rows_decisions", "Rows of this log in table decisions.", "rows"),
    ),
)
