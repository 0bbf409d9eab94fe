"""Makes corpora in tests: two sessions that loop, one that does not, labelled and agreed."""

from __future__ import annotations

from pathlib import Path

from dsh_calibrate.corpora.admission import admit, take
from dsh_calibrate.corpora.baseline_file import render_baseline
from dsh_calibrate.corpora.manifest import Manifest
from dsh_calibrate.corpora.manifest_writing import render_manifest
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import write_session
from dsh_calibrate.logs.discovery import discover
from dsh_calibrate.studies.check import check_loaded, load_corpus

LABELS = """
[[label]]
session = "loop"
outcome = "stuck"
[[label.at]]
guard = "rtb"
call = 6
expect = "expect"
[[label.at]]
guard = "rtb"
call = 1
expect = "quiet"

[[label]]
session = "other-loop"
outcome = "stuck"
[[label.at]]
guard = "tfb"
call = 0
expect = "known-miss"
"""


def looping(name: str, command: str, calls: int = 12) -> Session:
    session = Session(name, cwd="/w")
    session.human("go")
    for _ in range(calls):
        session.call("bash", {"command": command}).result("nothing")
    return session


def make_corpus(folder: Path, labels: str = LABELS, manifest: Manifest | None = None) -> Path:
    """A corpus of three sessions with a baseline."""
    sessions = folder / "sessions"
    write_session(sessions, looping("loop", "ls -la part"))
    write_session(sessions, looping("other-loop", "cat notes.txt"), 0, "zstd")
    write_session(sessions, looping("short", "git status", 2))
    how = manifest or Manifest(plugin_versions={"rtb": "0.8"}, min_coverage=100.0)
    admitted, refused = admit(folder, how, discover([folder]))
    assert not refused
    listed = tuple(take(folder, admitted))
    text = render_manifest(Manifest(how.config, how.plugin_versions, how.min_coverage, logs=listed))
    (folder / "corpus.toml").write_text(text)
    (folder / "labels.toml").write_text(labels)
    agree(folder)
    return folder


def agree(folder: Path) -> None:
    """Write the baseline."""
    report = check_loaded(load_corpus(folder), None, 1)
    (folder / "baseline.jsonl").write_text(render_baseline(report.current))
