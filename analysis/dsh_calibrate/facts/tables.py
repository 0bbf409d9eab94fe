"""The tables of facts, column by column (contract.md 6)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from dsh_calibrate.facts.columns import (
    FLAG,
    FLOAT,
    INT,
    LIFECYCLE,
    LOG,
    STEP,
    TEXT,
    TURN,
    Column,
    Table,
    line,
    seq,
    time,
)
from dsh_calibrate.facts.log_table import LOGS

SCHEMA_VERSION = 1
"""Raised when a column changes its meaning or goes away."""

_CALL = Column("call", INT, "Ordinal of the call within the lifecycle, sub-calls included.")
_STREAM = Column("stream", INT, "Ordinal of the stream within the lifecycle.")
_MEASURE = Column("measure", TEXT, "Kind of the fingerprint: the part before the first colon.")
_FP = Column("fp", TEXT, "The fingerprint: 16 hex digits of its BLAKE2b; text in fingerprints.")
_UTF16 = "UTF-16 units"

CALLS = Table(
    name="calls",
    row="one call (tool/call line or sub-call)",
    key=("log", "lifecycle", "call"),
    order="log, lifecycle, call",
    columns=(
        LOG,
        LIFECYCLE,
        _CALL,
        seq("the call"),
        line("the call"),
        time("the call was made"),
        TURN,
        STEP,
        Column("call_id", TEXT, "Recorded id; ids repeat."),
        Column("tool", TEXT, "Name of the tool."),
        Column("sub", FLAG, "Whether run_code made the call: advice on it is undelivered."),
        Column("dispatched", FLAG, "False: the call never reached a guard and counts nowhere."),
        Column("resets", INT, "Human messages before it in the lifecycle.", "messages"),
        Column("approval", TEXT, "Recorded outcome of an approval for it; null without one."),
        Column(
            "result_line",
            INT,
            "Line of the result that settles it (synthetic ones do not): advice is spoken there; "
            "null: never settled.",
        ),
        Column("rtb_tracked", FLAG, "Whether repeat-tool-breaker looks at it."),
        Column("measures", INT, "Its rows in table measures.", "rows"),
        Column("refused", FLAG, "Whether the shell-HTTP block would refuse it; null: block off."),
        Column("refusal_kind", TEXT, "target, incidental or url_less when refused; else null."),
        Column("tfb_tracked", FLAG, "Whether the circuit breaker looks at it."),
        Column(
            "tfb_chain",
            INT,
            "Ungated: failed results in a row of this very call when it is made; maxFailures is "
            "held against it. Exact up to the first call that reaches maxFailures.",
            "results",
        ),
        Column("rtr_tracked", FLAG, "Whether the reminder looks at it."),
        Column(
            "rtr_run",
            INT,
            "Length of the run of equal calls with it, at its result; thresholds are compared "
            "with it. Null: not tracked or never settled.",
            "calls",
        ),
    ),
)

MEASURES = Table(
    name="measures",
    row="one fingerprint of one tracked, dispatched call; capped or not",
    key=("log", "lifecycle", "call", "position"),
    order="log, lifecycle, call, position",
    columns=(
        LOG,
        LIFECYCLE,
        _CALL,
        Column("position", INT, "Place of the fingerprint in order of emission, from 0."),
        _MEASURE,
        _FP,
        Column(
            "next",
            INT,
            "Ungated occurrences in the window including this call: warnAt, summarizeAt and "
            "limits are held against it.",
            "calls",
        ),
        Column("streak", INT, "Ungated failures in a row before the call (failLimit).", "results"),
        Column(
            "streak_after",
            INT,
            "Failures in a row after its result (failWarnAt); null when no result settled the "
            "failure track.",
            "results",
        ),
    ),
)

RESULTS = Table(
    name="results",
    row="one result line (or settled sub-call)",
    key=("log", "line", "call_id"),
    order="log, line",
    columns=(
        LOG,
        LIFECYCLE,
        Column("call", INT, "Ordinal of its call; null: in an earlier lifecycle or nowhere."),
        seq("the result"),
        line("the result"),
        time("the call settled"),
        TURN,
        STEP,
        Column("call_id", TEXT, "Recorded id of the call."),
        Column("tool", TEXT, "Name of the tool."),
        Column("sub", FLAG, "Whether it belongs to a sub-call of run_code."),
        Column("synthetic", FLAG, "Invented by crash repair or a fork: settles nothing."),
        Column("settles", FLAG, "Whether it entered repeat-tool-breaker's failure track."),
        Column("is_error", FLAG, "Whether the tool marked it as an error."),
        Column("failure", TEXT, "Failure reason (error, http, exit, …); null: no failure."),
        Column("detail", TEXT, "Evidence of the failure as the log spells it.", private=True),
        Column("rtb_denial", TEXT, "Marker when repeat-tool-breaker had stopped it live."),
        Column("tfb_denial", FLAG, "Whether the circuit breaker had stopped it live."),
        Column("text_utf16", INT, "Length of the result's text.", _UTF16),
    ),
)

NOTICES = Table(
    name="notices",
    row="one recorded message of a guard",
    key=("log", "line"),
    order="log, line",
    columns=(
        LOG,
        LIFECYCLE,
        seq("the message"),
        line("the message"),
        Column("guard", TEXT, "rtb or rtr."),
        Column(
            "since_line",
            INT,
            "Advice spoken at a result line above since_line and below line can be this message.",
        ),
        Column("summary", TEXT, "Its summary, which names measure and count.", private=True),
    ),
)

STREAMS = Table(
    name="streams",
    row="one model attempt that carries reasoning",
    key=("log", "lifecycle", "stream"),
    order="log, lifecycle, stream",
    columns=(
        LOG,
        LIFECYCLE,
        _STREAM,
        seq("its first reasoning"),
        line("its first reasoning"),
        TURN,
        STEP,
        Column("attempt", INT, "Number of the attempt in its step, from 1."),
        Column("provider", TEXT, "Provider, as known at the end."),
        Column("model", TEXT, "Model, as known at the end."),
        Column("effort", TEXT, "Reasoning effort."),
        Column("utf16", INT, "Its reasoning.", _UTF16),
        Column("pieces", INT, "Recorded reasoning deltas (whole blocks when not granular)."),
        Column("granular", FLAG, "False: the log kept no pieces; no fire in it is exact."),
        Column("judge_points", INT, "Its rows in table judgements.", "rows"),
        Column("outcome", TEXT, "message, attempt or lost; null: cut off by the end."),
        Column("finish", TEXT, "Recorded finish reason."),
        Column("failure_code", TEXT, "Code of its failure; the guard's own marks a live fire."),
        Column("visible", FLAG, "Whether it also produced text or a call."),
        Column("interrupted", FLAG, "Whether it was interrupted."),
        Column("started", INT, "When the attempt began.", "epoch ms"),
        Column("first_time", INT, "Time of its first piece.", "epoch ms"),
        Column("last_time", INT, "Time of its last piece.", "epoch ms"),
    ),
)

JUDGEMENTS = Table(
    name="judgements",
    row="one judge point of one stream, also past the first fire",
    key=("log", "lifecycle", "stream", "point"),
    order="log, lifecycle, stream, point",
    columns=(
        LOG,
        LIFECYCLE,
        _STREAM,
        Column("point", INT, "Ordinal of the judge point in its stream, from 0."),
        seq("the piece"),
        line("the piece"),
        time("the piece arrived"),
        Column("at_utf16", INT, "Length of the stream there.", _UTF16),
        Column("stripped_utf16", INT, "Length of the stripped window.", _UTF16),
        Column("units", INT, "Longest run of equal units at the end (minUnits).", "units"),
        Column("period", INT, "Length of that unit.", _UTF16),
        Column("block_count", INT, "Most occurrences of one block (blockCount)."),
        Column("line_count", INT, "Occurrences of the most repeated line (lineCount)."),
        Column("line_len", INT, "Its length.", _UTF16),
        Column("line_share", FLOAT, "Its exact share of the window (lineShare).", "0 to 1"),
        Column("kgram_count", INT, "Occurrences of the last k-gram (kgramThreshold)."),
        Column("filler_run", INT, "Trailing decoration (fillerRun).", "code points"),
    ),
)

FINGERPRINTS = Table(
    name="fingerprints",
    row="one distinct fingerprint of one log",
    key=("log", "fp"),
    order="log, first occurrence",
    columns=(
        LOG,
        _FP,
        _MEASURE,
        Column("text", TEXT, "The fingerprint in full; null when masked.", private=True),
    ),
)

_HIT = pa.struct(
    [("measure", TEXT), ("fp", TEXT), ("count", INT), ("threshold", FLOAT), ("track", TEXT)]
)

DECISIONS = Table(
    name="decisions",
    row="one time a guard speaks or stops, under the settings in force",
    key=("log", "guard", "decision"),
    order="log, line, seq",
    columns=(
        LOG,
        Column("decision", INT, "Ordinal of the decision within the log, from 0."),
        LIFECYCLE,
        Column("guard", TEXT, "rtb, tfb, rtr or rlg."),
        Column("call", INT, "Ordinal of the call; null for rlg."),
        Column("stream", INT, "Ordinal of the stream; null for the others."),
        seq("the call, or of the piece"),
        line("what happened"),
        Column("call_id", TEXT, "Recorded id of the call."),
        Column("tool", TEXT, "Name of the tool."),
        Column("verdict", TEXT, "advise, ask, deny, refuse or fire."),
        Column(
            "stage",
            TEXT,
            "warn, summarize, failure, repeat, shell_http, circuit, the number reached (rtr) or "
            "the rule (rlg).",
        ),
        Column("ran", FLAG, "Whether the call ran."),
        Column("measure", TEXT, "Kind of the first hit."),
        Column("fp", TEXT, "Fingerprint of the first hit (16 hex digits)."),
        Column("fingerprint", TEXT, "The same in full; null when masked.", private=True),
        Column("count", INT, "Count of the first hit; for rlg the rule's own count."),
        Column("threshold", FLOAT, "Setting that was reached."),
        Column("hits", pa.list_(_HIT), "All hits, the credited one first."),
        Column("shell_http", TEXT, "target, incidental or url_less for refuse; else null."),
        Column("divergence", TEXT, "none, advice or gate before this decision."),
        Column("exact", FLAG, "Whether the live guard would have done precisely this."),
        Column("matched", FLAG, "Whether the recording holds the same intervention."),
        Column("at_utf16", INT, "rlg: length of the stream at the fire.", _UTF16),
        Column("saved_utf16", INT, "rlg: reasoning after the fire.", _UTF16),
        Column("saved_ms", INT, "rlg: time from the fire to the last piece.", "ms"),
        Column("share", FLOAT, "rlg: share of the repeated line.", "0 to 1"),
        Column("preview", TEXT, "rlg: the repeated text; null when masked.", private=True),
    ),
)

TABLES: Mapping[str, Table] = MappingProxyType(
    {
        table.name: table
        for table in (
            LOGS,
            CALLS,
            MEASURES,
            RESULTS,
            NOTICES,
            STREAMS,
            JUDGEMENTS,
            FINGERPRINTS,
            DECISIONS,
        )
    }
)
"""Every table by its name, which is also its file name (``calls.parquet``)."""
