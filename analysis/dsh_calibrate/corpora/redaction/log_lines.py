"""Every leaf of a log's lines rewritten, whatever the type of the line.

Strings, and the names of fields, all go through one rewriter: what the format is made of
is on the keep-list, so nothing has to be known about a type to redact it, and types that
nobody knows are redacted whole. Three things need care: raw JSON of arguments, texts that
a stream keeps in pieces (a word may lie across several, and over several lines), and
numbers, which stay where the format means them and are replaced in free data.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dsh_calibrate.corpora.redaction.rewriting import Rewriter
from dsh_calibrate.javascript.json_text import Json
from dsh_calibrate.logs import decode

_RAW_JSON = frozenset({"arguments", "argumentsDelta"})
_FREE = frozenset({"arguments", "meta", "replayState", "metadata", "input", "details", "value"})
"""Fields below which numbers are data of a tool or a plugin."""

_TIMES = frozenset({"time", "time0", "createdAt", "childCreatedAt"})
_DELTAS = {"reasoning-delta": "text", "text-delta": "text", "tool-call-delta": "argumentsDelta"}
_ROWS = {"reasoning-chunks": "reasoning-delta", "text-chunks": "text-delta"}
_BORDERS = frozenset({"assistant", "step", "turn", "llm"})
"""Families of lines that end an attempt's chunks."""

Place = tuple[Any, Any]
"""A container and the key or index of one text in it."""


class LineRewriter:
    """Rewrites the lines of one log, in order; see :func:`rewrite_lines`."""

    def __init__(self, rewriter: Rewriter, shift_ms: int = 0) -> None:
        self._rewriter = rewriter
        self._shift = shift_ms
        self._open: dict[tuple[object, ...], list[Place]] = {}
        self._row_type = ""

    def line(self, line: dict[str, Any]) -> dict[str, Any]:
        """Rewrite one line; texts of an open stream are filled in when it ends."""
        kind = line.get("type")
        kind = kind if isinstance(kind, str) else ""
        is_row = kind in decode.ROWS
        is_piece = is_row or kind == "assistant/chunk"
        family = kind.partition("/")[0]
        if _begins_anew(line) if is_piece else family in _BORDERS:
            self.flush()
        self._row_type = kind if is_row else ""
        new = self._object(line, free=False, top=not decode.is_known(kind))
        if family == "assistant" and not is_piece:
            self.flush()
        return new

    def flush(self) -> None:
        """Rewrite the texts of streams whose end has been reached."""
        for key, places in self._open.items():
            joined = "".join(container[at] for container, at in places)
            rewrite = self._rewriter.text
            if key[0] == "tool-call-delta":
                rewrite = self._rewriter.json_text
            elif key[0] == "reasoning-delta":
                rewrite = self._rewriter.prose
            new, start = rewrite(joined), 0
            for container, at in places:
                end = start + len(container[at])
                container[at] = new[start:end]
                start = end
        self._open.clear()

    def _object(self, value: dict[str, Any], *, free: bool, top: bool = False) -> dict[str, Any]:
        delta = self._delta_of(value)
        row = self._row_of(value)
        new: dict[str, Any] = {}
        for key, below in value.items():
            inside = free or key in _FREE or (top and key == "data")
            if key in _TIMES and not free:
                new[key] = self._time(below)
            elif key == "statusCode":
                new[key] = below
            elif key in _RAW_JSON and isinstance(below, str) and key != delta:
                new[key] = self._rewriter.json_text(below)
            elif key == "text" and value.get("type") == "reasoning" and isinstance(below, str):
                new[key] = self._rewriter.prose(below)
            elif key == delta:
                new[key] = below  # filled in by flush
            elif key in ("texts", "args") and row and _is_texts(below):
                new[key] = list(below)
            else:
                new[self._rewriter.text(key)] = self._value(below, free=inside)
        self._note_deltas(value, new, delta, row)
        return new

    def _value(self, value: Json, *, free: bool) -> Json:
        if isinstance(value, str):
            return self._rewriter.text(value)
        if isinstance(value, dict):
            return self._object(value, free=free)
        if isinstance(value, list):
            return [self._value(item, free=free) for item in value]
        if free and isinstance(value, int | float) and not isinstance(value, bool):
            return self._number(value)
        return value

    def _number(self, value: int | float) -> int | float:
        text = repr(value)
        new = self._rewriter.text(text)
        if new == text:
            return value
        return int(new) if isinstance(value, int) else float(new)

    def _time(self, value: Json) -> Json:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return self._value(value, free=False)
        return value + self._shift

    @staticmethod
    def _delta_of(value: dict[str, Any]) -> str | None:
        kind = value.get("type")
        field = _DELTAS.get(kind) if isinstance(kind, str) else None
        return field if field and isinstance(value.get(field), str) else None

    @staticmethod
    def _row_of(value: dict[str, Any]) -> bool:
        lists = value.get("texts"), value.get("args")
        return isinstance(value.get("dt"), list) and any(map(_is_texts, lists))

    def _note_deltas(
        self, old: dict[str, Any], new: dict[str, Any], delta: str | None, is_row: bool
    ) -> None:
        """Remember where the pieces of a stream stand in the new line."""
        if delta is not None:
            key = (old["type"], old.get("index"), old.get("id"))
            self._open.setdefault(key, []).append((new, delta))
        elif is_row:
            name = "texts" if _is_texts(old.get("texts")) else "args"
            kind = "tool-call-delta" if name == "args" or "id" in old else "text"
            if kind == "text":
                kind = self._row_kind(old)
            key = (kind, old.get("index"), old.get("id"))
            places = self._open.setdefault(key, [])
            places += [(new[name], at) for at in range(len(new[name]))]

    def _row_kind(self, old: dict[str, Any]) -> str:
        kind = old.get("type") or self._row_type
        return _ROWS.get(kind, "text-delta") if isinstance(kind, str) else "text-delta"


def _begins_anew(line: dict[str, Any]) -> bool:
    """Whether a chunk line opens a block or ends an attempt."""
    data = line.get("data")
    chunk = data.get("chunk") if isinstance(data, dict) else None
    return isinstance(chunk, dict) and chunk.get("type") in ("block-start", "finish")


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def rewrite_lines(
    lines: Iterable[dict[str, Any]], rewriter: Rewriter, shift_ms: int = 0
) -> list[dict[str, Any]]:
    """Rewrite a whole log; the lines given are not changed."""
    work = LineRewriter(rewriter, shift_ms)
    new = [work.line(line) for line in lines]
    work.flush()
    return new
