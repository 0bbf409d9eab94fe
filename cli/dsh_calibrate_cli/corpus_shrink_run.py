"""What ``corpus shrink`` does once its options are known."""

from __future__ import annotations

import shlex
from pathlib import Path

from dsh_calibrate.corpora.shrinking.shrink import shrink
from dsh_calibrate.corpora.shrinking.target import parse_target
from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.discovery import Log, discover
from dsh_calibrate.replay.decision import Decision
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import note, printable, write_stdout, write_whole
from dsh_calibrate_cli.plans import plan_for
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings


def run_shrink(
    path: Path,
    settings_options: SettingsOptions,
    how: ReplayOptions,
    keep: str,
    out: Path,
    *,
    quiet: bool,
) -> None:
    """Shrink one log, write it and say where the decision is now."""
    target = parse_target(keep)
    encoding = _encoding(out)
    settings = resolve_settings(settings_options, has_paths=True, quiet=quiet)
    log = _one_log(path)
    if out.exists() and out.resolve() == log.path.resolve():
        raise UsageError(f"{out}: is the log itself; name another file")
    made = shrink(log, plan_for(settings, how, salvage=False), target, encoding=encoding)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, made.data)
    after = made.after
    write_stdout(
        f"{printable(str(out))}: {counted(made.lines_after, 'line')} of {made.lines_before}, "
        f"{after.guard} {after.verdict} {printable(after.stage)} at {_place(after)}\n"
    )
    note(f"{made.trials} replays; next: dsh-calibrate replay {shlex.quote(str(out))}", quiet=quiet)


def _encoding(out: Path) -> str:
    if out.name.endswith((".jsonl.zstd", ".jsonl.zst")):
        return "zstd"
    if out.name.endswith(".jsonl"):
        return "plain"
    raise UsageError(f"-o {out}: a log is named *.jsonl or *.jsonl.zstd")


def _one_log(path: Path) -> Log:
    found = discover([path])
    if found.not_logs:
        raise UsageError(found.not_logs[0])
    if len(found.logs) != 1:
        raise UsageError(f"{path}: {counted(len(found.logs), 'log')} in there; name one log")
    return found.logs[0]


def _place(decision: Decision) -> str:
    if decision.call is None:
        return f"stream {decision.stream} (seq {decision.seq})"
    return f"call {decision.call} (seq {decision.seq})"
