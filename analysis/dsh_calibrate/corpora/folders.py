"""Where a log lies under its root: project folder, session folder, file name.

Source: session-format.md 1.
"""

from __future__ import annotations

import re

from dsh_calibrate.corpora.dialects import file_stem

_SEPARATORS = re.compile(r"[/\\:]+")
_LONGEST = 251


def _escape(text: str, kept: re.Pattern[str]) -> str:
    out: list[str] = []
    for character in text:
        if kept.fullmatch(character):
            out.append(character)
            continue
        units = character.encode("utf-16-be", "surrogatepass")
        out += [f"~{int.from_bytes(units[k : k + 2], 'big'):04X}" for k in range(0, len(units), 2)]
    return "".join(out)


_KEPT = re.compile(r"[A-Za-z0-9._-]")


def project_folder(cwd: str | None) -> str:
    """Return the folder of a project: ``--work-app--``, or ``_no-cwd`` without one."""
    if cwd is None:
        return "_no-cwd"
    slug = _escape(_SEPARATORS.sub("-", cwd), _KEPT).lstrip("-") or "root"
    return f"--{slug[:_LONGEST]}--"


def session_folder(session_id: str) -> str:
    """Return the folder of a session id, decodable."""
    if session_id in (".", ".."):
        return "~002E" * len(session_id)
    return _escape(session_id, _KEPT)


def log_name(version: int, encoding: str) -> str:
    """Return the canonical file name: ``session.jsonl``, ``session.v4.jsonl.zstd``."""
    return file_stem(version) + (".jsonl.zstd" if encoding == "zstd" else ".jsonl")
