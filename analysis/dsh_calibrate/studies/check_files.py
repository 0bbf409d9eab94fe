"""``corpus verify``: everything that is wrong with the files of a corpus, without replaying it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from dsh_calibrate.corpora.baseline_file import read_baseline
from dsh_calibrate.corpora.expectations import find_spots, judge
from dsh_calibrate.corpora.manifest import BASELINE, MANIFEST, read_manifest
from dsh_calibrate.corpora.manifest_logs import corpus_logs
from dsh_calibrate.errors import CalibrateError
from dsh_calibrate.replay.envelope import corpus_digest
from dsh_calibrate.studies.check import corpus_labels, corpus_settings


@dataclass(slots=True)
class Verification:
    """``problems`` make ``check`` fail with exit code 2; ``remarks`` do not."""

    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    logs: int = 0
    labelled: int = 0
    decisions: int | None = None


def verify_corpus(folder: Path) -> Verification:
    """Look at all files of a corpus. Raises nothing: a bad manifest is a problem too."""
    seen = Verification()
    try:
        manifest = read_manifest(folder)
    except CalibrateError as wrong:
        seen.problems.append(str(wrong))
        return seen
    _noted(seen, lambda: corpus_settings(folder, manifest))
    logs = corpus_logs(folder, manifest)
    seen.problems += logs.problems
    seen.logs = len(logs.logs)
    if not manifest.logs:
        seen.problems.append(
            f"{folder / MANIFEST}: lists no log: add some with `dsh-calibrate corpus add`"
        )
    seen.remarks += [f"{key}: lies in the corpus and is not listed" for key in logs.unlisted]

    def labels() -> None:
        known = corpus_labels(folder, logs.logs)
        seen.labelled = len(known.by_log)
        pointed = {key for key, label in known.by_log.items() if label.points}
        judge(known, (), {g.key: find_spots(g) for g in logs.logs if g.key in pointed}, ())

    # Labels of a log that is missing would match nothing; the missing log is named already.
    if not logs.problems:
        _noted(seen, labels)
    if not (folder / BASELINE).exists():
        seen.remarks.append(f"{folder / BASELINE}: no baseline yet: `check --update` writes it")
        return seen

    def baseline() -> None:
        agreed = read_baseline(folder / BASELINE)
        seen.decisions = len(agreed.rows)
        if agreed.corpus != corpus_digest((entry.path, entry.digest) for entry in manifest.logs):
            seen.remarks.append(f"{folder / BASELINE}: was written for another set of logs")

    _noted(seen, baseline)
    return seen


def _noted(seen: Verification, look: Callable[[], object]) -> None:
    try:
        look()
    except CalibrateError as wrong:
        seen.problems.append(str(wrong))
