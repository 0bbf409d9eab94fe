"""What ``derive`` does once its options are known."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from dsh_calibrate.calibrate import candidates
from dsh_calibrate.calibrate.blind_spots import blind_spots
from dsh_calibrate.calibrate.blind_spots_seen import seen_in
from dsh_calibrate.calibrate.candidates import CandidateSet
from dsh_calibrate.calibrate.deriving import Bound, Derivation, Ladders, Listed, derive
from dsh_calibrate.calibrate.deriving_candidates import Tried
from dsh_calibrate.calibrate.evidence import derivation_json
from dsh_calibrate.calibrate.label_places import missing_places
from dsh_calibrate.calibrate.patch_row import PatchRows, merged_text, patch_rows, patch_text
from dsh_calibrate.calibrate.ranges import parse_axis
from dsh_calibrate.calibrate.risk import check_share
from dsh_calibrate.calibrate.sweeping import How, measure_for
from dsh_calibrate.errors import UsageError
from dsh_calibrate.replay.envelope import corpus_digest, envelope
from dsh_calibrate.replay.plan import GUARDS
from dsh_calibrate.replay.settings import Settings
from dsh_calibrate_cli.artefact import OutputOptions, deliver, json_bytes
from dsh_calibrate_cli.cache_options import CacheOptions, cache_of
from dsh_calibrate_cli.console import note, rendered, warn, write_whole
from dsh_calibrate_cli.corpus_options import CorpusOptions
from dsh_calibrate_cli.corpus_run import (
    corpus_coverage,
    dsh_home,
    find_logs,
    progress,
    report_coverage,
    require_coverage,
)
from dsh_calibrate_cli.derive_text import answer, print_derivation, row_comments
from dsh_calibrate_cli.explain_options import changed_options, explain_options
from dsh_calibrate_cli.findings import wanted_findings
from dsh_calibrate_cli.labels_file import corpus_and_labels
from dsh_calibrate_cli.replay_options import ReplayOptions
from dsh_calibrate_cli.settings_options import SettingsOptions, resolve_settings

if TYPE_CHECKING:
    from dsh_calibrate_cli.commands.derive import DeriveFindingOptions, DeriveOptions


def run_derive(
    corpus: CorpusOptions,
    what: DeriveOptions,
    settings_options: SettingsOptions,
    how_options: ReplayOptions,
    cache_options: CacheOptions,
    finding: DeriveFindingOptions,
    output: OutputOptions,
) -> None:
    """Measure, derive, deliver; options are checked before a log is read."""
    failing = wanted_findings(finding.fail_on, "derive")
    bound = _bound(what)
    has_paths = bool(corpus.paths)
    corpus, labels_file = corpus_and_labels(corpus, what.labels)
    settings = resolve_settings(settings_options, has_paths=has_paths, quiet=corpus.quiet)
    tried, whole = tried_of(what, settings, is_named=bool(settings_options.guard))
    if what.merge_into is not None:
        _require_writable(what.merge_into)
    how = How(how_options.operator.value, how_options.shell_http.value, corpus.salvage)
    found = find_logs(corpus)
    if not labels_file.path.is_file():
        raise UsageError(
            f"{labels_file.path}: no such labels file; corpus label writes one, --labels names one"
        )
    labels = labels_file.labels(found)
    with (
        progress(found, corpus) as on_done,
        measure_for(
            found.logs,
            tried.sets(),
            tried.guards,
            how,
            jobs=corpus.workers,
            cache=cache_of(cache_options),
            on_done=on_done,
        ) as facts,
    ):
        derived = derive(
            facts,
            found.logs,
            labels,
            tried,
            bound,
            how,
            folds_wanted=what.folds,
            jobs=corpus.workers,
        )
        coverages = facts.coverages()
        vain = missing_places(facts, labels, tried.guards)
        digests = dict(facts.frame("logs").select("log", "digest").iter_rows())
    coverage = corpus_coverage(found, list(coverages.values()))
    report_coverage(coverage, list(coverages.items()), corpus)
    sessions = derived.sessions.sessions
    healthy = [sessions[s].logs for s in sorted(derived.sessions.of("healthy"))]
    looked = {log for logs in healthy for log in logs}
    seen = seen_in([log for log in found.logs if log.key in looked], jobs=corpus.workers)
    spots = blind_spots(seen, healthy, tried.guards)
    rows = _rows(derived, settings, tried.guards, whole, full=what.full)

    def document() -> dict[str, object]:
        head = envelope(
            plugin_versions=settings.plugin_versions,
            config=settings.as_json(),
            corpus_digest=corpus_digest(digests.items()),
            coverage=coverage.as_json(),
        )
        return {**head, **derivation_json(derived, rows, spots)}

    paths = {log.key: log.path for log in found.logs}
    explained = explain_options(
        settings_options, has_paths=has_paths, how=how_options, salvage=corpus.salvage
    )
    if derived.chosen is not None:
        choice = derived.chosen.candidate
        explained += changed_options(choice.settings, settings if choice.name in whole else None)
    patch = patch_text(rows or {}, row_comments(derived, settings, rows))
    deliver(
        output,
        {
            "text": lambda: rendered(
                lambda console: print_derivation(
                    console, derived, tried.guards, spots, patch, paths, explained
                )
            ),
            "json": lambda: json_bytes(document()),
            "yaml": lambda: _yaml(document()),
            "patch": lambda: patch.encode("utf-8", "backslashreplace"),
        },
    )
    for text in vain:
        warn(text)
    note(answer(derived), quiet=corpus.quiet)
    if what.merge_into is not None:
        _merge(what.merge_into, rows, settings, quiet=corpus.quiet)
    require_coverage(coverage, corpus)
    if "infeasible" in failing and not derived.feasible:
        warn("--fail-on: infeasible")
        raise typer.Exit(1)
    if "damaged" in failing and coverage.damaged:
        warn("--fail-on: found damaged")
        raise typer.Exit(1)


def tried_of(
    what: DeriveOptions, settings: Settings, *, is_named: bool
) -> tuple[Tried, frozenset[str]]:
    """The candidates, and the names of those whose rows replace the user's.

    Guards are those that ``--guard`` names, else those that named candidates speak of, else
    all that are mounted. Raises :class:`UsageError` for candidates that cannot be.
    """
    rows = {guard: part.row for guard, part in settings.guards.items()}
    sets: list[CandidateSet] = []
    if what.over:
        sets += candidates.grid([parse_axis(text) for text in what.over], rows, settings.profile)
    whole: frozenset[str] = frozenset()
    if what.candidates is not None:
        from_file = candidates.from_file(what.candidates, rows, settings.profile)
        whole = frozenset(one.name for one in from_file)
        for name in sorted(whole & {one.name for one in sets}):
            raise UsageError(f"two sets are called {name}: rename one in {what.candidates}")
        sets += from_file
    candidates.require_few(len(sets))
    guards = _guards(sets, settings, is_named=is_named)
    if not sets:
        return Ladders(rows, settings.profile, guards, what.disturbed_by.value), whole
    now = candidates.in_force(rows, settings.profile)
    listed = Listed(
        sets, now, guards, what.disturbed_by.value, as_given=what.order.value == "given"
    )
    return listed, whole


def _guards(sets: list[CandidateSet], settings: Settings, *, is_named: bool) -> tuple[str, ...]:
    spoken = {guard for one in sets for guard in one.guards}
    for guard in GUARDS:
        if is_named and guard in spoken and guard not in settings.selected:
            raise UsageError(f"--guard leaves {guard} out, but a candidate changes it; add it")
    if is_named:
        return settings.selected
    if sets:
        return tuple(guard for guard in GUARDS if guard in spoken)
    mounted = tuple(g for g in settings.selected if settings.guards[g].mounted)
    return mounted if mounted and settings.home is not None else settings.selected


def _bound(what: DeriveOptions) -> Bound:
    check_share("--alpha", what.alpha)
    check_share("--delta", what.delta)
    return Bound(what.alpha, what.delta, what.method.value, what.disturbed_by.value)


def _rows(
    derived: Derivation,
    settings: Settings,
    guards: tuple[str, ...],
    whole: frozenset[str],
    *,
    full: bool,
) -> PatchRows | None:
    if derived.chosen is None:
        return None
    chosen = derived.chosen.candidate
    return patch_rows(
        chosen,
        settings.guards,
        settings.profile,
        selected=guards,
        whole_rows=chosen.name in whole,
        full=full,
    )


def _require_writable(path: Path) -> None:
    recorded = (dsh_home() / "sessions").resolve()
    if recorded in path.resolve().parents:
        raise UsageError(
            f"{path} lies where sessions are recorded, and nothing is written there: name "
            "another file with --merge-into"
        )
    if not path.is_file():
        raise UsageError(f"--merge-into {path}: no such file; use --format patch -o {path}")


def _merge(path: Path, rows: PatchRows | None, settings: Settings, *, quiet: bool) -> None:
    if not rows:
        note(f"{path}: left as it is, there is nothing to change", quiet=quiet)
        return
    merged = merged_text(path, rows, settings.guards)
    write_whole(path.resolve(), merged.encode("utf-8"))
    note(f"{path}: {', '.join(rows)} changed", quiet=quiet)


def _yaml(document: dict[str, object]) -> bytes:
    from ruamel.yaml import YAML

    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.allow_unicode = True
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.width = 4096
    stream = io.StringIO()
    yaml.dump(json.loads(json.dumps(document)), stream)
    return stream.getvalue().encode("utf-8", "backslashreplace")
