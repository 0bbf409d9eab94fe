"""Writes labels files: stable text, and changes that leave everything else as it stands.

A new label is appended; a label whose glob is spelled the same is changed on its own lines,
so that comments and order written by hand survive. The result is read again before it is
handed back: a file that cannot be changed this way is refused, never spoilt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from dsh_calibrate.corpora.label_reading import header_lines, parse_labels
from dsh_calibrate.corpora.labels import Entry, LabelError
from dsh_calibrate.whole_files import write_whole

_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"'}
_UNSAFE = re.compile(r'[\x00-\x1f\x7f"\\\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]')
_LONE = re.compile("[\ud800-\udfff]")


def render_entry(entry: Entry) -> str:
    """The text of one entry, ended by a newline: keys in the order of contract.md 6."""
    rows = ["[[label]]"]
    for key in ("log", "session", "outcome", "split", "note"):
        value = getattr(entry, key)
        if value:
            rows.append(f"{key} = {_quoted(value, entry)}")
    for point in entry.points:
        rows += [
            "",
            "[[label.at]]",
            f'guard = "{point.guard}"',
            f"lifecycle = {point.lifecycle}",
            f"{point.kind} = {point.ordinal}",
            f'expect = "{point.expect}"',
        ]
    return "\n".join(rows) + "\n"


def with_label(text: str, entry: Entry, name: str) -> str:
    """The labels file ``text`` with ``entry`` in it; ``name`` stands for the file.

    The first entry with the same ``log`` or ``session`` gets the outcome, and the split and
    note where the new entry has them; points that it lacks are appended as a second entry.
    Raises :class:`LabelError` when the text is no labels file or cannot be changed safely.
    """
    entries = parse_labels(text, name)
    same = [k for k, e in enumerate(entries) if (e.log, e.session) == (entry.log, entry.session)]
    if not same:
        return _appended(text, entry, entries, name)
    position, old = same[0], entries[same[0]]
    wanted = replace(
        old,
        outcome=entry.outcome,
        split=entry.split or old.split,
        note=entry.note or old.note,
    )
    changed = text
    for key in ("outcome", "split", "note"):
        if getattr(wanted, key) != getattr(old, key):
            changed = _set_key(changed, position, key, _quoted(getattr(wanted, key), entry))
    expected = [*entries[:position], wanted, *entries[position + 1 :]]
    _verify(changed, expected, name, old.place)
    fresh = tuple(p for p in entry.points if p not in old.points)
    if not fresh:
        return changed
    rest = replace(entry, points=fresh, note="", split=None)
    return _appended(changed, rest, expected, name)


def save_labels(path: Path, text: str) -> None:
    """Replace the file in one step, so that a crash leaves the old or the new one."""
    write_whole(path, text.encode("utf-8"))


def _appended(text: str, entry: Entry, entries: Iterable[Entry], name: str) -> str:
    gap = "" if not text else ("\n" if text.endswith("\n") else "\n\n")
    added = text + gap + render_entry(entry)
    _verify(added, [*entries, entry], name, name)
    return added


def _set_key(text: str, position: int, key: str, value: str) -> str:
    """Replace ``key = "…"`` in the entry's own lines, or put it behind the outcome's line."""
    starts = header_lines(text)
    if position >= len(starts):
        return text
    rows = text.split("\n")
    first = starts[position]
    line = re.compile(rf'([ \t]*{key}[ \t]*=[ \t]*)("(?:[^"\\]|\\.)*"|\'[^\']*\')(.*)', re.DOTALL)
    outcome = first
    for k in range(first, len(rows)):
        if rows[k].lstrip().startswith("["):
            break
        if found := line.fullmatch(rows[k]):
            rows[k] = f"{found[1]}{value}{found[3]}"
            return "\n".join(rows)
        if rows[k].lstrip().startswith("outcome"):
            outcome = k + 1
    ending = "\r" if rows[first - 1].endswith("\r") else ""
    rows.insert(outcome, f"{key} = {value}{ending}")
    return "\n".join(rows)


def _verify(text: str, expected: Iterable[Entry], name: str, place: str) -> None:
    try:
        if list(parse_labels(text, name)) == list(expected):
            return
    except LabelError:
        pass
    raise LabelError(f"{place}: cannot be changed without disturbing the file: edit it by hand")


def _quoted(value: str, entry: Entry) -> str:
    if _LONE.search(value):
        raise LabelError(
            f"{entry.log or entry.session!r}: is no UTF-8 and cannot be written: use ? in a glob"
        )
    return '"' + _UNSAFE.sub(_escaped, value) + '"'


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character == "\\":
        return "\\\\"
    return _ESCAPES.get(character) or f"\\u{ord(character):04x}"
