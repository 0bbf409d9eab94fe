"""What a plugin's own words say: measures and counts in denials, questions and notices.

Only the shape of a list entry is relied on (``- <fingerprint> 12/12``), so that other
wording around it does no harm. A text that names nothing readable is *unread*, not empty.
"""

from __future__ import annotations

import re
from typing import Any

_ENTRY = re.compile(
    r"^(?:  )?- (?P<fp>.+?)"
    r"(?: (?P<count>[0-9]+)/(?P<cap>[0-9.e+]+)"
    r"|(?: —)? (?P<streak>[0-9]+) consecutive failures(?: \(.*?\))?)$",
    re.MULTILINE | re.DOTALL,
)
_REPEATED = re.compile(r"(?P<fp>.*) × (?P<count>[0-9]+)", re.DOTALL)
_FAILED = re.compile(r"(?P<fp>.*) failed x(?P<count>[0-9]+)", re.DOTALL)
_CIRCUIT = re.compile(r"already failed (?P<count>[0-9]+) consecutive times")
_STAGES = {"stop and summarise": "summarize", "consider whether the current route": "warn"}

Answer = dict[str, Any]


def hits_in(text: str, fail_limit: int | float | None) -> list[Answer] | None:
    """The measures that a denial or a question of rtb lists; ``None`` when it lists none."""
    found: list[Answer] = []
    for entry in _ENTRY.finditer(text):
        if entry["streak"] is not None:
            count, threshold, track = entry["streak"], fail_limit, "failure"
        else:
            count, threshold, track = entry["count"], float(entry["cap"]), "repeat"
        found.append(
            {
                "fingerprint": entry["fp"],
                "count": int(count),
                "threshold": threshold,
                "track": track,
            }
        )
    return found or None


def advice_in(context: dict[str, Any]) -> Answer:
    """One notice: what its summary names, and the stage where the wording tells it."""
    summary = context.get("summary") or ""
    failed = _FAILED.fullmatch(summary)
    if failed is not None:
        return {"stage": "failure", "fingerprint": failed["fp"], "count": int(failed["count"])}
    repeated = _REPEATED.fullmatch(summary)
    if repeated is None:
        return {"summary": summary}
    words = " ".join((context.get("text") or "").lower().split())
    stage = next((name for sign, name in _STAGES.items() if sign in words), None)
    return {"stage": stage, "fingerprint": repeated["fp"], "count": int(repeated["count"])}


def circuit_count(text: str) -> int | None:
    """The number of failures that a denial of tfb names."""
    found = _CIRCUIT.search(text)
    return None if found is None else int(found["count"])
