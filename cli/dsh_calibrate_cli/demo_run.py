"""What ``demo`` does: bundled scenarios, their logs, a replay, and what to try next."""

from __future__ import annotations

import shlex
import tempfile
from pathlib import Path

from dsh_calibrate.corpora.bundled import bundled_scenarios
from dsh_calibrate.corpora.synthesis import synthesise
from dsh_calibrate.errors import UsageError
from dsh_calibrate_cli.artefact import OutputOptions
from dsh_calibrate_cli.console import note
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions, FindingOptions
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.replay_run import run_replay
from dsh_calibrate_cli.settings_options import SettingsOptions

_NEXT = (
    ("what is in the corpus", "corpus stats {sessions}"),
    ("the same replay with a tighter cap", "replay {sessions} --set rtb.limits.exact=3"),
    ("the log that repeats itself, as data", "replay {sessions} --session 'loop-a' --format jsonl"),
    ("your own sessions", "replay"),
)


def run_demo(out: Path | None, *, quiet: bool) -> None:
    """Write the corpus under ``out`` (or a new temporary folder, which stays) and replay it.

    Every session is written once, as the newest harness would: the same session in several
    formats would count several times.
    """
    try:
        folder = out if out is not None else Path(tempfile.mkdtemp(prefix="dsh-calibrate-demo-"))
        written = synthesise(bundled_scenarios(), folder, versions=[4], encodings=["zstd"])
    except OSError as wrong:
        raise UsageError(f"cannot write the demo corpus: {wrong.strerror or wrong}") from wrong
    sessions = folder / "sessions"
    note(f"{len(written) - 1} made-up sessions written to {sessions}", quiet=quiet)
    run_replay(
        CorpusOptions(paths=[sessions], quiet=quiet),
        SettingsOptions(),
        ReplayOptions(),
        FindingOptions(),
        ContentOptions(),
        OutputOptions(),
        10,
    )
    note("", quiet=quiet)
    note("Try next:", quiet=quiet)
    for what, command in _NEXT:
        note(f"  # {what}", quiet=quiet)
        filled = command.format(sessions=shlex.quote(str(sessions)))
        note(f"  dsh-calibrate {filled}", quiet=quiet)
