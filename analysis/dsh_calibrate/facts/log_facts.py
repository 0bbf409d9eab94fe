"""The row of one log in table ``logs``."""

from __future__ import annotations

import re
from typing import Any

from dsh_calibrate.facts.hint_facts import HintFacts
from dsh_calibrate.facts.log_table import COVERAGE, LOGS, ROWS
from dsh_calibrate.facts.stream_facts import StreamFacts
from dsh_calibrate.facts.tool_facts import ToolFacts
from dsh_calibrate.logs.coverage import LogCoverage
from dsh_calibrate.logs.events import Header
from dsh_calibrate.replay.outcome import LogOutcome

_SEPARATORS = re.compile(r"[\\/]+")
_TOTALS = ("lifecycles", "human_turns", "resets", "resets_after_abort", "streams")


def log_row(
    outcome: LogOutcome,
    stored_bytes: int,
    tools: ToolFacts,
    streams: StreamFacts | None,
    hints: HintFacts,
    rows: dict[str, int],
) -> tuple[Any, ...]:
    """The values of the columns of ``LOGS.stored``, in order."""
    header = outcome.header
    values: dict[str, Any] = {
        "session": header.session if header else None,
        "digest": outcome.digest,
        "stored_bytes": stored_bytes,
        **_coverage(outcome.coverage),
        **_header(header),
        **{name: outcome.totals[name] for name in _TOTALS},
        "reasoning_utf16": outcome.totals["reasoning_utf16"],
        **{f"{guard}_tracked": count for guard, count in tools.tracked.items()},
        "first_time": hints.first_time,
        "last_time": hints.last_time,
        **{
            name: getattr(hints, name)
            for name in (
                "turns",
                "turns_completed",
                "turns_user_aborted",
                "aborts_in_reasoning",
                "last_turn_reason",
                "error_results",
                "declined_approvals",
            )
        },
        **{f"{guard}_notices": count for guard, count in hints.notices.items()},
        **{f"{guard}_denials": count for guard, count in tools.denials.items()},
        "rlg_fires": streams.fires if streams else None,
        **{f"rows_{name}": rows[name] for name in ROWS},
    }
    values["provider"], values["model"] = _most_used(streams)
    return tuple(values[column.name] for column in LOGS.stored)


def _coverage(coverage: LogCoverage) -> dict[str, Any]:
    values = {column.name: getattr(coverage, column.name) for column in COVERAGE}
    values["skipped_types"] = [
        {"type": kind, "lines": lines} for kind, lines in sorted(coverage.skipped_types.items())
    ]
    values["warnings"] = list(coverage.warnings)
    return values


def _header(header: Header | None) -> dict[str, Any]:
    names = ("version", "created_at", "cwd", "parent_session", "origin", "delegation_depth")
    values = {name: getattr(header, name) if header else None for name in names}
    parts = [part for part in _SEPARATORS.split(values["cwd"] or "") if part]
    values["project"] = parts[-1] if parts else None
    values["agent_preset"] = header.agent_preset if header else None
    values["top_level"] = header is None or (
        header.origin != "subagent" and header.delegation_depth == 0
    )
    return values


def _most_used(streams: StreamFacts | None) -> tuple[str | None, str | None]:
    """Provider and model with most reasoning; of equals the first by name."""
    if streams is None or not streams.by_model:
        return None, None
    ranked = sorted(
        streams.by_model.items(), key=lambda item: (-item[1], item[0][0] or "", item[0][1] or "")
    )
    return ranked[0][0]
