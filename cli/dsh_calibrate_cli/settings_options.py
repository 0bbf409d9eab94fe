"""Which guard settings a command works with: shared options, and how they are resolved."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from dsh_calibrate.replay.settings import Inputs, Settings


@dataclass(frozen=True, slots=True)
class SettingsOptions:
    """Settings files, single keys, versions and guards (contract.md 2)."""

    config: Annotated[
        list[str],
        typer.Option(
            "--config",
            metavar="FILE",
            help="Settings: a cordis patch, or a mapping {rtb, tfb, rtr, rlg} in YAML, JSON or "
            "TOML; auto: what the DSH home says. Repeatable, a later file replaces a guard's row.",
        ),
    ] = field(default_factory=list)
    assignments: Annotated[
        list[str],
        typer.Option(
            "--set",
            metavar="K=V",
            help="One key over everything else, V in YAML: rtb.limits.host=20, "
            'rtb.hostAliases."a.b"=c. Repeatable.',
        ),
    ] = field(default_factory=list)
    plugin_version: Annotated[
        list[str],
        typer.Option(
            "--plugin-version", metavar="G=V", help="Version to replay, for example rtb=0.5.2."
        ),
    ] = field(default_factory=list)
    guard: Annotated[
        list[str],
        typer.Option(
            "--guard",
            metavar="G",
            help="Only these guards: rtb, tfb, rtr, rlg. Repeatable, or separated by commas.",
        ),
    ] = field(default_factory=list)
    dsh_home: Annotated[
        Path | None,
        typer.Option("--dsh-home", metavar="DIR", help="DSH home of --config auto; $DSH_HOME."),
    ] = None
    dsh_profile: Annotated[
        str | None,
        typer.Option("--dsh-profile", metavar="NAME", help="Profile of --config auto."),
    ] = None


def resolve_settings(options: SettingsOptions, *, has_paths: bool, quiet: bool = False) -> Settings:
    """The settings that the options ask for; stderr says which are in force.

    Without ``--config`` they are what the DSH home says when no PATH was given (or when
    ``--dsh-home`` or ``--dsh-profile`` was), else the plugins' defaults. Raises
    :class:`dsh_calibrate.errors.CalibrateError` for the first thing that is refused.
    """
    from dsh_calibrate.replay.settings import describe_in_force, resolve
    from dsh_calibrate_cli.console import note, warn

    settings = resolve(inputs_of(options, has_paths=has_paths))
    note(describe_in_force(settings), quiet=quiet)
    for remark in settings.remarks:
        if remark.guard in settings.selected:
            warn(remark.text)
    return settings


def inputs_of(options: SettingsOptions, *, has_paths: bool) -> Inputs:
    """The options as the library takes them."""
    from dsh_calibrate.replay.settings import AUTO, Inputs

    home = options.dsh_home or Path(os.environ.get("DSH_HOME") or Path.home() / ".dsh")
    config = list(options.config)
    if not config and (options.dsh_home or options.dsh_profile or not has_paths):
        asked = options.dsh_home or options.dsh_profile
        config = [AUTO] if asked or home.is_dir() else []
    return Inputs(
        config=config,
        assignments=options.assignments,
        plugin_versions=options.plugin_version,
        dsh_home=home,
        dsh_profile=options.dsh_profile,
        guards=selected_guards(options.guard),
    )


def selected_guards(texts: list[str]) -> tuple[str, ...]:
    """The guards of ``--guard``, in table order; all of them when none is named.

    Raises :class:`dsh_calibrate.errors.UsageError` for an unknown name.
    """
    from dsh_calibrate.errors import UsageError
    from dsh_calibrate.replay.settings.catalogue import GUARDS, did_you_mean

    names = [name.strip() for text in texts for name in text.split(",") if name.strip()]
    for name in names:
        if name not in GUARDS:
            known = ", ".join(GUARDS)
            hint = did_you_mean(name, GUARDS)
            raise UsageError(f"--guard {name}: no such guard (known: {known}){hint}")
    if texts and not names:
        raise UsageError("--guard: no guard is named")
    return tuple(guard for guard in GUARDS if not names or guard in names)
