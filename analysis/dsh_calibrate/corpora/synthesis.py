"""Write the logs of scenario files and the labels that they declare (``corpus synth``).

``OUT/sessions/<root>/--slug--/<session>/session….jsonl[.zstd]``, one root per version and
encoding (``v0-plain``, ``v4-zstd``), ``generations`` for scenarios with several generations;
``OUT/labels.toml``. The same scenarios give the same bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dsh_calibrate.corpora.damage import damaged_log
from dsh_calibrate.corpora.dialects import check_version
from dsh_calibrate.corpora.lines import batches
from dsh_calibrate.corpora.scenarios import Scenario, load_scenario
from dsh_calibrate.corpora.sessions import Session
from dsh_calibrate.corpora.writer import ENCODINGS, log_path
from dsh_calibrate.errors import UsageError
from dsh_calibrate.whole_files import write_whole

MARKER = "# Written by dsh-calibrate corpus synth"
"""First line of the labels file: a folder that has it may be written again."""


def synthesise(
    scenario_files: Iterable[Path],
    out_dir: Path,
    versions: Sequence[int] | None = None,
    encodings: Sequence[str] | None = None,
) -> list[Path]:
    """Write all logs of ``scenario_files`` under ``out_dir`` and return their paths, sorted.

    ``versions`` and ``encodings`` replace what the files say (scenarios with generations
    keep theirs). The labels file is the last of the list. Raises :class:`UsageError` when
    ``out_dir`` holds something that was not written here, or two scenarios share a name.
    """
    scenarios = [load_scenario(path) for path in scenario_files]
    if not scenarios:
        raise UsageError("no scenario files: name at least one *.toml")
    _refuse_shared_names(scenarios)
    for version in versions or ():
        check_version(version)
    for encoding in encodings or ():
        if encoding not in ENCODINGS:
            raise UsageError(f"encoding {encoding!r} cannot be written: use plain or zstd")
    _refuse_foreign(out_dir, scenarios)
    files: dict[Path, bytes] = {}
    for scenario in scenarios:
        files |= _logs(scenario, out_dir / "sessions", versions, encodings)
    for path, data in sorted(files.items()):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    labels = out_dir / "labels.toml"
    labels.parent.mkdir(parents=True, exist_ok=True)
    write_whole(labels, labels_text([row for s in scenarios for row in s.labels]).encode("utf-8"))
    return [*sorted(files), labels]


def _logs(
    scenario: Scenario,
    root: Path,
    versions: Sequence[int] | None,
    encodings: Sequence[str] | None,
) -> dict[Path, bytes]:
    made: dict[Path, bytes] = {}

    def add(folder: str, sessions: Sequence[Session], version: int, encoding: str) -> None:
        for session in sessions:
            damages = scenario.damages if session is sessions[0] else ()
            groups = batches(session, version, scenario.options)
            path = log_path(root / folder, session, version, encoding)
            try:
                made[path] = damaged_log(groups, encoding, damages)
            except UsageError as wrong:
                raise UsageError(f"{scenario.path.name}: {wrong}") from None

    for generation in scenario.generations:
        add("generations", generation.sessions, generation.version, generation.encoding)
    if not scenario.generations:
        for version, encoding in _chosen(scenario, versions, encodings):
            add(f"v{version}-{encoding}", scenario.sessions, version, encoding)
    return made


def _chosen(
    scenario: Scenario, versions: Sequence[int] | None, encodings: Sequence[str] | None
) -> list[tuple[int, str]]:
    """Return the formats to write: the scenario's, unless the caller wants others."""
    if not versions and not encodings:
        return list(scenario.formats)
    own_versions = sorted({version for version, _ in scenario.formats})
    own_encodings = sorted({encoding for _, encoding in scenario.formats})
    return [(v, e) for v in versions or own_versions for e in encodings or own_encodings]


def _refuse_shared_names(scenarios: Sequence[Scenario]) -> None:
    seen: dict[str, Path] = {}
    for scenario in scenarios:
        for session in scenario.sessions:
            other = seen.setdefault(session.id, scenario.path)
            if other is not scenario.path:
                raise UsageError(
                    f"{scenario.path.name} and {other.name} both make session {session.id!r}: "
                    "give one of them another name"
                )


def _refuse_foreign(out_dir: Path, scenarios: Sequence[Scenario]) -> None:
    """Stop before anything is written into a sessions root or somebody's folder."""
    home = Path(os.environ.get("DSH_HOME") or Path.home() / ".dsh").resolve()
    here = out_dir.resolve()
    if here == home or home / "sessions" in (here, *here.parents):
        raise UsageError(f"{out_dir} is where recorded sessions live: choose another folder")
    if not out_dir.exists():
        return
    if not out_dir.is_dir():
        raise UsageError(f"{out_dir} is a file: choose a folder")
    labels = out_dir / "labels.toml"
    if labels.is_file() and labels.read_bytes().startswith(MARKER.encode()):
        return
    # A corpus folder holds its scenarios directly, or one folder below.
    if all(here in scenario.path.resolve().parents[:2] for scenario in scenarios):
        return
    if any(out_dir.iterdir()):
        raise UsageError(f"{out_dir} is not empty and was not written here: choose a new folder")


def labels_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a labels.toml of these rows (contract.md 6)."""
    lines = [MARKER]
    for row in rows:
        lines += ["", "[[label]]"]
        lines += [f"{key} = {_toml(value)}" for key, value in row.items() if key != "at"]
        for point in row.get("at", ()):
            lines += ["[[label.at]]", *(f"{key} = {_toml(value)}" for key, value in point.items())]
    return "\n".join(lines) + "\n"


def _toml(value: str | int) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
