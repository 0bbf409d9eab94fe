"""Redacts a corpus: words gathered, logs rewritten, proved, searched, then written.

Nothing is written of a log before its copy has been proved and searched. The key lives as
long as the call.
"""

from __future__ import annotations

import contextlib
import re
import secrets
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from dsh_calibrate.corpora.folders import project_folder, session_folder
from dsh_calibrate.corpora.redaction import leak_check
from dsh_calibrate.corpora.redaction.agreement import disagreement
from dsh_calibrate.corpora.redaction.leak_check import LeakReport
from dsh_calibrate.corpora.redaction.log_lines import rewrite_lines
from dsh_calibrate.corpora.redaction.pseudonyms import Pseudonyms
from dsh_calibrate.corpora.redaction.rewriting import Collector, Rewriter
from dsh_calibrate.corpora.redaction.settings_rows import Rows, plan_of, rewritten_rows
from dsh_calibrate.corpora.redaction.spread import spread
from dsh_calibrate.corpora.redaction.stored_lines import NotCopied, load_lines, to_bytes
from dsh_calibrate.corpora.redaction.summaries import fingerprint_pairs, repoint
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker.config import Config
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT, PROFILES
from dsh_calibrate.logs.discovery import Log
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.whole_files import write_whole
from dsh_calibrate.wording import counted

_CANONICAL = re.compile(r"session(?:\.v[1-9][0-9]*)?\.jsonl(?:\.zstd)?")
_SUFFIX = re.compile(r"\.jsonl(?:\.zstd?)?\Z")
_YEAR_MS = 365 * 24 * 3600 * 1000
KEY_BYTES = 32

IN_FORCE = "settings in force"
"""Name of the plan made of the caller's own settings."""


@dataclass(frozen=True, slots=True)
class LogReport:
    """What became of one log.

    ``path`` is where it was written below the output folder, ``None`` when it was not;
    ``why`` says why not, ``cut`` where it was cut short.
    """

    log: str
    path: str | None
    why: str | None = None
    cut: str | None = None
    lines: int = 0
    leaks: LeakReport | None = None


@dataclass(frozen=True, slots=True)
class RedactionReport:
    """What became of a corpus.

    ``settings`` are the names of the plans under which every written log agrees, ``words``
    is how many words the corpus has, ``rows`` the settings to replay the copies with.
    """

    logs: tuple[LogReport, ...]
    settings: tuple[str, ...]
    words: int
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def written(self) -> int:
        """How many logs were written."""
        return sum(log.path is not None for log in self.logs)


