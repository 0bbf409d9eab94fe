"""Asks for one label after the other; every answer is in the file before the next question."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence

from dsh_calibrate.corpora.globs import quoted
from dsh_calibrate.corpora.label_reading import entry_of
from dsh_calibrate.logs.discovery import Discovery
from dsh_calibrate.studies.label_queue import QueueItem, nearest_text
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import note, printable
from dsh_calibrate_cli.labels_file import LabelsFile

_ANSWERS = {
    "s": "stuck",
    "stuck": "stuck",
    "h": "healthy",
    "healthy": "healthy",
    "u": "undecided",
    "undecided": "undecided",
}
_SKIP = ("", "k", "skip")
_QUIT = ("q", "quit", "exit")
_QUESTION = "s stuck, h healthy, u undecided, Enter skip, q quit: "


def walk(
    waiting: Sequence[QueueItem],
    file: LabelsFile,
    found: Discovery,
    *,
    split: str | None = None,
    remark: str = "",
    ask: Callable[[str], str | None] | None = None,
) -> int:
    """Ask about each log and write every answer at once; return how many were given.

    ``ask`` shows a question and returns the answer, ``None`` when there is no more input;
    by default stderr and stdin. A log is labelled by its key, spelled out.
    """
    ask = ask or _ask
    if not waiting:
        note("every log that a guard looks at has a label")
        return 0
    given = 0
    for position, item in enumerate(waiting, 1):
        _show(item, position, len(waiting))
        answer = _answer(ask)
        if answer is None:
            break
        if answer == "skip":
            continue
        row = {"log": quoted(item.log), "outcome": answer}
        if split is not None:
            row["split"] = split
        if remark:
            row["note"] = remark
        file.add([entry_of(row, f"{file.path}: new label")], found)
        given += 1
    note(f"{file.path}: labels written: {given}; logs still without one: {len(waiting) - given}")
    return given


def _show(item: QueueItem, position: int, of: int) -> None:
    note("")
    note(f"[{position}/{of}] {item.log}")
    note(
        f"  {counted(item.calls, 'call')}, {counted(item.turns, 'turn')}, "
        f"{counted(item.streams, 'attempt that reasons', 'attempts that reason')}"
    )
    note(f"  nearest its threshold: {nearest_text(item.nearest)}")
    for hint in item.hints:
        note(f"  {hint}")
    note(f"  look closer: dsh-calibrate replay {shlex.quote(item.path)}")


def _answer(ask: Callable[[str], str | None]) -> str | None:
    """An outcome, ``skip``, or ``None`` to stop."""
    while True:
        typed = ask(_QUESTION)
        if typed is None or typed.strip().lower() in _QUIT:
            return None
        word = typed.strip().lower()
        if word in _SKIP:
            return "skip"
        if word in _ANSWERS:
            return _ANSWERS[word]
        note(f"  {printable(word)[:40]}: not an answer")


def _ask(question: str) -> str | None:
    print(question, end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    if line:
        return line
    print(file=sys.stderr)
    return None
