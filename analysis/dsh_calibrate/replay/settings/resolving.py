"""From ``--config``, ``--set`` and ``--plugin-version`` to settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_calibrate.errors import CalibrateError, UsageError
from dsh_calibrate.guards.repeat_tool_breaker.profiles import DEFAULT as DEFAULT_PROFILE
from dsh_calibrate.guards.repeat_tool_breaker.profiles import PROFILES
from dsh_calibrate.replay.settings.assignments import Assignment, parse_assignment
from dsh_calibrate.replay.settings.catalogue import GUARDS
from dsh_calibrate.replay.settings.checking import check
from dsh_calibrate.replay.settings.config_files import add_config_file
from dsh_calibrate.replay.settings.documents import Override, settings_page, switch_file
from dsh_calibrate.replay.settings.findings import Findings
from dsh_calibrate.replay.settings.home import add_home, find_profile
from dsh_calibrate.replay.settings.layering import key_table, layered, undecided
from dsh_calibrate.replay.settings.model import SET, GuardSettings, Settings
from dsh_calibrate.replay.settings.nodes import SettingsFileError
from dsh_calibrate.replay.settings.remarks import remarks_on
from dsh_calibrate.replay.settings.rows import Chosen, Tree, choose

AUTO = "auto"
"""The value of ``--config`` that stands for what the home says."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Where settings come from, as the options say.

    ``config`` holds file names or ``auto``, weakest first; ``assignments`` the texts of
    ``--set``; ``plugin_versions`` texts like ``rtb=0.5.2``. ``dsh_home`` and
    ``dsh_profile`` matter only with ``auto``. ``guards`` are the short names to select.
    """

    config: Sequence[str] = ()
    assignments: Sequence[str] = ()
    plugin_versions: Sequence[str] = ()
    dsh_home: Path | None = None
    dsh_profile: str | None = None
    guards: Sequence[str] = tuple(GUARDS)


def resolve(inputs: Inputs) -> Settings:
    """Settings that can be replayed.

    Raises :class:`CalibrateError` for the first thing that is refused, keys decided at run
    time included; one line with file, line and key.
    """
    settings = survey(inputs)
    problems = (*settings.refusals, *settings.undecided)
    if not problems:
        return settings
    if len(problems) == 1:
        raise problems[0]
    raise CalibrateError(
        f"{problems[0]} (and {len(problems) - 1} more; `config validate` lists them all)"
    )


def survey(inputs: Inputs) -> Settings:
    """Settings with everything that is refused or remarkable in them, for validation.

    Raises :class:`UsageError` only for options that name nothing: a missing home or
    profile, an unknown version.
    """
    profile = parse_versions(inputs.plugin_versions)
    findings = Findings()
    assignments = _assignments(inputs.assignments, findings)
    tree = Tree()
    home: Path | None = None
    for layer, name in enumerate(inputs.config):
        if name == AUTO:
            if inputs.dsh_home is None:
                raise UsageError("--config auto: no DSH home is known; name it with --dsh-home")
            home = inputs.dsh_home
            add_home(tree, home, find_profile(home, inputs.dsh_profile), layer, findings)
        else:
            try:
                add_config_file(tree, Path(name), layer, findings, over_home=home is not None)
            except SettingsFileError as error:
                findings.refusals.append(error)
    chosen = {short: choose(tree, short, findings) for short in GUARDS}
    overrides: dict[str, list[Override]] = {short: [] for short in GUARDS}
    if home is not None:
        overrides["rtb"] += settings_page(home, chosen["rtb"].row, findings)
        overrides["rlg"] += switch_file(home, chosen["rlg"].row, findings)
    for given in assignments:
        overrides[given.guard].append(Override(given.path, given.node, SET))
    selected = tuple(short for short in GUARDS if short in inputs.guards)
    return _assembled(profile, home, chosen, overrides, findings, selected)


def parse_versions(texts: Sequence[str], option: str = "--plugin-version") -> str:
    """The profile of rtb that texts like ``rtb=0.5.2`` ask for.

    Raises :class:`UsageError` naming ``option``, where they were typed, and the known versions.
    """
    profile = DEFAULT_PROFILE
    known = ", ".join(f"rtb={name}" for name in PROFILES)
    for text in texts:
        for one in text.split(","):
            guard, _, version = one.strip().partition("=")
            if guard != "rtb" or version not in PROFILES:
                raise UsageError(f"{option} {one.strip()}: unknown; known: {known}")
            profile = version
    return profile


def _assignments(texts: Sequence[str], findings: Findings) -> list[Assignment]:
    given = []
    for text in texts:
        try:
            given.append(parse_assignment(text))
        except UsageError as error:
            findings.refusals.append(error)
    return given


def _assembled(
    profile: str,
    home: Path | None,
    chosen: dict[str, Chosen],
    overrides: dict[str, list[Override]],
    findings: Findings,
    selected: tuple[str, ...],
) -> Settings:
    parts: dict[str, GuardSettings] = {}
    configs: dict[str, Any] = {}
    late: list[CalibrateError] = []
    for short in GUARDS:
        pick = chosen[short]
        cells = layered(short, pick.row, overrides[short], findings)
        if short in selected:
            late += [
                SettingsFileError(cell.source, cell.node.line, text)
                for cell, text in undecided(cells, profile)
            ]
        config, refusals = check(cells, profile)
        findings.refusals += refusals
        keys = key_table(cells, profile)
        run_time = tuple(key for key, entry in keys.items() if entry.source == "run time")
        mounted = pick.mounted if home is not None else pick.row is None or pick.active
        parts[short] = GuardSettings(short, cells.row(), keys, mounted, run_time)
        configs[short] = config if short in selected else None
        findings.remarks += remarks_on(cells, config, profile)
    return Settings(
        **configs,
        guards=parts,
        profile=profile,
        selected=selected,
        home=home,
        remarks=tuple(findings.remarks),
        refusals=tuple(findings.refusals),
        undecided=tuple(late),
    )
