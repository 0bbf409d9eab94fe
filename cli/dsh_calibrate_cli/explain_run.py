"""What ``explain`` does once its options are known."""

from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import Path

from dsh_calibrate.errors import UsageError
from dsh_calibrate.logs.coverage import merge
from dsh_calibrate.logs.discovery import Log, discover
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.settings import Settings
from dsh_calibrate.studies.explaining import Explanation, Selector, explain, find
from dsh_calibrate.studies.explaining_json import (
    TIMELINE_COLUMNS,
    explanation_json,
    explanation_rows,
    timeline_rows,
)
from dsh_calibrate.studies.timeline import Timeline, only, timeline
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.console import busy, printable, rendered, warn
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.content_view import view_for
from dsh_calibrate_cli.corpus_run import dsh_home
from dsh_calibrate_cli.explain_options import explain_options
from dsh_calibrate_cli.explain_text import print_explanation
from dsh_calibrate_cli.place_arguments import place_argument
from dsh_calibrate_cli.plans import plan_for
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.row_tables import csv_bytes, parquet_bytes
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings
from dsh_calibrate_cli.timeline_text import print_timeline

_NAMED = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """The session as typed, where ids are looked up, the place in it, turns of a timeline."""

    session: str
    root: Path | None
    selector: Selector
    turns: tuple[int, ...]


def run_explain(
    asked: Asked,
    settings_options: SettingsOptions,
    how: ReplayOptions,
    content: ContentOptions,
    output: OutputOptions,
    *,
    salvage: bool,
    quiet: bool,
) -> None:
    """Find the log, replay it, deliver the timeline or the explanation."""
    is_path = _is_place(asked.session) or asked.root is not None
    settings = resolve_settings(settings_options, has_paths=is_path, quiet=quiet)
    plan = plan_for(settings, how, salvage=salvage)
    with busy("looking for the session", quiet=quiet):
        log = find_log(asked.session, asked.root)
    options = explain_options(settings_options, has_paths=is_path, how=how, salvage=salvage)
    with busy(f"reading {log.size / 1_000_000:,.1f} MB of {printable(log.key)}", quiet=quiet):
        found = timeline(log, plan)
    if found.coverage.status not in ("read", "no_calls"):
        where = f" at {found.coverage.where}" if found.coverage.where else ""
        warn(f"{printable(log.key)}: {found.coverage.status}{where}: {found.coverage.reason}")
    if asked.selector.is_empty:
        _deliver_timeline(found, settings, plan, asked, content, output, options)
    else:
        place = find(found, asked.selector, settings.selected)
        if place.kind == "stream" and plan.rlg is None:
            raise UsageError("this is reasoning, and rlg is not replayed: select it with --guard")
        if place.kind == "call" and plan.guards == ("rlg",):
            raise UsageError("this is a call, which rlg does not look at: leave --guard out")
        _deliver_explanation(
            found, explain(found, place, plan), settings, plan, content, output, options
        )


def _deliver_timeline(
    found: Timeline,
    settings: Settings,
    plan: Plan,
    asked: Asked,
    content: ContentOptions,
    output: OutputOptions,
    options: str,
) -> None:
    entries = only(found, plan.guards, asked.turns)
    rows = timeline_rows(entries, view_for(content, for_people=False))
    view = view_for(content, for_people=True)
    deliver(
        output,
        {
            "text": lambda: rendered(lambda c: print_timeline(c, found, entries, view, options)),
            "json": lambda: json_bytes({**_head(found, settings), "timeline": rows}),
            "csv": lambda: csv_bytes(rows, TIMELINE_COLUMNS),
            "parquet": lambda: parquet_bytes(rows, TIMELINE_COLUMNS),
        },
    )


def _deliver_explanation(
    found: Timeline,
    explained: Explanation,
    settings: Settings,
    plan: Plan,
    content: ContentOptions,
    output: OutputOptions,
    options: str,
) -> None:
    full, view = view_for(content, for_people=False), view_for(content, for_people=True)
    columns, rows = explanation_rows(explained, full)
    deliver(
        output,
        {
            "text": lambda: rendered(
                lambda console: print_explanation(console, found, explained, plan, view, options)
            ),
            "json": lambda: json_bytes(
                {**_head(found, settings), "explained": explanation_json(explained, plan, full)}
            ),
            "csv": lambda: csv_bytes(rows, columns),
            "parquet": lambda: parquet_bytes(rows, columns),
        },
    )


def _head(found: Timeline, settings: Settings) -> dict[str, object]:
    head = envelope(
        plugin_versions=settings.plugin_versions,
        config=settings.as_json(),
        corpus_digest=corpus_digest([(found.log.key, found.digest)]),
        coverage=merge([found.coverage]).as_json(),
    )
    session = found.header.session if found.header is not None else None
    return {**head, "log": found.log.key, "session": session}


def find_log(name: str, root: Path | None) -> Log:
    """The one log that ``name`` means: a path, or an id, key or glob below ``root``.

    Raises :class:`UsageError` when there is none, or several: those are named then.
    """
    path = place_argument(name)
    if root is None and _is_place(name):
        found = discover([path])
        if found.not_logs:
            raise UsageError(found.not_logs[0])
        logs = list(found.logs)
        below = path
    else:
        below = root or dsh_home() / "sessions"
        if not below.is_dir():
            raise UsageError(
                f"{printable(name)}: no such file, and no folder {below} to look the session up "
                "in; name it with --root"
            )
        glob = name.replace("…", "*")
        logs = [log for log in discover([below]).logs if _is_meant(log, glob)]
    if not logs:
        raise UsageError(f"{printable(name)}: no such session below {below}")
    if len(logs) > 1:
        named = ", ".join(
            f"{log.key} ({log.header.session})" if log.header is not None else log.key
            for log in logs[:_NAMED]
        )
        more = f" and {len(logs) - _NAMED} more" if len(logs) > _NAMED else ""
        raise UsageError(f"{printable(name)}: {len(logs)} logs are meant: {named}{more}; name one")
    return logs[0]


def _is_place(name: str) -> bool:
    """Whether a name is an address, or a path where something lies."""
    return not isinstance(place_argument(name), Path) or Path(name).exists()


def _is_meant(log: Log, glob: str) -> bool:
    names = [log.key, log.path.parent.name]
    if log.header is not None:
        names.append(log.header.session)
    return any(glob == name or fnmatch.fnmatchcase(name, glob) for name in names)
