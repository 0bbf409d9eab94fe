"""What differs between the format versions, one function a difference.

Source: session-format.md, "Differences at a glance", 3, 4.1, 5.2, 5.6, 5.7 and 9.
"""

from __future__ import annotations

from dsh_calibrate.corpora.happenings import Json, NoticeMessage
from dsh_calibrate.errors import UsageError

VERSIONS = (0, 1, 2, 3, 4)

Object = dict[str, Json]

_SYSTEM_PROMPT = "@deepseek-ai/dsh-system-prompt"

_OLD_PLUGIN_NAMES = {
    "runtime-context": _SYSTEM_PROMPT,
    "system-prompt": _SYSTEM_PROMPT,
    "compact-checkpoint": "compact",
    "compact-basic": "dsh-compaction-basic",
}
"""v4 kind → the plugin named beside kind ``plugin`` in formats 0 to 3."""

_OWN_KINDS = frozenset(
    {
        "agent-instructions",
        "session-reference",
        "team-message",
        "goal",
        "skill-invocation",
        "skill-catalog",
        "coordinator",
        "subagent-report",
        "subagent-settled",
        "webhook",
        "agent-message",
    }
)
"""Kinds that are not written as ``plugin`` in any version."""


def check_version(version: int) -> int:
    """Return ``version`` or say which can be written."""
    if version not in VERSIONS:
        raise UsageError(f"format version {version} cannot be written: use one of 0, 1, 2, 3, 4")
    return version


def file_stem(version: int) -> str:
    """Return the canonical file name without its endings: ``session``, ``session.v4``."""
    return f"session.v{version}" if version else "session"


def embeds_streams(version: int) -> bool:
    """Whether model streams lie inside messages and attempts (else: chunk lines)."""
    return version >= 2


def source_of(notice: NoticeMessage, version: int) -> Object:
    """Return the ``source`` of a message that no person wrote."""
    if version >= 4 or notice.producer in _OWN_KINDS:
        source: Object = {"kind": notice.producer}
    elif notice.producer == "ptc-mode":
        source = {"kind": "plugin", "plugin": "tools-ptc" if version == 3 else "tools-code-mode"}
    else:
        plugin = _OLD_PLUGIN_NAMES.get(notice.producer, notice.producer)
        source = {"kind": "plugin", "plugin": plugin}
    if notice.form is not None:
        source["form"] = notice.form
    if notice.summary is not None:
        source["summary"] = notice.summary
    return source


def producer_source(producer: str, version: int) -> Object:
    """Return the ``source`` of a message of ``producer`` without form and summary."""
    return source_of(NoticeMessage(time=0, message="", text="", producer=producer), version)


def replacing(first: int, last: int, version: int) -> Object:
    """Return the ``surfaceOp`` of a message that replaces others (seqs, inclusive)."""
    if version >= 3:
        return {"op": "replace", "startSeq": first, "endSeq": last}
    return {"op": "replace", "start": first, "end": last}


def result_message(message: str, call_id: str, text: str, is_error: bool, version: int) -> Object:
    """Return the message of a ``tool/result``."""
    source: Object = {"kind": "tool", "callId": call_id}
    blocks: list[Json] = [{"type": "text", "text": text}]
    if version >= 4:
        return {
            "id": message,
            "role": "tool",
            "source": source,
            "toolCallId": call_id,
            "content": blocks,
            "isError": is_error,
        }
    wrapper: Object = {
        "type": "tool-result",
        "toolCallId": call_id,
        "content": blocks,
        "isError": is_error,
    }
    return {"id": message, "role": "user", "source": source, "content": [wrapper]}


def dispatch_type(version: int) -> str:
    """Return the event type with which a sub-call of ``run_code`` settles."""
    return "tool/ptc-dispatch" if version >= 3 else "tool/code-dispatch"


def sub_call_id(parent: str, number: int, version: int) -> str:
    """Return the id of sub-call ``number`` (from 1) of the call ``parent``."""
    return f"{parent}:{'ptc' if version >= 3 else 'code'}:{number}"


def preset_name(preset: str, version: int) -> str:
    """Return the agent preset's name; ``code`` became ``ptc`` at version 3."""
    if preset in ("code", "ptc"):
        return "ptc" if version >= 3 else "code"
    return preset


def turn_end_reason(reason: str, version: int) -> str:
    """Return the kind of a turn's end; before format 4 a cut at a fork is an interruption."""
    return "interrupted" if reason == "forked" and version < 4 else reason