def redact_corpus(
    logs: Sequence[Log],
    out: Path,
    *,
    key: bytes | None = None,
    shift_times: bool = False,
    rows: Rows | None = None,
    profile: str = DEFAULT,
    plans: Mapping[str, Plan] | None = None,
    on_done: Callable[[Log], None] | None = None,
) -> RedactionReport:
    """Write the redacted copy of every log that agrees with its original below ``out``.

    ``key`` (for tests) makes the pseudonyms repeatable; without it they are drawn anew.
    ``shift_times`` moves all times of the corpus by one secret span of up to three years.
    ``rows`` are settings to try in addition to the spread (under ``profile``); names in them
    are rewritten too. ``plans`` are tried as they are, on both sides. ``on_done`` is called
    twice a log: when its words have been gathered and when it is finished. Raises
    :class:`UsageError` when ``out`` holds anything already.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: there is something already; name a folder that is new or empty")
    key = key or secrets.token_bytes(KEY_BYTES)
    words = _vocabulary(logs, on_done)
    rewriter = Rewriter(Pseudonyms(key, words))
    new_rows = rewritten_rows(rows or {}, rewriter)
    tried, changed = {**spread(), **(plans or {})}, {}
    if any(new_rows.values()):
        tried = {**tried, IN_FORCE: plan_of(rows or {}, PROFILES[profile])}
        changed = {IN_FORCE: plan_of(new_rows, PROFILES[profile])}
    work = _Work(rewriter, _shift(key) if shift_times else 0, tried, changed)
    reports: list[LogReport] = []
    taken: set[str] = set()
    with tempfile.TemporaryDirectory(prefix="dsh-calibrate-") as folder:
        for log in logs:
            reports.append(work.log(log, out, Path(folder), taken))
            if on_done:
                on_done(log)
    return RedactionReport(tuple(reports), tuple(tried), len(words), new_rows)


def _vocabulary(logs: Sequence[Log], on_done: Callable[[Log], None] | None) -> frozenset[str]:
    collector = Collector()
    for log in logs:
        with contextlib.suppress(NotCopied):  # said when its turn comes
            rewrite_lines(load_lines(log.path).lines, collector)
        collector.text(log.key)
        if on_done:
            on_done(log)
    return frozenset(collector.words)


def _shift(key: bytes) -> int:
    """A span between one and three years into the past, in whole milliseconds."""
    draw = Pseudonyms(key).draw("times", "")
    return -(_YEAR_MS + (next(draw) << 32 | next(draw) << 16 | next(draw)) % (2 * _YEAR_MS))


@dataclass(frozen=True, slots=True)
class _Work:
    rewriter: Rewriter
    shift_ms: int
    plans: Mapping[str, Plan]
    changed: Mapping[str, Plan]

    def log(self, log: Log, out: Path, folder: Path, taken: set[str]) -> LogReport:
        """Redact, prove, search and write one log."""
        try:
            stored = load_lines(log.path)
            new = rewrite_lines(stored.lines, self.rewriter, self.shift_ms)
            repoint(stored.lines, new, fingerprint_pairs(stored.lines, new, _configs(self.plans)))
            data = to_bytes(new, stored.encoding)
        except NotCopied as wrong:
            return LogReport(log.key, None, why=str(wrong))
        trial = folder / ("trial.jsonl.zstd" if stored.encoding == "zstd" else "trial.jsonl")
        trial.write_bytes(data)
        why = disagreement(log.path, trial, self.plans, self.changed)
        leaks = None
        if why is None:
            leaks = leak_check.check(
                load_lines(trial).lines,
                leak_check.words_of(stored.lines),
                leak_check.secrets_of(stored.lines),
            )
            if not leaks.is_clean:
                why = (
                    f"{counted(leaks.words, 'word')} and {counted(leaks.secrets, 'secret')} of it "
                    "would survive"
                )
        if why is not None:
            return LogReport(log.key, None, why=why, cut=stored.cut, leaks=leaks)
        key = self._key(log, stored.lines[0], new[0], taken)
        path = out / key
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
        return LogReport(log.key, key, cut=stored.cut, lines=len(new), leaks=leaks)

    def _key(
        self, log: Log, old: dict[str, object], new: dict[str, object], taken: set[str]
    ) -> str:
        """Where the copy goes: the same folders, all names replaced, no two alike."""
        known = {
            project_folder(_text(old.get("cwd"))): project_folder(_text(new.get("cwd"))),
            session_folder(str(old.get("id"))): session_folder(str(new.get("id"))),
        }
        parts = list(PurePosixPath(log.key).parts)
        names = [known.get(part) or self._name(part) for part in parts]
        key, number = "/".join(names), 2
        while key in taken:
            key, number = "/".join([f"{names[0]}-{number}", *names[1:]]), number + 1
        taken.add(key)
        return key

    def _name(self, part: str) -> str:
        if _CANONICAL.fullmatch(part):
            return part
        suffix = _SUFFIX.search(part)
        stem = part[: suffix.start()] if suffix else part
        return self.rewriter.text(stem) + (suffix[0] if suffix else "")


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _configs(plans: Mapping[str, Plan]) -> list[Config]:
    return [plan.rtb for plan in plans.values() if plan.rtb is not None]
