"""What ``corpus init``, ``add`` and ``verify`` do once their options are known."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import typer

from dsh_calibrate.corpora.admission import Admitted, admit, take
from dsh_calibrate.corpora.manifest import LABELS, MANIFEST, Manifest, read_manifest
from dsh_calibrate.corpora.manifest_writing import render_manifest, save_text, with_logs
from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT
from dsh_calibrate.logs.discovery import Discovery, discover
from dsh_calibrate.studies.check import check_plan, corpus_settings
from dsh_calibrate.studies.check_files import verify_corpus
from dsh_calibrate.whole_files import write_whole
from dsh_calibrate.wording import counted
from dsh_calibrate_cli.console import note, printable, warn, write_stdout
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import dsh_home, find_logs
from dsh_calibrate_cli.selection_options import SelectionOptions

_LABELS = "# Labels of this corpus (dsh-calibrate corpus label). Globs: log keys, session ids.\n"


@dataclass(frozen=True, slots=True)
class InitRequest:
    """The options of ``corpus init``."""

    corpus: Path = Path()
    config: Path | None = None
    plugin_versions: tuple[str, ...] = ()
    min_coverage: float | None = None
    provenance: str = ""
    licence: str = ""
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class AddRequest:
    """The options of ``corpus add``, beside PATH and the selection."""

    corpus: Path = Path()
    as_is: bool = False
    allow_related: bool = False
    provenance: str = ""
    licence: str = ""
    quiet: bool = False


def run_init(request: InitRequest) -> None:
    """Write ``corpus.toml``, and what it needs beside it."""
    folder = request.corpus
    _refuse_recordings(folder)
    if (folder / MANIFEST).exists():
        raise UsageError(f"{folder / MANIFEST} exists: this folder is a corpus already")
    versions = _versions(request.plugin_versions)
    config = request.config
    if config is not None and not config.is_file():
        raise UsageError(f"--config {config}: no such file")
    where = Path() if config is None else config.parent
    # Settings that are refused leave nothing behind.
    named = None if config is None else config.name
    corpus_settings(where, Manifest(config=named, plugin_versions=versions))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise UsageError(f"{folder}: cannot be made ({wrong.strerror})") from None
    share = request.min_coverage
    manifest = Manifest(
        config=None if config is None else _config(folder, config),
        plugin_versions=versions,
        min_coverage=share * 100 if share is not None and share <= 1 else share,
        provenance=request.provenance,
        licence=request.licence,
    )
    save_text(folder / MANIFEST, render_manifest(manifest))
    if not (folder / LABELS).exists():
        save_text(folder / LABELS, _LABELS)
    note(
        f"{folder / MANIFEST} written; next: dsh-calibrate corpus add PATH… --corpus {folder}",
        quiet=request.quiet,
    )


def run_add(request: AddRequest, paths: Sequence[Path], selection: SelectionOptions) -> None:
    """Decide about the logs named, copy and list those that join."""
    folder = request.corpus
    manifest = read_manifest(folder)
    _refuse_recordings(folder)
    chosen = {f.name: getattr(selection, f.name) for f in fields(selection)}
    found = find_logs(CorpusOptions(**chosen, paths=list(paths), quiet=request.quiet))
    admitted, refused = admit(folder, manifest, found, related=request.allow_related)
    for member in refused:
        warn(f"{member.key}: refused: {member.reason}")
    if not admitted:
        raise UsageError(
            f"{folder}: none of the {counted(len(refused), 'file')} joins; see the warnings"
        )
    with tempfile.TemporaryDirectory(prefix="dsh-calibrate-") as made:
        if not request.as_is:
            admitted = _redacted(folder, manifest, admitted, Path(made) / "redacted")
        listed = take(folder, admitted, provenance=request.provenance, licence=request.licence)
    path = folder / MANIFEST
    save_text(path, with_logs(path.read_text(encoding="utf-8"), listed, str(path)))
    write_stdout("".join(f"{printable(log.path)}\n" for log in listed))
    note(
        f"{counted(len(listed), 'log')} joined, {_met(found) - len(listed)} did not; next: label "
        "them, then "
        f"dsh-calibrate check {folder} --update",
        quiet=request.quiet,
    )


def _redacted(
    folder: Path, manifest: Manifest, admitted: Sequence[Admitted], out: Path
) -> list[Admitted]:
    """The redacted copies of logs, to join in their stead; a log that cannot be is named.

    A copy must agree with its original under the settings of the corpus too.
    """
    from dsh_calibrate.corpora.redaction.corpus import redact_corpus

    inside = [member.path for member in admitted if member.inside]
    if inside:
        raise UsageError(
            f"{inside[0]} lies in the corpus already, where nothing is redacted: list it with "
            "--as-is, or move it elsewhere and add it from there"
        )
    plan = check_plan(corpus_settings(folder, manifest))
    report = redact_corpus([m.log for m in admitted], out, plans={"corpus": plan})
    for log in report.logs:
        if log.path is None:
            warn(f"{log.log}: not redacted and left out: {log.why}")
    if not report.written:
        raise UsageError(f"{folder}: none of the {counted(len(admitted), 'log')} could be redacted")
    copies, refused = admit(folder, manifest, discover([out]), related=True)
    for member in refused:
        warn(f"{member.key}: refused once redacted: {member.reason}")
    return copies


def run_verify(folder: Path) -> None:
    """Print what is wrong with a corpus; exit 2 when something is."""
    seen = verify_corpus(folder)
    for remark in seen.remarks:
        warn(remark)
    lines = [f"problem: {text}" for text in seen.problems]
    decisions = "no baseline" if seen.decisions is None else counted(seen.decisions, "decision")
    state = f"{len(seen.problems)} problems" if seen.problems else "sound"
    lines.append(
        f"{folder}: {state}; {counted(seen.logs, 'log')}, {seen.labelled} labelled, {decisions}"
    )
    write_stdout("".join(f"{printable(line)}\n" for line in lines))
    if seen.problems:
        raise typer.Exit(2)


def _met(found: Discovery) -> int:
    """How many files were met that are, or look like, logs."""
    parts = (found.logs, found.superseded, found.duplicates, found.ignored)
    return sum(map(len, parts))


def _refuse_recordings(folder: Path) -> None:
    """Nothing is ever written where sessions are recorded."""
    recorded = (dsh_home() / "sessions").resolve()
    here = folder.resolve()
    if here == recorded or recorded in here.parents:
        raise UsageError(f"{folder} lies where sessions are recorded: choose another folder")


def _versions(texts: Sequence[str]) -> dict[str, str]:
    """The versions named; what is not named is fixed to what this version would take."""
    found = {"rtb": DEFAULT}
    for text in texts:
        guard, sign, version = text.partition("=")
        if not sign or not version:
            raise UsageError(f"--plugin-version {text}: expected GUARD=VERSION, as rtb=0.8")
        found[guard] = version
    return found


def _config(folder: Path, config: Path) -> str:
    """The settings file as the manifest names it; copied when it lies outside."""
    whole, home = config.resolve(), folder.resolve()
    if whole.is_relative_to(home):
        return whole.relative_to(home).as_posix()
    target = folder / config.name
    if target.exists():
        raise UsageError(f"{target} exists: rename one of the two, or name the one in there")
    try:
        write_whole(target, config.read_bytes())
    except OSError as wrong:
        raise UsageError(f"{target}: cannot be written ({wrong.strerror})") from None
    return os.fspath(target.relative_to(folder))
