"""What ``replay`` does once its options are known."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from dsh_calibrate.replay.corpus import replay_corpus
from dsh_calibrate.replay.envelope import envelope
from dsh_calibrate.replay.lines import decision_line
from dsh_calibrate.replay.outcome import LogOutcome
from dsh_calibrate.replay.summary import Summary, summarise, summary_json
from dsh_calibrate_cli.artefact import (
    OutputOptions,
    deliver,
    json_bytes,
    jsonl_bytes,
    require_formats,
)
from dsh_calibrate_cli.console import note, rendered
from dsh_calibrate_cli.content_options import ContentOptions
from dsh_calibrate_cli.corpus_options import CorpusOptions, FindingOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.explain_options import explain_options
from dsh_calibrate_cli.findings import exit_on_findings, wanted_findings
from dsh_calibrate_cli.plans import plan_for
from dsh_calibrate_cli.replay_masking import ReplayMask
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.replay_text import print_replay
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings

FORMATS = ("text", "json", "jsonl", "csv")

_COLUMNS = (
    "log",
    "session",
    "lifecycle",
    "call",
    "stream",
    "guard",
    "seq",
    "call_id",
    "tool",
    "verdict",
    "stage",
    "ran",
    "measure",
    "fingerprint",
    "count",
    "threshold",
    "divergence",
    "exact",
    "matched",
    "shell_http",
)
"""Columns of the csv; what only the reasoning guard knows stands in the jsonl."""


def run_replay(
    corpus: CorpusOptions,
    settings_options: SettingsOptions,
    how: ReplayOptions,
    finding: FindingOptions,
    content: ContentOptions,
    output: OutputOptions,
    noisiest: int,
) -> None:
    """Replay, report on stderr what could be read, deliver the artefact, set the exit code."""
    require_formats(output, FORMATS)
    failing = wanted_findings(finding.fail_on, "replay")
    settings = resolve_settings(settings_options, has_paths=bool(corpus.paths), quiet=corpus.quiet)
    plan = plan_for(settings, how, salvage=corpus.salvage)
    explained = explain_options(
        settings_options, has_paths=bool(corpus.paths), how=how, salvage=corpus.salvage
    )
    found = find_logs(corpus)
    with progress(found, corpus) as on_done:
        outcomes = replay_corpus(found.logs, plan, jobs=corpus.workers, on_done=on_done)
    coverage = corpus_coverage(found, [o.coverage for o in outcomes])
    report_coverage(coverage, [(o.log, o.coverage) for o in outcomes], corpus)
    summary = summarise(outcomes, plan.guards)
    mask = ReplayMask((o.log for o in outcomes), masked=content.masks(for_people=False))

    def document() -> bytes:
        head = envelope(
            plugin_versions=settings.plugin_versions,
            config=settings.as_json(),
            corpus_digest=corpus_digest_of(outcomes),
            coverage=coverage.as_json(),
        )
        whole = summary_json(summary)
        whole_logs = whole["logs"]
        assert isinstance(whole_logs, list)
        whole["logs"] = [mask.entry(log) for log in whole_logs]
        return json_bytes({**head, **whole})

    def lines() -> Iterator[dict[str, object]]:
        return (mask.line(decision_line(d)) for o in outcomes for d in o.decisions)

    deliver(
        output,
        {
            "text": lambda: rendered(
                lambda console: print_replay(console, summary, noisiest, mask.log, explained)
            ),
            "json": document,
            "jsonl": lambda: jsonl_bytes(lines()),
            "csv": lambda: _csv(lines()),
        },
    )
    note(_one_line(summary), quiet=corpus.quiet)
    require_coverage(coverage, corpus)
    exit_on_findings(failing, outcomes)


def corpus_digest_of(outcomes: Sequence[LogOutcome]) -> str:
    """The digest of the logs that were replayed."""
    from dsh_calibrate.replay.envelope import corpus_digest

    return corpus_digest((o.log, o.digest) for o in outcomes)


def _csv(lines: Iterable[Mapping[str, object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue().encode("utf-8", "backslashreplace")


def _one_line(summary: Summary) -> str:
    parts = []
    for guard, found in summary.guards.items():
        spoken = " and ".join(f"{r.count} {name}" for name, r in found.rates.items())
        parts.append(f"{guard}: {spoken} of {found.logs}")
    return "sessions " + "; ".join(parts)
