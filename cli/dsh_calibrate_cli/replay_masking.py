"""``replay --mask``: the data formats without what calls, names and reasoning contain."""

from __future__ import annotations

from collections.abc import Iterable

from dsh_calibrate.reports.masking import mask_log_keys
from dsh_calibrate_cli.content_view import ContentView


class ReplayMask:
    """Masks lines of decisions and entries of logs; without ``masked`` they stay as they are.

    Of a corpus' log keys alike ones are numbered, so that rows still tell logs apart.
    """

    def __init__(self, logs: Iterable[str], *, masked: bool) -> None:
        self._view = ContentView(masked=masked)
        self._logs = mask_log_keys(logs) if masked else {}

    def log(self, key: str) -> str:
        """The key of a log."""
        return self._logs.get(key, key)

    def entry(self, log: dict[str, object]) -> dict[str, object]:
        """One of ``logs[]`` in the JSON: its key and its session."""
        return {**log, **self._masked(log)}

    def line(self, decision: dict[str, object]) -> dict[str, object]:
        """One decision (contract.md 4)."""
        line = {**decision, **self._masked(decision)}
        hits = line.get("hits")
        if isinstance(hits, list):
            line["hits"] = [{**hit, **self._masked(hit)} for hit in hits]
        return line

    def _masked(self, fields: dict[str, object]) -> dict[str, object]:
        view = self._view
        shown = {
            "log": self.log,
            "session": view.log,
            "call_id": view.text,
            "tool": view.tool,
            "fingerprint": view.fingerprint,
            "preview": view.text,
            "provider": view.tool,
            "model": view.tool,
        }
        return {
            name: shown[name](value)
            for name, value in fields.items()
            if name in shown and isinstance(value, str)
        }
