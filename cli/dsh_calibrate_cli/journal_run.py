"""What ``journal list``, ``stats`` and ``agree`` do once their options are known."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from datetime import datetime
from pathlib import Path

from dsh_calibrate.errors import UsageError
from dsh_calibrate.guards.reasoning_loop.verdict import RULES
from dsh_calibrate.logs.coverage import Coverage
from dsh_calibrate.logs.selection import moment
from dsh_calibrate.replay.envelope import corpus_digest, envelope, file_digest
from dsh_calibrate.replay.executors.cluster import Jobs
from dsh_calibrate.replay.plan import Plan
from dsh_calibrate.replay.settings import AUTO, Inputs, survey
from dsh_calibrate.studies.journal import Fire, Journal, read_journals
from dsh_calibrate.studies.journal_agreement import VERDICTS, agree
from dsh_calibrate.studies.journal_json import (
    AGREEMENT_COLUMNS,
    FIRE_COLUMNS,
    GROUP_COLUMNS,
    agreement_rows,
    fire_row,
    group_rows,
    journal_json,
)
from dsh_calibrate.studies.journal_stats import Filter, chosen, stats
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.commands.journal import JournalOptions
from dsh_calibrate_cli.console import note, rendered, warn
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.content_view import view_for
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    dsh_home,
    find_logs,
    progress,
    report_coverage,
)
from dsh_calibrate_cli.journal_text import print_agreement, print_fires, print_stats
from dsh_calibrate_cli.row_tables import csv_bytes, parquet_bytes
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings

DEFAULT = Path("dsh-reasoning-loop-guard") / "fires.jsonl"


def run_list(options: JournalOptions, content: ContentOptions, output: OutputOptions) -> None:
    """List the fires that were asked for."""
    journal, fires = _fires(options)
    rows = [fire_row(f, view_for(content, for_people=False), utc=options.utc) for f in fires]
    view = view_for(content, for_people=True)
    root = _root(journal)
    deliver(
        output,
        {
            "text": lambda: rendered(lambda c: print_fires(c, fires, view, root, utc=options.utc)),
            "json": lambda: json_bytes({**_head(journal), "fires": rows}),
            "csv": lambda: csv_bytes(rows, FIRE_COLUMNS),
            "parquet": lambda: parquet_bytes(rows, FIRE_COLUMNS),
        },
    )
    note(f"{len(fires)} of {len(journal.fires)} fires", quiet=options.quiet)


def run_stats(options: JournalOptions, output: OutputOptions) -> None:
    """Count the fires that were asked for."""
    journal, fires = _fires(options)
    found = stats(fires, utc=options.utc)
    rows = group_rows(found)
    document = {
        "stats": {
            "fires": found.fires,
            "sessions": found.sessions,
            "first": found.first,
            "last": found.last,
            "by_rule": found.by_rule,
            "by_model": found.by_model,
            "by_day": found.by_day,
            "by_version": found.by_version,
        }
    }
    newest = fires[0] if fires else None
    root = _root(journal)
    deliver(
        output,
        {
            "text": lambda: rendered(
                lambda c: print_stats(c, found, newest, root, utc=options.utc)
            ),
            "json": lambda: json_bytes({**_head(journal), **document}),
            "csv": lambda: csv_bytes(rows, GROUP_COLUMNS),
            "parquet": lambda: parquet_bytes(rows, GROUP_COLUMNS),
        },
    )


def run_agree(
    options: JournalOptions,
    settings_options: SettingsOptions,
    content: ContentOptions,
    output: OutputOptions,
    sessions: list[Path],
    jobs: Jobs,
) -> None:
    """Replay the sessions and hold every journal line against them."""
    settings = resolve_settings(settings_options, has_paths=bool(sessions), quiet=options.quiet)
    if settings.rlg is None:
        raise UsageError("journal agree replays rlg: leave --guard out, or name it")
    journal, fires = _fires(options)
    corpus = CorpusOptions(paths=sessions, quiet=options.quiet)
    logs = find_logs(corpus)
    with progress(logs, corpus) as on_done:
        # Every line takes its fire, also those that are not shown.
        whole = chosen(journal.fires, Filter())
        found = agree(whole, logs.logs, Plan(rlg=settings.rlg), jobs=jobs, on_done=on_done)
    meant = {id(fire) for fire in fires}
    is_whole = len(fires) == len(whole)
    shown = [r for r in found.rows if (id(r.fire) in meant if r.fire else is_whole)]
    coverage = corpus_coverage(logs, [c for _, c in found.coverages])
    report_coverage(coverage, list(found.coverages), corpus)
    rows = agreement_rows(shown, view_for(content, for_people=False), utc=options.utc)
    verdicts = Counter(row.verdict for row in shown)
    reasons = Counter(row.reason for row in shown if row.reason)
    view = view_for(content, for_people=True)
    head = envelope(
        plugin_versions=settings.plugin_versions,
        config=settings.as_json(),
        corpus_digest=corpus_digest(found.digests),
        coverage=coverage.as_json(),
    )
    document = {
        **head,
        "journal": journal_json(journal),
        "totals": {
            "verdicts": {verdict: verdicts[verdict] for verdict in VERDICTS},
            "reasons": dict(sorted(reasons.items())),
        },
        "lines": rows,
    }
    deliver(
        output,
        {
            "text": lambda: rendered(
                lambda c: print_agreement(
                    c, shown, view, _settings(settings_options), utc=options.utc
                )
            ),
            "json": lambda: json_bytes(document),
            "csv": lambda: csv_bytes(rows, AGREEMENT_COLUMNS),
            "parquet": lambda: parquet_bytes(rows, AGREEMENT_COLUMNS),
        },
    )


def _root(journal: Journal) -> str:
    """The option that tells ``explain`` where the sessions of the journal are.

    A home holds its journal and its sessions; the home in force needs no option.
    """
    for name in journal.files:
        for folder in Path(name).absolute().parents:
            sessions = folder / "sessions"
            if sessions.is_dir():
                if sessions.resolve() == (dsh_home() / "sessions").resolve():
                    return ""
                return f" --root {shlex.quote(str(sessions))}"
    return ""


def _settings(options: SettingsOptions) -> list[str]:
    """The options that give ``explain`` the same settings of rlg."""
    words: list[str] = []
    for value in options.config:
        words += ["--config", value]
    for value in options.assignments:
        words += ["--set", value] if value.startswith("rlg.") else []
    return words


def _fires(options: JournalOptions) -> tuple[Journal, list[Fire]]:
    """The journal, and the fires that the options choose."""
    wanted = Filter(
        rules=_rules(options.rule),
        sessions=tuple(options.session),
        since=moment(options.since, datetime.now().astimezone()) if options.since else None,
        limit=options.limit,
    )
    journal = read_journals(options.files or [_default_file()])
    for count, what in (
        (journal.broken, "lines that are broken"),
        (journal.no_fires, "lines without a rule"),
    ):
        if count:
            warn(f"passed over {what}: {count}")
    if journal.missing:
        named = ", ".join(f"{name} in {count}" for name, count in journal.missing.items())
        note(f"fields missing: {named}", quiet=options.quiet)
    return journal, chosen(journal.fires, wanted)


def _rules(texts: list[str]) -> tuple[str, ...]:
    names = tuple(name.strip() for text in texts for name in text.split(",") if name.strip())
    for name in names:
        if name not in RULES:
            raise UsageError(f"--rule {name}: no such rule; rules: {', '.join(RULES)}")
    return names


def _default_file() -> Path:
    """Where the settings of the DSH home say that the journal is."""
    home = dsh_home()
    if not home.is_dir():
        raise UsageError(f"{home}: no such folder; name the journal, or set DSH_HOME")
    value: object = None
    if any((home / name).exists() for name in ("profiles", "cordis.patch.yml")):
        try:
            known = survey(Inputs(config=[AUTO], dsh_home=home)).guards["rlg"].keys
            value = known["journalPath"].value if "journalPath" in known else None
        except UsageError as error:
            warn(f"{error}; the journal is looked for in its usual place")
    if isinstance(value, str) and value:
        return home / Path(os.path.expanduser(value))  # noqa: PTH111 - ~ may stand alone
    return home / DEFAULT


def _head(journal: Journal) -> dict[str, object]:
    """The common keys: a journal has no settings and no logs of its own."""
    return {
        **envelope(
            plugin_versions={},
            config={},
            corpus_digest=corpus_digest(
                (Path(name).name, file_digest(Path(name))) for name in journal.files
            ),
            coverage=Coverage().as_json(),
        ),
        "journal": journal_json(journal),
    }
